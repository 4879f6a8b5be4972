// Host code of backends/hip without a GPU. Each case has its own process.
#include <libsgemm.h>

#include <filesystem>

#include "support/catch.h"
#include "support/process.h"

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

Outcome describe(const Environment &environment) { return probe(environment, {"--mode", "describe"}); }

void check_runs(const Environment &environment) {
  Outcome outcome = probe(environment);
  INFO(outcome.description());
  CHECK(outcome.report["backend"] == "hip");
  CHECK(outcome.report["correct"] == "1");
}

// A fault must lead to another backend's right answer (then true), or with LIBSGEMM_STRICT to an error with C
// unchanged.
bool check_fault(const Environment &fault) {
  const std::vector<std::string> arguments = {"--size", "20"};
  Outcome outcome = probe(fault, arguments);
  INFO(outcome.description());
  CHECK(outcome.report["status"] == "0");
  CHECK(outcome.report["correct"] == "1");
  const bool replaced = outcome.report["backend"] != "hip";
  if (replaced) {
    CHECK_THAT(outcome.report["reason"], Contains("hip"));
    CHECK_THAT(outcome.err, Contains("hip"));
  }
  Environment strict = fault;
  strict["LIBSGEMM_STRICT"] = "1";
  Outcome error = probe(strict, arguments);
  INFO(error.description());
  CHECK((error.report["status"] != "0") == replaced);
  CHECK(error.report[replaced ? "untouched" : "correct"] == "1");
  return replaced;
}

// Each call must change the current device to the second of two, and restore it.
Environment second_device() { return {{"MOCK_HIP_DEVICES", "gfx906:xnack-,gfx1030"}, {"LIBSGEMM_DEVICES", "1"}}; }

// `needed`: its first failure fails the library's call.
struct RuntimeCall {
  const char *name;
  bool needed;
};

constexpr RuntimeCall kCallsOfEntries[] = {{"hipRuntimeGetVersion", false},
                                           {"hipGetDeviceCount", true},
                                           {"hipGetDevice", true},
                                           {"hipSetDevice", true},
                                           {"hipGetDeviceProperties", true},
                                           {"hipDeviceGetAttribute", false},
                                           {"hipMemGetInfo", true},
                                           {"hipMalloc", true},
                                           {"hipFree", false},
                                           {"hipHostMalloc", true},
                                           {"hipHostFree", false},
                                           {"hipHostRegister", true},
                                           {"hipHostGetDevicePointer", true},
                                           {"hipPointerGetAttributes", false},
                                           {"hipMemcpyAsync", true},
                                           {"hipMemsetAsync", true},
                                           {"hipMemcpy2DAsync", true},
                                           {"hipStreamCreateWithFlags", true},
                                           {"hipStreamDestroy", false},
                                           {"hipStreamSynchronize", true},
                                           {"hipStreamWaitEvent", true},
                                           {"hipStreamIsCapturing", false},
                                           {"hipStreamGetCaptureInfo", false},
                                           {"hipEventCreateWithFlags", true},
                                           {"hipEventDestroy", false},
                                           {"hipEventRecord", true},
                                           {"hipEventQuery", true},
                                           {"hipThreadExchangeStreamCaptureMode", false},
                                           {"hipFuncGetAttributes", true},
                                           {"hipLaunchKernel", true}};

constexpr RuntimeCall kCallsOfProduct[] = {{"hipRuntimeGetVersion", false},
                                           {"hipGetDeviceCount", true},
                                           {"hipGetDevice", true},
                                           {"hipSetDevice", true},
                                           {"hipGetDeviceProperties", true},
                                           {"hipDeviceGetAttribute", false},
                                           {"hipMemGetInfo", true},
                                           {"hipMalloc", false},      // tried again
                                           {"hipHostMalloc", false},  // fewer bytes suffice
                                           {"hipMemcpyAsync", true},
                                           {"hipStreamCreateWithFlags", true},
                                           {"hipStreamWaitEvent", true},
                                           {"hipEventCreateWithFlags", true},
                                           {"hipEventRecord", true},
                                           {"hipEventQuery", true},
                                           {"hipThreadExchangeStreamCaptureMode", false},
                                           {"hipLaunchKernel", true}};

}  // namespace

TEST_CASE("a device is known by its architecture without features") {
  check_runs({});
  CHECK(describe({}).report.at("hip.available") == "1");
}

TEST_CASE("a device without code is left out, and the chip and the architectures built are named") {
  const std::string words =
      "this build holds no code for device 1, gfx1035 (Mock 1): only for gfx906 gfx1030 gfx12-generic";
  const Environment both = {{"MOCK_HIP_DEVICES", "gfx906:sramecc+:xnack-,gfx1035"}};
  check_runs(both);
  CHECK_THAT(describe(both).report.at("hip.version"), Contains("no code for device 1, gfx1035 (Mock 1)"));

  const Environment none = {{"MOCK_HIP_DEVICES", "gfx1100,gfx1035"}};
  const Outcome described = describe(none);
  CHECK(described.report.at("hip.available") == "0");
  CHECK_THAT(described.report.at("hip.reason"), Contains(words));
  CHECK(check_fault(none));
}

