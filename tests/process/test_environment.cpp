// Environment variables: each value in its own process.
#include <filesystem>
#include <fstream>

#include "support/catch.h"
#include "support/faults.h"
#include "support/modes.h"
#include "support/process.h"

using namespace sgemm_test;

namespace {

bool is_available(const std::string &backend) {
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    libsgemm_backend_info_t info;
    if (backend == libsgemm_backend_name(index) && libsgemm_backend_describe(index, &info) == LIBSGEMM_SUCCESS) {
      return info.available != 0;
    }
  }
  return false;
}

const int kRef = libsgemm_backend_count() - 1;

std::string cpu_backend() { return is_available("openblas") ? "openblas" : "ref"; }

// The CPU splits no inputs.
bool runs_on_cpu(const std::string &mode) {
  for (const libsgemm_math_mode_t each : kOtherModes) {
    if (mode == name_of(each)) return rounds(each) || each == LIBSGEMM_MATH_FP64;
  }
  return false;
}

Outcome probe(const Environment &environment, const std::vector<std::string> &arguments = {}) {
  Outcome outcome = run_probe(PROBE, arguments, environment);
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  CHECK(outcome.out == "");
  return outcome;
}

void check_success(Outcome outcome, const std::string &backend) {
  INFO(outcome.description());
  CHECK(outcome.report["status"] == "0");
  CHECK(outcome.report["backend"] == backend);
  CHECK(outcome.report["correct"] == "1");
}

class LibraryWithoutPlugins {
 public:
  LibraryWithoutPlugins() : file_(directory_.path() + "/libsgemm.so") {
    std::filesystem::copy_file(LIBSGEMM_FILE, file_);
  }
  Outcome probe(const Environment &environment, std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.end(), {"--library", file_});
    Environment clean = environment;
    clean.insert({"LIBSGEMM_BACKEND_PATH", ""});
    Outcome outcome = run_probe(PROBE_DLOPEN, arguments, clean);
    INFO(outcome.description());
    REQUIRE(outcome.exit_status == 0);
    CHECK(outcome.out == "");
    return outcome;
  }

 private:
  TemporaryDirectory directory_;
  std::string file_;
};

}  // namespace

TEST_CASE("LIBSGEMM_BACKEND: each valid value") {
  for (const std::string backend : {"cuda", "hip", "openblas", "ref"}) {
    Outcome outcome = probe({{"LIBSGEMM_BACKEND", backend}});
    check_success(outcome, is_available(backend) ? backend : cpu_backend());
    INFO(outcome.description());
    CHECK(has_word(outcome.report["reason"], backend));
  }
  check_success(probe({{"LIBSGEMM_BACKEND", "auto"}}), cpu_backend());
  check_success(probe({{"LIBSGEMM_BACKEND", ""}}), cpu_backend());
  check_success(probe({}), cpu_backend());
}

TEST_CASE("LIBSGEMM_BACKEND: lists are taken in order") {
  check_success(probe({{"LIBSGEMM_BACKEND", "ref,openblas"}}), "ref");
  check_success(probe({{"LIBSGEMM_BACKEND", "openblas,ref"}}), cpu_backend());
  check_success(probe({{"LIBSGEMM_BACKEND", "cuda,ref"}}), "ref");  // too small for a GPU
  const std::pair<std::string, std::string> always = {"LIBSGEMM_OFFLOAD", "always"};
  check_success(probe({{"LIBSGEMM_BACKEND", "cuda,ref"}, always}), is_available("cuda") ? "cuda" : "ref");
  const std::string gpu = is_available("hip") ? "hip" : is_available("cuda") ? "cuda" : "ref";
  check_success(probe({{"LIBSGEMM_BACKEND", "hip,cuda,ref,openblas"}, always}), gpu);
}

