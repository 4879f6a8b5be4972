// The host code of backends/hip without a GPU: which devices it takes, what it says about the others, and what a call
// does when any of the runtime's functions fails. Each in a process of its own.
#include <libsgemm.h>

#include "catch.h"
#include "process.h"

using namespace sgemm_test;

namespace {

Outcome probe(Environment environment, const std::vector<std::string> &arguments = {}) {
  environment.insert({"LIBSGEMM_BACKEND_PATH", HIP_HOST});
  environment.insert({"LIBSGEMM_OFFLOAD", "always"});
  environment.insert({"LIBSGEMM_BACKEND", "hip"});
  Outcome outcome = run_probe(PROBE, arguments, environment);
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  CHECK(outcome.out == "");
  return outcome;
}

// What is said of the backend.
Outcome describe(const Environment &environment) { return probe(environment, {"--mode", "describe"}); }

void check_runs(const Environment &environment) {
  Outcome outcome = probe(environment);
  INFO(outcome.description());
  CHECK(outcome.report["backend"] == "hip");
  CHECK(outcome.report["correct"] == "1");
}

// A fault on the way of a call: another backend's right answer, or an error with C as it was. Whether it was met.
bool check_fault(const Environment &fault) {
  Outcome outcome = probe(fault);
  INFO(outcome.description());
  CHECK(outcome.report["status"] == "0");
  CHECK(outcome.report["correct"] == "1");
  const bool met = outcome.report["backend"] != "hip";
  if (met) {
    CHECK_THAT(outcome.report["reason"], Contains("hip"));
    CHECK_THAT(outcome.err, Contains("hip"));
  }
  Environment strict = fault;
  strict["LIBSGEMM_STRICT"] = "1";
  Outcome error = probe(strict);
  INFO(error.description());
  CHECK((error.report["status"] != "0") == met);
  CHECK(error.report[met ? "untouched" : "correct"] == "1");
  return met;
}

}  // namespace

TEST_CASE("a device is known by its architecture without features") {
  check_runs({});
  CHECK(describe({}).report.at("hip.available") == "1");
}

TEST_CASE("a device without code is left out, and the chip and the architectures built are named") {
  const std::string words = "this build holds no code for device 1, gfx1035 (Mock 1): only for gfx906 gfx1030";
  const Environment both = {{"MOCK_HIP_DEVICES", "gfx906:sramecc+:xnack-,gfx1035"}};
  check_runs(both);
  CHECK_THAT(describe(both).report.at("hip.version"), Contains("no code for device 1, gfx1035 (Mock 1)"));

  const Environment none = {{"MOCK_HIP_DEVICES", "gfx1100,gfx1035"}};
  const Outcome described = describe(none);
  CHECK(described.report.at("hip.available") == "0");
  CHECK_THAT(described.report.at("hip.reason"), Contains(words));
  CHECK(check_fault(none));
}

TEST_CASE("LIBSGEMM_DEVICES picks devices by HIP's numbers") {
  const std::string devices = "gfx906:xnack-,gfx1030,gfx1035";
  check_runs({{"MOCK_HIP_DEVICES", devices}, {"LIBSGEMM_DEVICES", "1"}});
  check_runs({{"MOCK_HIP_DEVICES", devices}, {"LIBSGEMM_DEVICES", "1,0"}});
  const Environment left_out = {{"MOCK_HIP_DEVICES", devices}, {"LIBSGEMM_DEVICES", "2"}};
  CHECK_THAT(describe(left_out).report.at("hip.reason"), Contains("gfx1035"));
  const Environment absent = {{"MOCK_HIP_DEVICES", devices}, {"LIBSGEMM_DEVICES", "3"}};
  CHECK_THAT(describe(absent).report.at("hip.reason"), Contains("names device 3, and there are 3"));
  CHECK(check_fault(absent));
}

TEST_CASE("no device, or a runtime of another major version") {
  CHECK_THAT(describe({{"MOCK_HIP_DEVICES", ""}}).report.at("hip.reason"),
             Contains("the HIP runtime shows no device: hipErrorNoDevice"));
  CHECK_THAT(describe({{"MOCK_HIP_VERSION", "40300000"}}).report.at("hip.reason"),
             Contains("the HIP runtime is of version 4.3, and this build needs"));
}

TEST_CASE("every call of the runtime may fail") {
  const std::string calls[] = {"hipRuntimeGetVersion",
                               "hipGetDeviceCount",
                               "hipGetDevice",
                               "hipSetDevice",
                               "hipGetDeviceProperties",
                               "hipDeviceGetAttribute",
                               "hipMemGetInfo",
                               "hipMalloc",
                               "hipFree",
                               "hipHostMalloc",
                               "hipHostFree",
                               "hipMemcpyAsync",
                               "hipMemcpy2DAsync",
                               "hipStreamCreateWithFlags",
                               "hipStreamDestroy",
                               "hipStreamSynchronize",
                               "hipStreamWaitEvent",
                               "hipStreamIsCapturing",
                               "hipEventCreateWithFlags",
                               "hipEventDestroy",
                               "hipEventRecord",
                               "hipThreadExchangeStreamCaptureMode",
                               "hipLaunchKernel"};
  for (const std::string &call : calls) {
    for (int nth = 1; nth <= 4; ++nth) {
      INFO(call << ":" << nth);
      const bool met = check_fault({{"MOCK_HIP_FAIL", call + ":" + std::to_string(nth)}});
      const bool always = call == "hipMalloc" || call == "hipMemcpyAsync" || call == "hipLaunchKernel" ||
                          call == "hipStreamSynchronize" || call == "hipGetDeviceCount";
      if (always && nth == 1) CHECK(met);
    }
  }
}

TEST_CASE("faults by LIBSGEMM_TEST_HIP_FAULT") {
  for (const std::string fault : {"allocate:1", "allocate:2", "allocate:3", "copy:1", "copy:2", "copy:3", "copy:4",
                                  "launch:1", "synchronize:1", "lost:1"}) {
    INFO(fault);
    CHECK(check_fault({{"LIBSGEMM_TEST_HIP_FAULT", fault}}));
  }
  CHECK_THAT(describe({{"LIBSGEMM_TEST_HIP_FAULT", "launch"}}).report.at("hip.reason"),
             Contains("LIBSGEMM_TEST_HIP_FAULT=launch is not valid"));
}