TEST_CASE("code for a family runs on a chip of it, and on no other") {
  check_runs({{"MOCK_HIP_DEVICES", "gfx1201"}});
  CHECK(describe({{"MOCK_HIP_DEVICES", "gfx1250"}}).report.at("hip.available") == "0");
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

TEST_CASE("every call of the runtime that a product makes may fail") {
  const TemporaryDirectory folder;
  for (const RuntimeCall &call : kCallsOfProduct) {
    for (int nth = 1; nth <= 4; ++nth) {
      Environment fault = second_device();
      fault["MOCK_HIP_FAIL"] = std::string(call.name) + ":" + std::to_string(nth);
      fault["MOCK_HIP_MET"] = folder.path() + "/" + fault["MOCK_HIP_FAIL"];
      INFO(fault["MOCK_HIP_FAIL"]);
      const bool replaced = check_fault(fault);
      const bool met = std::filesystem::exists(fault["MOCK_HIP_MET"]);
      if (nth == 1) {
        CHECK(met);
        CHECK(replaced == call.needed);
      } else if (!met) {
        CHECK_FALSE(replaced);
      }
    }
  }
}

TEST_CASE("every call of the runtime that an entry of the table makes may fail") {
  const auto run = [](const Environment &fault) {
    Environment environment = fault;
    environment["MOCK_HIP_DEVICES"] = "gfx906:xnack-,gfx1030";
    Outcome outcome = run_program({ENTRIES, HIP_HOST "/libsgemm_hip.so", "1"}, environment);
    INFO(outcome.description());
    CHECK(outcome.exit_status == 0);
    return outcome;
  };
  const Outcome sound = run({});
  CHECK(sound.out == "");
  CHECK_THAT(sound.err, Contains("1 device(s)"));

  const TemporaryDirectory folder;
  for (const RuntimeCall &call : kCallsOfEntries) {
    for (int nth = 1; nth <= 4; ++nth) {
      Environment fault;
      fault["MOCK_HIP_FAIL"] = std::string(call.name) + ":" + std::to_string(nth);
      fault["MOCK_HIP_MET"] = folder.path() + "/" + fault["MOCK_HIP_FAIL"];
      INFO(fault["MOCK_HIP_FAIL"]);
      const Outcome outcome = run(fault);
      INFO(outcome.description());
      const bool met = std::filesystem::exists(fault["MOCK_HIP_MET"]);
      if (nth == 1) {
        CHECK(met);
        CHECK((outcome.out != "") == call.needed);
      } else if (!met) {
        CHECK(outcome.out == "");
      }
    }
  }
}

// The first device is current. HIP reports streams' devices from 5.6 on.
TEST_CASE("the device of a default stream is the current one, or one that is left out") {
  for (const std::string permitted : {"0", "1"}) {
    const Outcome outcome =
        run_program({ENTRIES, HIP_HOST "/libsgemm_hip.so", permitted}, {{"MOCK_HIP_DEVICES", "gfx906:xnack-,gfx1030"}});
    INFO(outcome.description());
    CHECK_THAT(outcome.err, Contains(permitted == "0" ? "by default, 0\n" : "by default, -1\n"));
  }
}

// If the stream's device is unknown or not the backend's, nothing is known about the current device.
TEST_CASE("a failed wait for the caller's stream does not make the current device a lost one") {
  const Environment fault = {{"MOCK_HIP_DEVICES", "gfx906:xnack-,gfx1030"},
                             {"MOCK_HIP_STREAM_DEVICE", "1"},
                             {"LIBSGEMM_TEST_HIP_FAULT", "lost:4"}};
  const Outcome outcome = run_program({ENTRIES, HIP_HOST "/libsgemm_hip.so", "0"}, fault);
  INFO(outcome.description());
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.out == "synchronize a stream of the caller's: " + std::to_string(LIBSGEMM_EXECUTION_FAILED) +
                           " waiting for the device: an illegal address\n");
}

TEST_CASE("faults by LIBSGEMM_TEST_HIP_FAULT") {
  for (const std::string fault : {"copy:1", "copy:2", "copy:3", "copy:4", "launch:1", "synchronize:1", "lost:1"}) {
    INFO(fault);
    Environment environment = second_device();
    environment["LIBSGEMM_TEST_HIP_FAULT"] = fault;
    CHECK(check_fault(environment));
  }
  Environment once = second_device();
  once["LIBSGEMM_TEST_HIP_FAULT"] = "allocate:1";
  CHECK_FALSE(check_fault(once));  // retried
  CHECK_THAT(describe({{"LIBSGEMM_TEST_HIP_FAULT", "launch"}}).report.at("hip.reason"),
             Contains("LIBSGEMM_TEST_HIP_FAULT=launch is not valid"));
}

TEST_CASE("a plugin that is in use injects no faults") {
  Environment environment = second_device();
  environment["LIBSGEMM_BACKEND_PATH"] = HIP_HOST_IN_USE;
  for (const std::string fault : {"copy:1+", "flip:1+", "launch"}) {
    environment["LIBSGEMM_TEST_HIP_FAULT"] = fault;
    check_runs(environment);
  }
}
