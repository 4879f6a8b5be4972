// libsgemm_cublas.so under cublas_client.cpp. The program notices no difference.
#include "command/run_report.h"
#include "support/catch.h"

namespace sgemm_test {
namespace {

Environment mock_environment(Environment environment = {}) {
  environment.insert({"LIBSGEMM_BACKEND_PATH", MOCK_FOLDER "/gpu"});
  environment.insert({"LD_LIBRARY_PATH", MOCK_FOLDER "/cuda_stack"});
  environment.insert({"ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0"});
  return environment;
}

Run mock_run(const std::vector<std::string> &program, const Environment &environment = mock_environment()) {
  return Run(program, environment);
}

}  // namespace

TEST_CASE("cublas: a program linked with it, and a module with a cuBLAS of its own") {
  for (const std::vector<std::string> &program :
       {std::vector<std::string>{CLIENT}, std::vector<std::string>{GPU_BLAS_LOADER, CLIENT_MODULE}}) {
    std::vector<std::string> steps = program;
    steps.insert(steps.end(), {"sgemm", "workspace"});
    const Run taken = mock_run(steps);
    CHECK(taken.calls("cublasSgemm_v2", "cuda") == 3);
    CHECK(taken.calls("cublasSgemm_v2", "cublas") == 0);
    CHECK(taken.outcome.err == "");
  }
}

TEST_CASE("cublas: what the handle says decides") {
  const Run handles = mock_run({CLIENT, "device-scalars", "pedantic", "tf32"});
  CHECK(handles.calls("cublasSgemmEx", "cublas", "scalars on the device") == 1);
  CHECK(handles.calls("cublasSgemm_v2", "cublas", "pedantic or emulated math") == 1);
  CHECK(handles.calls("cublasSgemm_v2", "cublas", "rounding allowed by the program") == 1);
  CHECK(handles.calls("cublasSgemm_v2", "cuda") == 0);

  const Run tf32 = mock_run({CLIENT, "tf32", "sgemm"}, mock_environment({{"LIBSGEMM_MATH_MODE", "tf32"}}));
  CHECK(tf32.calls("cublasSgemm_v2", "cuda") == 2);
  const Run forbidden = mock_run({CLIENT, "tf32"}, mock_environment({{"NVIDIA_TF32_OVERRIDE", "0"}}));
  CHECK(forbidden.calls("cublasSgemm_v2", "cuda") == 1);
}

TEST_CASE("cublas: bits do not depend on what memory is free") {
  CHECK(mock_run({CLIENT, "atomics"}).calls("cublasSgemm_v2", "cuda") == 1);
  CHECK(mock_run({CLIENT, "repeatable"}).calls("cublasSgemm_v2", "cublas", "out of memory") == 1);
  const Run run = mock_run({CLIENT, "deterministic"}, mock_environment({{"LIBSGEMM_DETERMINISTIC", "1"}}));
  CHECK(run.calls("cublasSgemm_v2", "cublas") == 0);
  CHECK(run.calls("cublasSgemm_v2", "error", "not computed: out of memory") > 0);
}

TEST_CASE("cublas: what cuBLAS refuses is refused by itself") {
  const Run bad = mock_run({CLIENT, "bad"});
  CHECK(bad.calls("cublasSgemm_v2", "error", "cuBLAS returned status 7") == 2);
  CHECK(bad.calls("cublasSgemm_v2", "error", "cuBLAS returned status 1") == 1);
}

TEST_CASE("cublas: types, batches, other routines") {
  const Run types = mock_run({CLIENT, "types", "batches", "level3", "host"});
  CHECK(types.calls("cublasGemmEx", "cuda") == 2);
  CHECK(types.calls("cublasGemmEx", "error", "cuBLAS returned status 15") == 1);
  CHECK(types.calls("cublasSgemmStridedBatched", "cuda") == 1);
  CHECK(types.calls("cublasSgemmStridedBatched", "none", "nothing") == 1);
  CHECK(types.calls("cublasSgemmGroupedBatched", "cuda") == 1);
  CHECK(types.calls("cublasSsyrk_v2", "cublas", "no kernel for it") == 1);
  CHECK(types.calls("cublasStrmm_v2", "cuda") == 1);
  CHECK(types.calls("cublasSgemm_v2", "cublas", "no kernel for it") == 1);  // operands in host memory
}

TEST_CASE("cublas: arrays of pointers are read when the work runs, as by cuBLAS") {
  const Run arrays = mock_run({CLIENT, "arrays", "host-arrays"});
  CHECK(arrays.calls("cublasSgemmGroupedBatched", "cuda") == 2);
  CHECK(arrays.calls("cublasSgemmGroupedBatched", "cublas", "no kernel for it") == 1);
}

TEST_CASE("cublas: the device of the stream computes, or cuBLAS") {
  const Run devices = mock_run({CLIENT, "devices"});
  CHECK(devices.calls("cublasSgemm_v2", "cuda") == 2);
  CHECK(devices.calls("cublasSgemm_v2", "cublas", "argument not accepted") == 1);
}

TEST_CASE("cublas: a handle at the address of one that was destroyed behind the drop-in") {
  CHECK(mock_run({CLIENT, "reborn"}).calls("cublasSgemm_v2", "cuda") == 2);
}

TEST_CASE("cublas: cublasLtMatmul by its descriptors") {
  const Run lt = mock_run({CLIENT, "lt", "lt-bias"});
  CHECK(lt.calls("cublasLtMatmul", "cuda") == 1);
  CHECK(lt.calls("cublasLtMatmul", "cublas", "epilogue") == 1);  // too small for a separate epilogue
  CHECK(mock_run({CLIENT, "lt-epilogue"}).calls("cublasLtMatmul", "cuda") == 1);
  const Run failed = mock_run({CLIENT, "failed-epilogue"});
  CHECK(failed.calls("cublasLtMatmul", "error", "not computed: failed") == 1);
}

TEST_CASE("cublas: without a GPU backend, or with an invalid environment, cuBLAS computes") {
  const Run none = mock_run({CLIENT, "sgemm"}, mock_environment({{"LIBSGEMM_DEVICES", "none"}}));
  CHECK(none.calls("cublasSgemm_v2", "cublas") == 1);
  const Run cpu = mock_run({CLIENT, "sgemm"}, mock_environment({{"LIBSGEMM_BACKEND", "ref"}}));
  CHECK(cpu.calls("cublasSgemm_v2", "cublas") == 1);

  const Run invalid = mock_run({CLIENT, "sgemm", "sgemm"}, mock_environment({{"LIBSGEMM_BACKEND", "abacus"}}));
  CHECK(invalid.calls("cublasSgemm_v2", "cublas", "invalid environment") == 2);
  CHECK_THAT(invalid.outcome.err, Contains("abacus") && Contains("cuBLAS computes"));
}

TEST_CASE("cublas: what fails in libsgemm is computed by cuBLAS, unless the user wants the error") {
  const Run failure = mock_run({CLIENT, "failure"});
  CHECK(failure.calls("cublasSgemm_v2", "cuda") == 1);
  CHECK(failure.calls("cublasSgemm_v2", "cublas", "failed") == 1);
  const Run strict = mock_run({CLIENT, "strict-failure"}, mock_environment({{"LIBSGEMM_STRICT", "1"}}));
  CHECK(strict.calls("cublasSgemm_v2", "error", "not computed: failed") == 1);

  // cuBLAS may not compute again: part of C would be computed twice.
  const Run group = mock_run({CLIENT, "failed-group"});
  CHECK(group.calls("cublasSgemmGroupedBatched", "error", "not computed: failed") == 1);
  const Run anew = mock_run({CLIENT, "failed-group-anew"});
  CHECK(anew.calls("cublasSgemmGroupedBatched", "cublas", "failed") == 1);

  const Environment retry = mock_environment({{"LIBSGEMM_VERIFY", "full"}, {"LIBSGEMM_VERIFY_ACTION", "retry"}});
  CHECK(mock_run({CLIENT, "wrong"}, retry).calls("cublasSgemm_v2", "cublas", "wrong result") == 1);
  const Environment error = mock_environment({{"LIBSGEMM_VERIFY", "full"}, {"LIBSGEMM_VERIFY_ACTION", "error"}});
  CHECK(mock_run({CLIENT, "wrong-error"}, error).calls("cublasSgemm_v2", "error") == 1);
}

TEST_CASE("cublas: graphs") { CHECK(mock_run({CLIENT, "capture"}).calls("cublasSgemm_v2", "cuda") == 2); }

TEST_CASE("cublas: the time of calls is what the GPU takes") {
  const Run run_for_hours =
      mock_run({CLIENT, "sgemm", "sgemm", "pedantic"}, mock_environment({{"MOCK_CUDA", "hours"}}));
  CHECK(run_for_hours.seconds("cuda") >= 2 * 3599);
  CHECK(run_for_hours.seconds("cuda") < 2 * 3600 + 60);
  CHECK(run_for_hours.seconds("cublas") >= 3599);
  // The events that measure time need the context.
  const Run reset = mock_run({CLIENT, "sgemm"}, mock_environment({{"MOCK_CUDA", "reset"}}));
  CHECK(reset.calls("cublasSgemm_v2", "cuda") == 1);
  CHECK(reset.seconds("cuda") == 0);
  mock_run({CLIENT, "no-record"}, mock_environment({{"MOCK_CUDA", "no_record"}}));
}

TEST_CASE("cublas: threads, a child, and the end of the process") {
  const Run all = mock_run({CLIENT, "exit", "threads", "fork"});
  CHECK(all.calls("cublasSgemm_v2", "cuda") == 402);
  CHECK(all.calls("cublasSgemm_v2", "cublas", "backend unavailable") == 1);  // at exit
}

}  // namespace sgemm_test
