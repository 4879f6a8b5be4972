#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "command_runner.h"
#include "process/env.h"
#include "process/nearest.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

using Catch::Matchers::StartsWith;
using sgemm_test::Contains;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

Names lines_of(const std::string &text) {
  Names lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// With offload, `info` would multiply for seconds on these mock GPUs.
const Environment kFourGpus = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/four_gpus"}, {"LIBSGEMM_OFFLOAD", "never"}};

Names subcommands() {
  const std::string help = command({"--help"}).out;
  Names names;
  for (const std::string &line : lines_of(help.substr(help.find("Subcommands:")))) {
    std::smatch match;
    if (std::regex_search(line, match, std::regex("^  ([a-z]+) "))) names.push_back(match[1]);
  }
  REQUIRE(names.size() >= 5);
  return names;
}

std::set<std::string> options_of(const std::string &subcommand) {
  const std::string help = command({subcommand, "--help"}).out;
  std::set<std::string> names;
  for (const std::string &line : lines_of(help)) {
    std::smatch match;
    if (!std::regex_search(line, match, std::regex("^  (-[-a-zA-Z0-9,]+)"))) continue;
    std::istringstream both(match[1]);
    for (std::string name; std::getline(both, name, ',');) names.insert(name);
  }
  REQUIRE(names.count("--help") == 1);
  return names;
}

}  // namespace

