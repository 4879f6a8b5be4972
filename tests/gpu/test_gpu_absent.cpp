#include <libsgemm.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "support/catch.h"
#include "support/process.h"

using namespace sgemm_test;

namespace {

Environment without_gpu(const Environment &added) {
  Environment environment = added;
  environment["CUDA_VISIBLE_DEVICES"] = "";
  environment["HIP_VISIBLE_DEVICES"] = "-1";
  environment["LIBSGEMM_OFFLOAD"] = "always";
  return environment;
}

Outcome probe(const Environment &environment, const std::vector<std::string> &arguments = {}) {
  Outcome outcome = run_probe(PROBE, arguments, without_gpu(environment));
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  CHECK(outcome.out == "");
  return outcome;
}

bool on_cpu(const std::string &backend) { return backend == "openblas" || backend == "ref"; }

void check_fallback(const std::string &backend, const std::string &reason, Environment environment = {}) {
  INFO(backend);
  Outcome automatic = probe(environment);
  CHECK(automatic.report["correct"] == "1");
  CHECK(on_cpu(automatic.report["backend"]));
  CHECK(automatic.err == "");  // not requested, so silent

  environment["LIBSGEMM_BACKEND"] = backend;
  Outcome asked = probe(environment);
  CHECK(asked.report["correct"] == "1");
  CHECK(on_cpu(asked.report["backend"]));
  CHECK_THAT(asked.err, Contains(backend) && Contains(reason));
  CHECK_THAT(asked.report["reason"], Contains(backend) && Contains(reason));

  environment["LIBSGEMM_STRICT"] = "1";
  Outcome strict = probe(environment);
  CHECK(strict.report["status"] == std::to_string(LIBSGEMM_UNAVAILABLE));
  CHECK_THAT(strict.report["message"], Contains(reason));
  CHECK(strict.report["untouched"] == "1");

#ifdef LIBSGEMM_COMMAND
  environment.erase("LIBSGEMM_STRICT");
  environment.erase("LIBSGEMM_BACKEND");
  const Outcome info = run_program({LIBSGEMM_COMMAND, "info"}, without_gpu(environment));
  INFO(info.description());
  CHECK(info.exit_status == 0);
  // Joins the lines that `info` breaks.
  const std::string out = std::regex_replace(info.out, std::regex("\n {12}"), " ");
  const size_t line = out.find("  " + backend + std::string(10 - backend.size(), ' ') + "not available: ");
  REQUIRE(line != std::string::npos);
  CHECK_THAT(out.substr(line, out.find('\n', line) - line), Contains(reason));
#endif
}

}  // namespace

TEST_CASE("no device to be seen leaves the CPU") {
  const Outcome described = probe({}, {"--mode", "describe"});
  for (const std::string backend : {"cuda", "hip"}) {
    const std::string reason = described.report.at(backend + ".reason");
    REQUIRE(reason != "");
    check_fallback(backend, reason.substr(0, reason.find(':')));
  }
}

#ifdef HIP_PLUGIN

TEST_CASE("the HIP runtime without a GPU: what it lacks is told in words") {
  const Outcome described = probe({}, {"--mode", "describe"});
  const std::string reason = described.report.at("hip.reason");
  if (reason.find("lacks its runtime") != std::string::npos) {
    WARN("SKIPPED: " << reason);
    return;
  }
  CHECK_THAT(reason, Contains("there is no driver of an AMD GPU") || Contains("the HIP runtime shows no device"));
  check_fallback("hip", reason.substr(0, reason.find(':')));
}

// Writes a copy of the plugin that needs another library than libamdhip64.so, with a name of equal length. Returns the
// name of that library with its version.
std::string plugin_of_another_runtime(const std::string &folder) {
  std::string plugin = read_text(HIP_PLUGIN), name;
  const std::string needed = "libamdhip64.so", other = "libabsent64.so";
  for (size_t at = plugin.find(needed); at != std::string::npos; at = plugin.find(needed, at)) {
    plugin.replace(at, needed.size(), other);
    name = plugin.c_str() + at;
  }
  REQUIRE(name != "");
  std::ofstream(folder + "/libsgemm_hip.so", std::ios::binary) << plugin;
  return name;
}

TEST_CASE("no ROCm at all: the plugin lacks its runtime") {
  const TemporaryDirectory folder;
  plugin_of_another_runtime(folder.path());
  check_fallback("hip", folder.path() + "/libsgemm_hip.so lacks its runtime: libabsent64.so",
                 {{"LIBSGEMM_BACKEND_PATH", folder.path()}});
}

TEST_CASE("a runtime that is there and cannot be loaded is not said to be missing") {
  const TemporaryDirectory folder;
  const std::string runtime = folder.path() + "/" + plugin_of_another_runtime(folder.path());
  std::ofstream(runtime) << std::string(4096, 'x');
  check_fallback("hip", folder.path() + "/libsgemm_hip.so cannot be loaded: " + runtime,
                 {{"LIBSGEMM_BACKEND_PATH", folder.path()}, {"LD_LIBRARY_PATH", folder.path()}});
}

#endif