TEST_CASE("an explicit call beats the environment") {
  check_success(probe({{"LIBSGEMM_BACKEND", "openblas"}}, {"--mode", "handle", "--backend", "ref"}), "ref");
  check_success(probe({{"LIBSGEMM_BACKEND", "ref"}}, {"--mode", "handle", "--backend", "auto"}), cpu_backend());
  const std::string row = libsgemm_kernel_name(kRef, 0);
  Outcome outcome = probe({{"LIBSGEMM_KERNEL", row}}, {"--mode", "handle", "--kernel", ""});
  check_success(outcome, cpu_backend());
  CHECK((cpu_backend() == "ref" || outcome.report["kernel"] != row));
}

TEST_CASE("an invalid value is an error that names the variable and lists the valid values") {
  struct Wrong {
    std::string variable;
    std::vector<std::string> values;
    std::vector<std::string> valid;
  };
  const std::vector<Wrong> table = {
      {"BACKEND",
       {"nonsense", "REF", " ref", "ref ", "ref,nonsense", "ref,,openblas", "ref,", ",", "ref;openblas"},
       {"auto", "cuda", "hip", "openblas", "ref"}},
      {"STRICT", {"maybe", "2", "yes", "01"}, {"0", "1"}},
      {"DEVICES", {"x", "0,,1", "-1", "0;1", "1x", ",", "99999999999999999999"}, {"all", "none"}},
      {"OFFLOAD", {"sometimes", "1"}, {"auto", "never", "always"}},
      {"OFFLOAD_THRESHOLD", {"-3", "abc", "12x", "nan", "inf", " "}, {"number"}},
      {"OFFLOAD_THREADS", {"0", "-1", "x", "4x", "1000"}, {"number"}},
      {"OFFLOAD_DEVICES", {"0", "some", "1.5"}, {"all", "number"}},
      {"DEVICE_MEMORY_LIMIT", {"0", "-1", "x", "4T", "4GB", "G", "99999999999G"}, {"K", "M", "G"}},
      {"PINNED_MEMORY_LIMIT", {"0", "1.5G", "256 M"}, {"K", "M", "G"}},
      {"TIMEOUT", {"-1", "x", "inf", "5s"}, {"seconds"}},
      {"MATH_MODE", {"fp8", "TF32", "0"}, {std::begin(kModeNames), std::end(kModeNames)}},
      {"DETERMINISTIC", {"maybe", "2", "Invariant"}, {"0", "1", "invariant"}},
      {"VERIFY", {"yes", "1"}, {"off", "sample", "full"}},
      {"VERIFY_ACTION", {"die", "1"}, {"warn", "retry", "error"}},
      {"VERIFY_SEED", {"-1", "x", "1x", "18446744073709551616"}, {"integer"}},
      {"VERBOSE", {"9", "-1", "x", "1.5"}, {"0", "1", "2", "3"}},
      {"KERNEL", {"nosuch"}, {first_kernel()}},
  };
  for (const Wrong &wrong : table) {
    const std::string variable = "LIBSGEMM_" + wrong.variable;
    for (const std::string &value : wrong.values) {
      for (const std::string mode : {"call", "handle"}) {
        Outcome outcome = probe({{variable, value}}, {"--mode", mode});
        INFO(variable << "=\"" << value << "\"" << outcome.description());
        CHECK(outcome.report["status"] == std::to_string(LIBSGEMM_INVALID_ENVIRONMENT));
        CHECK(outcome.report["untouched"] == "1");
        if (mode == "handle") {
          CHECK(outcome.report["create"] == std::to_string(LIBSGEMM_INVALID_ENVIRONMENT));
        }
        CHECK(has_word(outcome.report["message"], variable));
        CHECK(outcome.report["message"].find(value) != std::string::npos);
        for (const std::string &valid : wrong.valid) CHECK(has_word(outcome.report["message"], valid));
      }
    }
  }
}

