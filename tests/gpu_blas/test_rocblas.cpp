// libsgemm_rocblas.so under rocblas_client.cpp, like test_cublas.cpp, which also tests the code that both drop-ins
// share.
#include "command/run_report.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

Run mock_run(const std::vector<std::string> &steps, Environment environment = {}) {
  environment.insert({"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/second_gpu"});
  environment.insert({"LD_LIBRARY_PATH", MOCK_FOLDER "/hip_stack"});
  environment.insert({"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"});
  std::vector<std::string> program = {CLIENT};
  program.insert(program.end(), steps.begin(), steps.end());
  return Run(program, environment);
}

void check_calls(const Run &run, const std::string &entry, int each, const std::string &backend = "hip",
                 const std::string &why = "") {
  INFO(entry);
  CHECK(run.calls("rocblas_" + entry, backend, why) == each);
  CHECK(run.calls("rocblas_" + entry + "_64", backend, why) == each);
}

}  // namespace

TEST_CASE("rocblas: a program linked with it, and a module with a rocBLAS of its own") {
  const Environment environment = {{"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/second_gpu"},
                                   {"LD_LIBRARY_PATH", MOCK_FOLDER "/hip_stack"},
                                   {"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"}};
  for (const std::vector<std::string> &program :
       {std::vector<std::string>{CLIENT}, std::vector<std::string>{GPU_BLAS_LOADER, CLIENT_MODULE}}) {
    std::vector<std::string> steps = program;
    steps.insert(steps.end(), {"sgemm", "workspace", "workspace-kept"});
    const Run taken(steps, environment);
    CHECK(taken.calls("rocblas_sgemm", "hip") == 6);
    CHECK(taken.calls("rocblas_sgemm", "rocblas") == 0);
    CHECK(taken.outcome.err == "");
  }
}

TEST_CASE("rocblas: every function passes on its arguments as they came") {
  const Run run = mock_run({"forward"});
  int entries = 0;
  for (const nlohmann::json &process : run.json["processes"]) {
    for (const nlohmann::json &row : process["calls"]) {
      INFO(row.dump());
      CHECK(row["backend"] == "rocblas");
      CHECK(row["calls"] == 3);
      ++entries;
    }
  }
  CHECK(entries >= 2 * 27);
}

TEST_CASE("rocblas: products and their batches") {
  const Run run = mock_run({"products"});
  for (const char *const entry :
       {"sgemm", "sgemm_strided_batched", "sgemm_batched", "gemm_strided_batched_ex", "gemm_batched_ex"}) {
    check_calls(run, entry, 9);
    check_calls(run, entry, 0, "rocblas");
  }
  check_calls(run, "gemm_ex", 18);
}

TEST_CASE("rocblas: symmetric and triangular matrices") {
  const Run run = mock_run({"level3"}, {{"MOCK_SYRK", "1"}});
  for (const char *const entry : {"ssyrk", "ssyrk_strided_batched", "ssyr2k", "ssyrkx", "ssymm"}) {
    check_calls(run, entry, 4);
    check_calls(run, entry, 0, "rocblas");
  }
  check_calls(run, "sgemmt", 8);
  check_calls(run, "strmm", 32);
  check_calls(run, "strsm", 16);
  check_calls(run, "strmm_strided_batched", 16);
  check_calls(run, "strsm_strided_batched", 16);
  check_calls(run, "strmm_strided_batched", 16, "rocblas", "C apart from B");
  check_calls(run, "ssyrkx_strided_batched", 4, "rocblas", "batch by strides");
  check_calls(run, "ssyrk_batched", 4, "rocblas", "batch by pointers");
  check_calls(run, "ssyr2k_batched", 4, "rocblas", "batch by pointers");
  check_calls(run, "strsm_batched", 16, "rocblas", "batch by pointers");
  const Run without = mock_run({"level3"});
  check_calls(without, "ssyrk", 4, "rocblas", "no kernel for it");
}

TEST_CASE("rocblas: without a kernel for STRMM nothing is copied for it again and again") {
  const Run run = mock_run({"trmm-lacking"}, {{"MOCK_LACKS_TRMM", "1"}});
  CHECK(run.calls("rocblas_strmm", "rocblas", "no kernel for it") == 3);
}

TEST_CASE("rocblas: STRMM of version 3 has other arguments") {
  const Run run = mock_run({"old-trmm", "sgemm"}, {{"MOCK_HIP", "old_rocblas"}});
  CHECK(run.calls("rocblas_strmm", "rocblas", "STRMM of rocBLAS before 4") == 1);
  CHECK(run.calls("rocblas_sgemm", "hip") == 1);
}

