#include <filesystem>
#include <fstream>

#include "support/catch.h"
#include "support/process.h"

using namespace sgemm_test;

namespace {

const char *const kCpuBackends[] = {"openblas", "ref"};

void check_clean(const Outcome &outcome) {
  INFO(outcome.description());
  CHECK_FALSE(outcome.timed_out);
  CHECK(outcome.signal == 0);
  REQUIRE(outcome.exit_status == 0);
  CHECK(outcome.out == "");
}

void expect(const std::string &probe, std::vector<std::string> arguments, const Environment &lines,
            Environment environment = {}) {
  for (const std::string backend : kCpuBackends) {
    for (const std::string size : {"20", "150"}) {
      std::vector<std::string> all = arguments;
      all.insert(all.end(), {"--size", size});
      environment["LIBSGEMM_BACKEND"] = backend;
      Outcome outcome = run_probe(probe, all, environment);
      INFO(backend << " size " << size);
      check_clean(outcome);
      INFO(outcome.description());
      for (const auto &line : lines) CHECK(outcome.report[line.first] == line.second);
    }
  }
}

}  // namespace

TEST_CASE("sixteen threads may make the first call at once") {
  for (int repeat = 0; repeat < 5; ++repeat) {
    expect(PROBE, {"--mode", "first-use"}, {{"sound", "16"}, {"status", "0"}, {"correct", "1"}});
  }
}

TEST_CASE("three hundred threads may call at once, for which OpenBLAS has not the buffers") {
  expect(PROBE, {"--mode", "crowd"}, {{"sound", "1800"}, {"status", "0"}, {"correct", "1"}});
}

#ifndef LIBSGEMM_TEST_SANITIZED  // sanitizers need unlimited address space
TEST_CASE("calls end, and the process goes on, where the address space is limited") {
  for (const std::string before : {"none", "small", "large"}) {
    for (const std::string extra : {"1000", "20000", "60000", "100000", "150000", "200000", "300000", "400000"}) {
      INFO("after a call " << before << ", " << extra << " KiB");
      expect(PROBE, {"--mode", "limited", "--before", before, "--extra", extra}, {{"child", "0"}});
    }
  }
  for (const std::string limit : {"60000", "100000", "200000", "300000", "400000", "600000"}) {
    INFO("ulimit -v " << limit);
    const Outcome outcome =
        run_probe_by({"/bin/sh", "-c", "ulimit -v \"$0\" && exec \"$@\"", limit, PROBE}, {"--size", "150"}, {});
    check_clean(outcome);
    CHECK(outcome.report.at("correct") == "1");
  }
}
#endif

TEST_CASE("threads of OpenBLAS sleep soon after a call, unless the program says how long they spin") {
  const auto rest = [](const std::string &timeout) {
    Environment environment = {{"LIBSGEMM_BACKEND", "openblas"}, {"OPENBLAS_NUM_THREADS", "2"}};
    if (!timeout.empty()) environment["OPENBLAS_THREAD_TIMEOUT"] = timeout;
    Outcome outcome = run_probe(PROBE, {"--mode", "rest", "--size", "300"}, environment);
    INFO(outcome.description());
    check_clean(outcome);
    CHECK(outcome.report["correct"] == "1");
    CHECK(outcome.report["timeout"] == timeout);
    return std::stoi(outcome.report["busy"]);
  };
  CHECK(rest("") < 15);  // spinning threads use up to 100 ms on an idle machine
  rest("30");            // any result is right
}

TEST_CASE("fork before the first use: parent and child both work") {
  expect(PROBE, {"--mode", "fork-before"}, {{"child", "1"}, {"status", "0"}, {"correct", "1"}});
}

TEST_CASE("fork after use: the child works or gets a clear error, the parent works on") {
  expect(PROBE, {"--mode", "fork-after"},
         {{"first", "1"}, {"child", "1"}, {"child_again", "1"}, {"status", "0"}, {"correct", "1"}});
}

TEST_CASE("fork while other threads call") {
  Environment environment;
#if defined(__SANITIZE_ADDRESS__)
  // In a forked child GCC 12's AddressSanitizer keeps other threads' allocator locks. OpenBLAS's new threads would wait
  // for them forever.
  environment["OPENBLAS_NUM_THREADS"] = "1";
#endif
  expect(PROBE, {"--mode", "fork-while"}, {{"children", "20"}, {"parent", "1"}}, environment);
}