TEST_CASE("where sums are to be invariant cpu or ref computes in the place of a BLAS") {
  for (const std::string mode : {"fp32", "fp64"}) {
    const Outcome outcome = probe({{"LIBSGEMM_DETERMINISTIC", "invariant"}, {"LIBSGEMM_MATH_MODE", mode}});
    INFO(outcome.description());
    check_success(outcome, is_available("cpu") ? "cpu" : "ref");
  }
}

TEST_CASE("several invalid values are all named") {
  Outcome outcome = probe({{"LIBSGEMM_BACKEND", "nonsense"}, {"LIBSGEMM_STRICT", "maybe"}});
  INFO(outcome.description());
  CHECK(outcome.report["status"] == std::to_string(LIBSGEMM_INVALID_ENVIRONMENT));
  CHECK(has_word(outcome.report["message"], "LIBSGEMM_BACKEND"));
  CHECK(has_word(outcome.report["message"], "LIBSGEMM_STRICT"));
}

TEST_CASE("every valid value is accepted, and an empty one means the default") {
  std::vector<std::string> modes = {""};
  modes.insert(modes.end(), std::begin(kModeNames), std::end(kModeNames));
  const std::vector<std::pair<std::string, std::vector<std::string>>> table = {
      {"STRICT", {"", "0", "1"}},
      {"DEVICES", {"", "all", "none", "0", "0,2"}},
      {"OFFLOAD", {"", "auto", "never"}},
      {"OFFLOAD_THRESHOLD", {"", "1000000", "1e6", "2000.5"}},
      {"MATH_MODE", modes},
      {"DETERMINISTIC", {"", "0", "1"}},
      {"VERIFY", {"", "off", "sample", "full"}},
      {"VERIFY_ACTION", {"", "warn", "retry", "error"}},
      {"VERIFY_SEED", {"", "0", "18446744073709551615"}},
      {"VERBOSE", {"", "0", "1", "2", "3"}},
      {"KERNEL", {""}},
      {"CPU_BLAS", {""}},
      {"BACKEND_PATH", {"", "/nonexistent", "/nonexistent:/tmp"}},
      {"LOG_PATH", {""}},
  };
  for (const auto &row : table) {
    for (const std::string &value : row.second) {
      Outcome outcome = probe({{"LIBSGEMM_" + row.first, value}});
      INFO(row.first << "=" << value << outcome.description());
      check_success(outcome, cpu_backend());
      CHECK(outcome.report["math_mode"] == (row.first == "MATH_MODE" && runs_on_cpu(value) ? value : "fp32"));
      CHECK(outcome.report["verified"] == (value == "sample" || value == "full" ? "1" : "0"));
      if (row.first != "VERBOSE") CHECK(outcome.err == "");
    }
  }
}

TEST_CASE("LIBSGEMM_MATH_MODE is the arithmetic that runs") {
  // 1 + 2^-8 + 2^-11, rounded to the mode's input bits.
  std::map<std::string, std::string> inputs = {{"", "0x1.012p+0"}};
  for (int mode = 0; mode <= kOtherModeCount; ++mode) {
    char text[32];
    const float input = as_input(static_cast<libsgemm_math_mode_t>(mode), 0x1.012p0f);
    std::snprintf(text, sizeof text, "%a", static_cast<double>(input));
    inputs[kModeNames[mode]] = text;
  }
  for (const std::string backend : {"openblas", "ref"}) {
    if (!is_available(backend)) continue;
    for (const auto &mode : inputs) {
      Outcome outcome = probe({{"LIBSGEMM_MATH_MODE", mode.first}, {"LIBSGEMM_BACKEND", backend}});
      INFO(outcome.description());
      check_success(outcome, backend);
      CHECK(outcome.report["input"] == mode.second);
    }
    Outcome forbidden =
        probe({{"LIBSGEMM_MATH_MODE", "tf32"}, {"NVIDIA_TF32_OVERRIDE", "0"}, {"LIBSGEMM_BACKEND", backend}});
    CHECK(forbidden.report["math_mode"] == "fp32");
    CHECK(forbidden.report["input"] == "0x1.012p+0");
  }
}