TEST_CASE("rocblas: what the handle says decides") {
  const Run handles = mock_run({"device-scalars", "xf32", "size-query"});
  CHECK(handles.calls("rocblas_sgemm", "rocblas", "scalars on the device") == 1);
  CHECK(handles.calls("rocblas_sgemm", "rocblas", "rounding allowed by the program") == 1);
  CHECK(handles.calls("rocblas_sgemm", "error", "rocBLAS returned status 9") == 1);
  CHECK(handles.calls("rocblas_sgemm", "hip") == 0);
  CHECK(mock_run({"xf32"}, {{"LIBSGEMM_MATH_MODE", "tf32"}}).calls("rocblas_sgemm", "hip") == 1);
}

TEST_CASE("rocblas: bits do not depend on what memory is free") {
  CHECK(mock_run({"atomics"}).calls("rocblas_sgemm", "hip") == 1);
  CHECK(mock_run({"repeatable"}).calls("rocblas_sgemm", "rocblas", "out of memory") == 1);
  const Run run = mock_run({"deterministic"}, {{"LIBSGEMM_DETERMINISTIC", "1"}});
  CHECK(run.calls("rocblas_sgemm", "rocblas") == 0);
  CHECK(run.calls("rocblas_sgemm", "error", "not computed: out of memory") > 0);
}

TEST_CASE("rocblas: what gemm_ex is asked for besides a product") {
  const Run run = mock_run({"extended"});
  CHECK(run.calls("rocblas_gemm_ex", "hip") == 1);
  CHECK(run.calls("rocblas_gemm_ex", "rocblas", "C apart from D") == 1);
  CHECK(run.calls("rocblas_gemm_ex", "rocblas", "solution of rocBLAS") == 1);
  CHECK(run.calls("rocblas_gemm_ex", "error", "rocBLAS returned status 2") == 3);
  CHECK(run.calls("rocblas_gemm_ex", "error", "rocBLAS returned status 4") == 1);
}

TEST_CASE("rocblas: what rocBLAS refuses is refused by itself") {
  const Run bad = mock_run({"bad", "host"});
  CHECK(bad.calls("rocblas_sgemm", "error", "rocBLAS returned status 4") == 1);
  CHECK(bad.calls("rocblas_sgemm", "error", "rocBLAS returned status 3") == 1);
  CHECK(bad.calls("rocblas_sgemm", "error", "rocBLAS returned status 1") == 1);
  CHECK(bad.calls("rocblas_sgemm", "rocblas", "no kernel for it") == 1);  // operands in host memory
}

TEST_CASE("rocblas: without a GPU backend, or with an invalid environment, rocBLAS computes") {
  CHECK(mock_run({"sgemm"}, {{"LIBSGEMM_DEVICES", "none"}}).calls("rocblas_sgemm", "rocblas") == 1);
  const Run invalid = mock_run({"sgemm", "sgemm"}, {{"LIBSGEMM_BACKEND", "abacus"}});
  CHECK(invalid.calls("rocblas_sgemm", "rocblas", "invalid environment") == 2);
  CHECK_THAT(invalid.outcome.err, Contains("abacus") && Contains("rocBLAS computes"));
}

TEST_CASE("rocblas: what fails in libsgemm is computed by rocBLAS, unless the user wants the error") {
  const Run failure = mock_run({"failure"});
  CHECK(failure.calls("rocblas_sgemm", "hip") == 1);
  CHECK(failure.calls("rocblas_sgemm", "rocblas", "failed") == 1);
  const Run strict = mock_run({"strict-failure"}, {{"LIBSGEMM_STRICT", "1"}});
  CHECK(strict.calls("rocblas_sgemm", "error", "not computed: failed") == 1);
  const Environment error = {{"LIBSGEMM_VERIFY", "full"}, {"LIBSGEMM_VERIFY_ACTION", "error"}};
  CHECK(mock_run({"wrong-error"}, error).calls("rocblas_sgemm", "error") == 1);
}

TEST_CASE("rocblas: a handle at the address of one that was destroyed behind the drop-in") {
  CHECK(mock_run({"reborn"}).calls("rocblas_sgemm", "hip") == 2);
}

TEST_CASE("rocblas: the time of calls is what the GPU takes") {
  const Run hours = mock_run({"sgemm", "sgemm", "xf32"}, {{"MOCK_HIP", "hours"}});
  CHECK(hours.seconds("hip") >= 2 * 3599);
  CHECK(hours.seconds("hip") < 2 * 3600 + 60);
  CHECK(hours.seconds("rocblas") >= 3599);
  // Events need the device.
  const Run reset = mock_run({"sgemm"}, {{"MOCK_HIP", "reset"}});
  CHECK(reset.calls("rocblas_sgemm", "hip") == 1);
  CHECK(reset.seconds("hip") == 0);
}

TEST_CASE("rocblas: graphs, threads, a child, and the end of the process") {
  CHECK(mock_run({"capture"}).calls("rocblas_sgemm", "hip") == 2);
  const Run all = mock_run({"exit", "threads", "fork"});
  CHECK(all.calls("rocblas_sgemm", "hip") == 402);
  CHECK(all.calls("rocblas_sgemm", "rocblas", "backend unavailable") == 1);  // at exit
}

}  // namespace sgemm_test