TEST_CASE("the nearest name") {
  const Names names = {"info", "gemm", "bench", "calibrate", "run"};
  using libsgemm::nearest_name;
  CHECK(nearest_name("gem", names) == "gemm");
  CHECK(nearest_name("gmem", names) == "gemm");
  CHECK(nearest_name("BENCH", names) == "bench");
  CHECK(nearest_name("callibrat", names) == "calibrate");
  CHECK(nearest_name("rum", names) == "run");
  CHECK(nearest_name("multiply", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name("gemm", {}).empty());
  CHECK(libsgemm::did_you_mean("inof", names) == "; did you mean info?");
  CHECK(libsgemm::did_you_mean("xyz", names).empty());
}

TEST_CASE("a misspelt subcommand, option, backend, routine or kernel gets the nearest name") {
  const auto says = [](const Names &arguments, int status, const std::string &what) {
    const Outcome outcome = command(arguments);
    INFO(outcome.description());
    CHECK(outcome.exit_status == status);
    CHECK_THAT(outcome.err, Contains(what));
  };
  says({"bnech", "--shape", "8,8,8"}, 2,
       "libsgemm: there is no subcommand bnech; did you mean bench?\nThere are info,");
  says({"multiply"}, 2, "there is no subcommand multiply\nThere are info, gemm, bench, ");
  says({"gemm", "a", "b", "--verfy"}, 2, "--verfy: did you mean --verify?");
  says({"bench", "--shpae=8,8,8"}, 2, "--shpae=8,8,8: did you mean --shape?");
  says({"bench", "--shape", "8,8,8", "--backend", "opnblas"}, 1, "did you mean openblas?");
  says({"bench", "--shape", "8,8,8", "--peer", "none", "--kernel", "cpu_scalar_1x1x1_naiv"}, 1,
       "no available backend has it; did you mean cpu_scalar_1x1x1_naive?");
  const Outcome forced = command({"info"}, {{"LIBSGEMM_KERNEL", "cpu_sclar_1x1x1_naive"}});
  CHECK_THAT(forced.err, Contains("LIBSGEMM_KERNEL=cpu_sclar_1x1x1_naive is not valid: use cpu_scalar_1x1x1_naive, the "
                                  "nearest name, or one of "));
}

TEST_CASE("a misspelt variable is told by the command, and by programs that want to know") {
  const Environment misspelt = {{"LIBSGEMM_BACKENDS", "ref"}, {"LIBSGEMM_ABACUS_WIRES", "7"}};
  const std::string line = "LIBSGEMM_BACKENDS is not a variable of libsgemm; did you mean LIBSGEMM_BACKEND?\n";
  const std::string other = "LIBSGEMM_ABACUS_WIRES is not a variable of libsgemm\n";
  const Outcome bench = command({"bench", "--shape", "8,8,8", "--backend", "ref", "--peer", "none"}, misspelt);
  CHECK(bench.exit_status == 0);
  CHECK_THAT(bench.err, Contains("libsgemm: " + line) && Contains("libsgemm: " + other));
  const Outcome info = command({"info"}, misspelt);
  CHECK_THAT(info.out, Contains("  LIBSGEMM_BACKENDS=ref\n") && Contains("  " + line) && Contains("  " + other));
  CHECK(info.err == "");
  const Outcome json = command({"info", "--json"}, misspelt);
  CHECK(Json::parse(json.out)["environment_problems"].size() == 2);
  CHECK(run_probe(PROBE, {}, misspelt).err == "");
  Environment verbose = misspelt;
  verbose["LIBSGEMM_VERBOSE"] = "1";
  CHECK_THAT(run_probe(PROBE, {}, verbose).err, Contains("libsgemm: " + line));
  Environment known;
  for (const std::string &name : libsgemm::read_environment().names) known[name] = "";
  REQUIRE(known.size() >= 20);
  CHECK(Json::parse(command({"info", "--json"}, known).out)["environment_problems"].empty());
}

TEST_CASE("info fits a screen, with several GPUs, too") {
  Environment environment = kFourGpus;
  environment["LIBSGEMM_BACKEND"] = "openblas,ref";
  for (const Environment &where : {Environment{}, kFourGpus, environment}) {
    const Outcome outcome = command({"info"}, where);
    INFO(outcome.description());
    CHECK(outcome.exit_status == 0);
    const Names lines = lines_of(outcome.out);
    CHECK(lines.size() <= 40);
    for (const std::string &line : lines) {
      const bool one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
      const bool path = line.find('/') != std::string::npos;  // cannot be broken
      CHECK((line.size() <= 100 || one_word || path));
    }
  }
  const std::string all = command({"info"}, kFourGpus).out;
  CHECK_THAT(all, Contains("devices 0 to 3, each: mock device (mock_1), 4 multiprocessors, 1.0 of 1.0 GiB free") &&
                      Contains("mock driver 1.0; 8 kernels") && !Contains("cuda_mock_tf32"));
}

TEST_CASE("info --kernels: what each kernel computes") {
  const Outcome outcome = command({"info", "--kernels"}, kFourGpus);
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  const auto has = [&](const std::string &line) {
    CHECK(std::regex_search(outcome.out, std::regex("\n *" + line + "\n")));
  };
  has("kernel +routines +types +arch +purpose");
  has("cuda_mock_splitk +gemm batches +fp32 +any");
  has("cuda_mock_tf32 +gemm batches +fp32 as tf32 +any");
  has("cuda_mock_level3 +symm syr2k trmm trsm gemmtr batches +fp32 +any");
  has("cuda_mock_16_bits +gemm batches +fp16 bf16 +any");
  has("cuda_mock_conv +conv2d +fp32 +any +convolutions");
  has("cpu_scalar_direct_conv_bf16 +conv2d +fp32 as bf16 +CPU +convolution, plain loops");
  has("cpu_scalar_1x1x1_naive +all +fp32 fp16 bf16 +CPU +plain loops");
  has("cpu_avx2_16x6x256_packed_bf16 +gemm batches +fp32 as bf16 +CPU +CPUs with AVX2");
  if (has_backend("openblas")) {
    has("openblas_dgemm_fp64 +all but trsm +fp32 fp16 bf16 as fp64 +CPU +sums in FP64");
    has("openblas_ssyrk +syrk batches +fp32 +CPU +triangle of C");
    has("openblas_ssyrk_widened +syrk batches +fp16 bf16 +CPU +inputs converted to FP32");
    has("openblas_sgemm_batch +batches +fp32 +CPU +a batch, product by product");
  }
  for (const std::string &line : lines_of(outcome.out)) CHECK(line.size() <= 120);
  const Json json = Json::parse(command({"info", "--kernels", "--json"}, kFourGpus).out);
  for (const Json &backend : json["backends"]) {
    if (backend["available"] == false) continue;
    REQUIRE(backend["kernel_table"].size() == backend["kernels"].size());
    for (size_t i = 0; i < backend["kernels"].size(); ++i) {
      const Json &row = backend["kernel_table"][i];
      CHECK(row["name"] == backend["kernels"][i]);
      const std::string name = row["name"];
      const auto ends = [&](const std::string &end) {
        return name.size() > end.size() && name.substr(name.size() - end.size()) == end;
      };
      const bool fp64 = name.rfind("cpu_", 0) == 0 && ends("_fp64") && !ends("_conv_fp64");
      CHECK(row["invariant"] == (fp64 || ends("_chain") || name == "cpu_scalar_direct_conv"));
    }
  }
}

TEST_CASE("run: the program may follow without --, with options like those of run") {
  const Folder folder;
  const std::string report = folder.file("report");
  const Environment preload = {{"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}};
  const auto prints = [&](Names arguments, const std::string &out) {
    const Outcome outcome = command(std::move(arguments), preload);
    INFO(outcome.description());
    CHECK(outcome.exit_status == 0);
    CHECK(outcome.out == out);
  };
  const std::string show = "for word; do printf '<%s>' \"$word\"; done";
  prints({"run", "/bin/sh", "-c", show, "sh", "--json", "-o", "[a,b]", "", "--", "{x}"},
         "<--json><-o><[a,b]><><--><{x}>");
  prints({"run", "--", "/bin/sh", "-c", show, "sh", "--", "--backend"}, "<--><--backend>");
  prints({"run", "--backend", "ref", "-o", report, "/bin/sh", "-c", show, "sh", "--json"}, "<--json>");
  prints({"run", "--backend=ref", "-o" + report, "--json", "/bin/echo", "-x"}, "-x\n");
  CHECK(Json::parse(read_text(report))["exit_status"] == 0);
  for (const Names &bad : {Names{"run"},
                           {"run", "--"},
                           {"run", "--json"},
                           {"run", "--jason", "/bin/true"},
                           {"run", "--backend"},
                           {"run", "-x", "--", "/bin/true"}}) {
    const Outcome outcome = command(bad, preload);
    INFO(outcome.description());
    CHECK(outcome.exit_status == 2);
    CHECK(outcome.err != "");
  }
}

TEST_CASE("bench: shapes as the tables write them") {
  const Outcome outcome =
      command({"bench", "--shape", "33x20x41+3", "--shape", "8x8x8", "--shape", "9,8,7", "--backend", "ref", "--peer",
               "none", "--transposes", "NN", "--reps", "1", "--min-time", "0"});
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK_THAT(outcome.out, Contains(" 33x20x41+3 ") && Contains(" 8x8x8 ") && Contains(" 9x8x7 "));
  for (const char *bad : {"8x8", "8x8x8x8x8", "8x8x8+", "x", "8,8x8,8", "8X8X8"}) {
    const Outcome refused = command({"bench", "--shape", bad});
    CHECK(refused.exit_status == 1);
    CHECK_THAT(refused.err, StartsWith("libsgemm bench: --shape " + std::string(bad) + ": "));
  }
}

TEST_CASE("without a GPU: calibrate --remove removes, and bench --host says what info says") {
  const Folder folder;
  Environment none = {{"LIBSGEMM_DEVICES", "none"}, {"XDG_CACHE_HOME", folder.path()}};
  none["LIBSGEMM_BACKEND_PATH"] = MOCK_FOLDER "/gpu";
  Environment gpu = none;
  gpu.erase("LIBSGEMM_DEVICES");
  const char *folders = std::getenv("LD_LIBRARY_PATH");  // keeps the OpenBLAS whose version is in the file's name
  gpu["LD_LIBRARY_PATH"] = std::string(MOCK_FOLDER "/cuda_stack:") + (folders != nullptr ? folders : "");
  const Outcome made = command({"calibrate", "--seconds", "0.1"}, gpu);
  INFO(made.description());
  REQUIRE(made.exit_status == 0);
  const size_t at = made.out.find("written to ") + 11;
  const std::string file = made.out.substr(at, made.out.find('\n', at) - at);
  CHECK(command({"calibrate", "--remove", "--backend", "hip"}, none).exit_status == 0);
  CHECK(read_text(file) != "");
  const Outcome removed = command({"calibrate", "--remove"}, none);
  INFO(removed.description());
  CHECK(removed.exit_status == 0);
  CHECK_THAT(removed.out, Contains(file + " is removed\n"));
  CHECK(command({"calibrate", "--show"}, gpu).exit_status == 1);
  CHECK(command({"calibrate", "--remove", "--backend", "ref"}, none).exit_status == 1);
  const std::string own = folder.write("own", "");
  CHECK(command({"calibrate", "--remove", "-o", own}, none).out == own + " is removed\n");

  const Json backends = Json::parse(command({"info", "--json"}, none).out)["backends"];
  const Outcome host = command({"bench", "--host", "pinned", "--shape", "8,8,8"}, none);
  CHECK(host.exit_status == 1);
  std::string reasons;
  for (const Json &backend : backends) {
    const std::string name = backend["name"];
    if (name == "cuda" || name == "hip") reasons += "; " + name + ": " + backend["reason"].get<std::string>();
  }
  CHECK(host.err == "libsgemm bench: no GPU: " + reasons.substr(2) + "\n");
}

TEST_CASE("completion knows every subcommand, every option and the words they take") {
  const auto candidates = [](Names words) {
    words.insert(words.begin(), "__complete");
    const Outcome outcome = command(words);
    CHECK(outcome.exit_status == 0);
    CHECK(outcome.err == "");
    const Names lines = lines_of(outcome.out);
    return std::set<std::string>(lines.begin(), lines.end());
  };
  const std::set<std::string> first = candidates({""});
  for (const std::string &subcommand : subcommands()) {
    INFO(subcommand);
    CHECK(first.count(subcommand) == 1);
    CHECK(candidates({subcommand, "-"}) == options_of(subcommand));
  }
  using Set = std::set<std::string>;
  CHECK(candidates({"be"}) == Set{"bench"});
  CHECK(candidates({"gemm", "--trans"}) == Set{"--transa", "--transb"});
  CHECK(candidates({"gemm", "--backend", "r"}) == Set{"ref"});
  CHECK(candidates({"bench", "--backend", "ref,open"}) == Set{"ref,openblas"});
  CHECK(candidates({"bench", "--backend", "=", "re"}) == Set{"ref"});
  CHECK(candidates({"bench", "--kernel", "cpu_scalar_1"}) == Set{"cpu_scalar_1x1x1_naive"});
  CHECK(candidates({"bench", "--routine", "ssyr"}) == Set{"ssyrk", "ssyr2k"});
  CHECK(candidates({"bench", "--side", ""}) == Set{"left", "right"});
  CHECK(candidates({"tune", "--uplo", "lower,u"}) == Set{"lower,upper"});
  CHECK(candidates({"probe", "--backend", "c"}) == Set{"cuda", "cpu"});
  CHECK(candidates({"probe", "--only", "fma,la"}) == Set{"fma,latency", "fma,launch"});
  CHECK(candidates({"bench", "--batch", ""}).empty());
  CHECK(candidates({"gemm", "a"}).empty());
  CHECK(candidates({"gemm", "-o", ""}).empty());
  CHECK(candidates({"run", ""}) == Set{":program"});
  CHECK(candidates({"run", "--json", "--", "py"}) == Set{":program"});
  CHECK(candidates({"run", "--backend", "re"}) == Set{"ref"});
  CHECK(candidates({"run", "python3", "-"}).empty());
  CHECK(candidates({"abacus", ""}).empty());
  CHECK(candidates({}).empty());
}

TEST_CASE("completion in bash itself") {
  const std::string script =
      "source \"$1\"; PATH=${2%/*}:$PATH; shift 2; COMP_WORDS=(\"$@\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
      "complete -p libsgemm >/dev/null && _libsgemm && echo \"${COMPREPLY[@]}\"";
  const auto replies = [&](const Names &words) {
    Names all = {"/bin/bash", "-c", script, "bash", BENCH_FOLDER "/libsgemm.bash", LIBSGEMM_COMMAND, "libsgemm"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_program(all, {});
    INFO(outcome.description());
    CHECK(outcome.exit_status == 0);
    return outcome.out;
  };
  CHECK(replies({"cal"}) == "calibrate\n");
  CHECK(replies({"gemm", "a.npy", "--ver"}) == "--verify\n");
  CHECK_THAT(replies({"run", "--backend", "ref", "tru"}), Contains("true"));
  CHECK(replies({"run", "python3", "--ver"}) == "\n");
}

namespace {

const std::string &manual() {
  static const std::string text = command({"__manual"}).out;
  return text;
}

// Only described options are bold.
std::set<std::string> long_options(const std::string &text) {
  std::set<std::string> names;
  const std::regex option("\\\\fB\\\\-\\\\-([a-z][a-z0-9]*(\\\\-[a-z0-9]+)*)");
  for (std::sregex_iterator match(text.begin(), text.end(), option), end; match != end; ++match) {
    names.insert("--" + std::regex_replace((*match)[1].str(), std::regex("\\\\-"), "-"));
  }
  return names;
}

}  // namespace

TEST_CASE("the manual page has every subcommand and exactly its options, and every variable") {
  REQUIRE(manual() != "");
  for (const std::string &subcommand : subcommands()) {
    INFO(subcommand);
    const size_t begin = manual().find("\n.SS \"libsgemm " + subcommand);
    REQUIRE(begin != std::string::npos);
    const size_t end = std::min(manual().find("\n.SS ", begin + 1), manual().find("\n.SH ", begin + 1));
    std::set<std::string> expected;
    for (const std::string &name : options_of(subcommand)) {
      if (name.rfind("--", 0) == 0 && name != "--help") expected.insert(name);
    }
    CHECK(long_options(manual().substr(begin, end - begin)) == expected);
  }
  for (const std::string &name : libsgemm::read_environment().names) {
    INFO(name);
    CHECK_THAT(manual(), Contains("\n.B " + name + "\n"));
  }
  const Folder folder;
  const std::string page = folder.write("libsgemm.1", manual());
  const Outcome lint = run_program({"/usr/bin/groff", "-man", "-Tutf8", "-ww", "-z", page}, {});
  if (lint.exit_status == 127) return;  // no groff
  INFO(lint.description());
  CHECK(lint.exit_status == 0);
  CHECK(lint.err == "");
}

}  // namespace sgemm_test