TEST_CASE("LIBSGEMM_KERNEL forces a kernel, and with it its backend") {
  int ran = 0;
  for (int row = 0; libsgemm_kernel_name(kRef, row) != nullptr; ++row) {
    const std::string name = libsgemm_kernel_name(kRef, row);
    Outcome outcome = probe({{"LIBSGEMM_KERNEL", name}});
    INFO(outcome.description());
    if (outcome.report["status"] == std::to_string(LIBSGEMM_NOT_SUPPORTED)) {
      CHECK(outcome.report["untouched"] == "1");
      CHECK(has_word(outcome.report["message"], name));
      continue;
    }
    check_success(outcome, "ref");
    CHECK(outcome.report["kernel"] == name);
    ++ran;
  }
  CHECK(ran > 0);
}

TEST_CASE("without any plugin everything works on ref, and what is missing is told") {
  const LibraryWithoutPlugins library;
  check_success(library.probe({}), "ref");
  for (const std::string backend : {"cuda", "hip", "openblas"}) {
    Outcome outcome = library.probe({{"LIBSGEMM_BACKEND", backend}}, {"--mode", "describe"});
    check_success(outcome, "ref");
    INFO(outcome.description());
    CHECK(has_word(outcome.report["reason"], backend));
    CHECK(outcome.report[backend + ".status"] == "0");
    CHECK(outcome.report[backend + ".available"] == "0");
    CHECK(outcome.report[backend + ".reason"].find("libsgemm_" + backend + ".so") != std::string::npos);
  }
}

TEST_CASE("LIBSGEMM_STRICT turns a missing backend into an error") {
  const LibraryWithoutPlugins library;
  for (const std::string backend : {"cuda", "hip", "openblas"}) {
    for (const std::string mode : {"call", "handle"}) {
      Outcome outcome = library.probe({{"LIBSGEMM_BACKEND", backend}, {"LIBSGEMM_STRICT", "1"}}, {"--mode", mode});
      INFO(outcome.description());
      CHECK(outcome.report["status"] == std::to_string(LIBSGEMM_UNAVAILABLE));
      CHECK(has_word(outcome.report["message"], backend));
      CHECK(outcome.report["untouched"] == "1");
    }
  }
  check_success(library.probe({{"LIBSGEMM_STRICT", "1"}}), "ref");
  check_success(library.probe({{"LIBSGEMM_STRICT", "1"}, {"LIBSGEMM_BACKEND", "ref"}}), "ref");
}

TEST_CASE("LIBSGEMM_BACKEND_PATH is searched for plugins") {
  const LibraryWithoutPlugins library;
  libsgemm_backend_info_t info;
  REQUIRE(libsgemm_backend_describe(2, &info) == LIBSGEMM_SUCCESS);
  if (info.available == 0) {
    WARN("not shown: OpenBLAS is not available here: " << info.reason);
    return;
  }
  const std::string directory = std::filesystem::path(info.path).parent_path();
  check_success(library.probe({{"LIBSGEMM_BACKEND_PATH", "/nonexistent:" + directory}}), "openblas");
}

TEST_CASE("a file that is no plugin is refused with its reason") {
  const LibraryWithoutPlugins library;
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/libsgemm_openblas.so";
  std::ofstream(file) << "This is not a shared library.\n";
  Outcome outcome = library.probe({{"LIBSGEMM_BACKEND_PATH", directory.path()}}, {"--mode", "describe"});
  check_success(outcome, "ref");
  INFO(outcome.description());
  CHECK(outcome.report["openblas.available"] == "0");
  CHECK(outcome.report["openblas.reason"].find(file) != std::string::npos);
}