TEST_CASE("the process may end while threads call") {
  for (int repeat = 0; repeat < 5; ++repeat) expect(PROBE, {"--mode", "exit-while"}, {{"exiting", "1"}});
}

#ifdef SLOW_BLAS
TEST_CASE("the process may end while the first call loads its BLAS") {
  for (int repeat = 0; repeat < 12; ++repeat) {
    check_clean(run_probe(PROBE, {"--mode", "exit-while", "--size", "150"},
                          {{"LIBSGEMM_BACKEND", "openblas"}, {"LIBSGEMM_CPU_BLAS", SLOW_BLAS}}));
  }
}
#endif

TEST_CASE("calls from exit handlers") {
  expect(PROBE, {"--mode", "at-exit"}, {{"first", "1"}, {"at_exit", "1"}});
  expect(PROBE, {"--mode", "at-exit-first"}, {{"at_exit", "1"}});
  // With LIBSGEMM_DETERMINISTIC `ref` may not compute during exit: bits could differ.
  const Outcome outcome =
      run_probe(PROBE, {"--mode", "at-exit"}, {{"LIBSGEMM_DETERMINISTIC", "1"}, {"LIBSGEMM_VERBOSE", "2"}});
  CHECK_THAT(outcome.err, Contains("the process is ending; no other backend is tried"));
}

TEST_CASE("the library may be opened, used and closed again and again") {
  expect(PROBE_DLOPEN, {"--mode", "reopen", "--library", LIBSGEMM_FILE},
         {{"call0", "1"}, {"close0", "0"}, {"call1", "1"}, {"close1", "0"}, {"call2", "1"}, {"close2", "0"}});
}

TEST_CASE("the library may be opened and closed unused") {
  for (const std::string library : {LIBSGEMM_FILE, LIBSGEMM_BLAS_FILE}) {
    const Outcome outcome = run_probe(PROBE_DLOPEN, {"--mode", "unused", "--library", library}, {});
    check_clean(outcome);
  }
}

TEST_CASE(
    "plugins are looked for beside the library, wherever the program has gone since it was loaded by a relative path") {
  const TemporaryDirectory start, elsewhere;
  namespace fs = std::filesystem;
  fs::create_symlink(fs::path(LIBSGEMM_FILE).parent_path(), start.path() + "/lib");
  // In the other folder the relative path leads to foreign files, whose opening would be reported.
  fs::create_directories(elsewhere.path() + "/lib/libsgemm");
  const std::string name = "lib/" + fs::path(LIBSGEMM_FILE).filename().string();
  for (const std::string &file : {"/" + name, std::string("/lib/libsgemm/libsgemm_openblas.so")}) {
    std::ofstream(elsewhere.path() + file) << "foreign";
  }
  Outcome outcome = run_probe_by({"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", start.path(), PROBE_DLOPEN},
                                 {"--mode", "describe", "--library", "./" + name, "--folder", elsewhere.path()}, {});
  INFO(outcome.description());
  check_clean(outcome);
  CHECK(outcome.report["correct"] == "1");
  const std::string folder = fs::canonical(LIBSGEMM_FILE).parent_path().string() + "/libsgemm";
  const bool loaded = outcome.report["openblas.path"] == folder + "/libsgemm_openblas.so";
  CHECK((loaded || outcome.report["openblas.reason"].find(folder) != std::string::npos));
}

TEST_CASE("a thread that made calls may end after the library was closed") {
  expect(PROBE_DLOPEN, {"--mode", "close-before-thread-ends", "--library", LIBSGEMM_FILE},
         {{"call", "1"}, {"close", "0"}, {"joined", "1"}});
}

TEST_CASE("the library and its drop-in may be opened and closed in any order") {
  for (const std::string mode : {"two-forward", "two-backward", "two-open"}) {
    for (const bool drop_in_first : {false, true}) {
      const std::string first = drop_in_first ? LIBSGEMM_BLAS_FILE : LIBSGEMM_FILE;
      const std::string second = drop_in_first ? LIBSGEMM_FILE : LIBSGEMM_BLAS_FILE;
      INFO(mode << " " << first);
      Environment lines = {{"call", "1"}};
      if (mode != "two-open") lines["close"] = "0";
      expect(PROBE_DLOPEN, {"--mode", mode, "--library", first, "--second", second, "--main", LIBSGEMM_FILE}, lines);
    }
  }
}
