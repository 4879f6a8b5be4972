#include "support/catch.h"
#include "support/process.h"

using namespace sgemm_test;

namespace {

Outcome run_mode(const std::string &mode, const std::string &backend, int size, bool preloaded,
                 Environment environment = {}, std::vector<std::string> more = {}) {
  environment["LIBSGEMM_BACKEND"] = backend;
  if (preloaded) environment["LD_PRELOAD"] = LIBSGEMM_BLAS_FILE;
  std::vector<std::string> arguments = {
      "--mode", mode, "--size", std::to_string(size), "--calls", preloaded ? "cblas" : "native"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Outcome outcome = run_probe(PROBE_END, arguments, environment);
  INFO(mode << ", " << backend << ", size " << size << (preloaded ? ", preloaded: " : ", linked: ")
            << outcome.description());
  CHECK_FALSE(outcome.timed_out);
  CHECK(outcome.signal == 0);
  CHECK(outcome.exit_status == 0);
  CHECK(outcome.out == "");
  return outcome;
}

void expect(const std::string &mode, int size, const Environment &lines, const Environment &environment = {}) {
  for (const std::string backend : {"openblas", "ref"}) {
#if defined(__SANITIZE_ADDRESS__)
    const std::vector<bool> forms = {false};  // AddressSanitizer's runtime must be the first library
#else
    const std::vector<bool> forms = {false, true};
#endif
    for (const bool preloaded : forms) {
      Outcome outcome = run_mode(mode, backend, size, preloaded, environment);
      INFO(mode << ", " << backend << (preloaded ? ", preloaded" : ", linked") << outcome.description());
      for (const auto &line : lines) CHECK(outcome.report[line.first] == line.second);
    }
  }
}

}  // namespace

TEST_CASE("a static pool may be joined at exit while its threads call") {
  for (const int size : {20, 200}) expect("pool", size, {{"first", "1"}, {"joined", "right"}});
}

// A child inherits AddressSanitizer's allocator locks, and waits forever if another thread has one.
#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("a process that ends may be forked by any thread") {
  expect("pool-fork", 30, {{"joined", "right"}, {"children", "right"}, {"last_child", "1"}});
}
#endif

// Threaded OpenBLAS hangs in the next two tests without this library, too.
TEST_CASE("exit in a signal handler during a call") {
  expect("signal-exit", 500, {{"last", "1"}}, {{"OPENBLAS_NUM_THREADS", "1"}});
}

TEST_CASE("fork in a signal handler during a call") {
  expect("signal-fork", 500, {{"child", "1"}, {"calls", "right"}}, {{"OPENBLAS_NUM_THREADS", "1"}});
}

TEST_CASE("fork while threads make handles and plans") {
  expect("handles-fork", 20, {{"children", "300"}, {"parent", "right"}});
}

TEST_CASE("calls from handlers of fork") {
  expect("fork-handlers", 20, {{"first", "1"}, {"at_fork", "1"}, {"child", "1"}});
}

TEST_CASE("when the process is ending, ref computes and no plugin is entered") {
  const std::string unavailable = "4", message = "the process is ending";
  for (const bool strict : {false, true}) {
    for (const std::string backend : {"openblas", "cuda"}) {
      Environment environment = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"}, {"LIBSGEMM_OFFLOAD", "always"}};
      if (strict) environment["LIBSGEMM_STRICT"] = "1";
      const bool gpu = backend == "cuda";
      std::vector<std::string> more;
      if (gpu) more = {"--plugin", MOCK_FOLDER "/gpu/libsgemm_cuda.so"};
      Outcome outcome = run_mode("late", backend, 40, false, environment, more);
      INFO(backend << (strict ? ", strict" : "") << outcome.description());
      auto &lines = outcome.report;
      REQUIRE(lines["first"] == "1");
      CHECK(lines["late"] == (strict ? unavailable : "0"));
      CHECK(lines["late_backend"] == (strict ? "none" : "ref"));
      CHECK((lines["late_message"].find(message) != std::string::npos) == strict);
      CHECK(lines["late_right"] == (strict ? "0" : "1"));
      if (strict) CHECK(lines["late_untouched"] == "1");
      CHECK(lines["late_device"] == unavailable);
      CHECK(lines["late_scale"] == unavailable);
      CHECK(lines["late_device_message"].find(message) != std::string::npos);
      CHECK(lines["late_synchronize"] == (gpu ? unavailable : "0"));
      CHECK(lines["late_set_stream"] == "0");
      CHECK(lines["late_set_workspace"] == (gpu ? unavailable : "0"));
      CHECK(lines["late_set_mode"] == "0");
      CHECK(lines["late_plan"] == unavailable);
      CHECK(lines["late_destroy"] == "0");
      CHECK(lines["late_create"] == "0");
      CHECK(lines["late_describe_" + backend] == unavailable);
      CHECK(lines["late_describe_ref"] == "0");
      CHECK(lines["late_release"] == unavailable);
      CHECK(lines["late_gpu"] == "0");
      CHECK(lines["late_bytes"] == "0");
    }
  }
}