TEST_CASE("LIBSGEMM_CPU_BLAS that cannot serve leaves ref, and says why") {
  for (const std::string file : {"/nonexistent.so", "libm.so.6", LIBSGEMM_BLAS_FILE, LIBSGEMM_FILE}) {
    Outcome outcome = probe({{"LIBSGEMM_CPU_BLAS", file}}, {"--mode", "describe"});
    INFO(file);
    check_success(outcome, "ref");
    INFO(outcome.description());
    CHECK(outcome.report["openblas.available"] == "0");
    CHECK(outcome.report["openblas.reason"].find(file) != std::string::npos);
    CHECK(has_word(outcome.report["reason"], "openblas"));
    outcome = probe({{"LIBSGEMM_CPU_BLAS", file}, {"LIBSGEMM_BACKEND", "openblas"}, {"LIBSGEMM_STRICT", "1"}});
    INFO(outcome.description());
    CHECK(outcome.report["status"] == std::to_string(LIBSGEMM_UNAVAILABLE));
    CHECK(outcome.report["untouched"] == "1");
    CHECK(outcome.report["message"].find(file) != std::string::npos);
  }
}

TEST_CASE("LIBSGEMM_CPU_BLAS that was cut off is refused") {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/libblas.so";
  const std::string whole = read_text(LIBSGEMM_FILE);
  std::ofstream(file, std::ios::binary) << whole.substr(0, loaded_bytes(whole) - 4096);
  Outcome outcome = probe({{"LIBSGEMM_CPU_BLAS", file}}, {"--mode", "describe"});
  check_success(outcome, "ref");
  INFO(outcome.description());
  CHECK(outcome.report["openblas.reason"].find(file + ": truncated") == 0);
}

TEST_CASE("with the drop-in preloaded the library does not call itself") {
  // AddressSanitizer must come first, unless the second variable permits otherwise.
  Outcome outcome =
      probe({{"LD_PRELOAD", LIBSGEMM_BLAS_FILE}, {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}});
  check_success(outcome, cpu_backend());
}

TEST_CASE("LIBSGEMM_VERBOSE tells on stderr what was chosen, and is silent by default") {
  CHECK(probe({}).err == "");
  CHECK(probe({{"LIBSGEMM_VERBOSE", "0"}}).err == "");
  for (const std::string level : {"1", "2", "3"}) {
    const Outcome outcome = probe({{"LIBSGEMM_VERBOSE", level}});
    INFO("level " << level << outcome.description());
    CHECK(outcome.err.find(cpu_backend()) != std::string::npos);
    if (level != "1") CHECK(outcome.err.find("sgemm") != std::string::npos);
  }
}

TEST_CASE("a fallback is told on stderr without being asked") {
  const LibraryWithoutPlugins library;
  const Outcome outcome = library.probe({{"LIBSGEMM_BACKEND", "openblas"}});
  INFO(outcome.description());
  CHECK(has_word(outcome.err, "openblas"));
}

TEST_CASE("LIBSGEMM_LOG_PATH takes the log, with the process in its name") {
  const TemporaryDirectory directory;
  const Outcome outcome = probe({{"LIBSGEMM_VERBOSE", "2"}, {"LIBSGEMM_LOG_PATH", directory.path() + "/log-%p-x.txt"}});
  INFO(outcome.description());
  CHECK(outcome.err == "");
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(directory.path())) {
    const std::string name = entry.path().filename();
    INFO(name);
    CHECK(name.rfind("log-", 0) == 0);
    const std::string pid = name.substr(4, name.find("-x.txt") - 4);
    CHECK(!pid.empty());
    CHECK(pid.find_first_not_of("0123456789") == std::string::npos);
    CHECK(read_text(entry.path()).find(cpu_backend()) != std::string::npos);
    ++files;
  }
  CHECK(files == 1);
}

TEST_CASE("a log file that cannot be written is told, and does not stop the calls") {
  const Outcome outcome = probe({{"LIBSGEMM_VERBOSE", "2"}, {"LIBSGEMM_LOG_PATH", "/nonexistent/directory/log.txt"}});
  check_success(outcome, cpu_backend());
  CHECK(outcome.err.find("/nonexistent/directory/log.txt") != std::string::npos);
}
