// Makes a drawn cuBLAS call, by the linked names (the drop-in's) or by functions of the real library.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

// Functions by their names in the library; those that the header overloads need a type.
#define CUBLAS_FUNCTIONS(F)     \
  F(cublasSgemm_v2)             \
  F(cublasSgemmEx)              \
  F(cublasSgemmBatched)         \
  F(cublasSgemmStridedBatched)  \
  F(cublasSgemmGroupedBatched)  \
  F(cublasGemmGroupedBatchedEx) \
  F(cublasSsymm_v2)             \
  F(cublasSsyrk_v2) F(cublasSsyrkx) F(cublasSsyr2k_v2) F(cublasStrmm_v2) F(cublasStrsm_v2) F(cublasStrsmBatched)
#define CUBLAS_OVERLOADED(F) \
  F(cublasGemmEx, GemmEx) F(cublasGemmBatchedEx, GemmBatchedEx) F(cublasGemmStridedBatchedEx, GemmStridedBatchedEx)

template <typename INT>
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, INT, INT, INT, const void *,
                                  const void *, cudaDataType_t, INT, const void *, cudaDataType_t, INT, const void *,
                                  void *, cudaDataType_t, INT, cublasComputeType_t, cublasGemmAlgo_t);
template <typename INT>
using GemmBatchedEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, INT, INT, INT,
                                         const void *, const void *const *, cudaDataType_t, INT, const void *const *,
                                         cudaDataType_t, INT, const void *, void *const *, cudaDataType_t, INT, INT,
                                         cublasComputeType_t, cublasGemmAlgo_t);
template <typename INT>
using GemmStridedBatchedEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, INT, INT, INT,
                                                const void *, const void *, cudaDataType_t, INT, long long,
                                                const void *, cudaDataType_t, INT, long long, const void *, void *,
                                                cudaDataType_t, INT, long long, INT, cublasComputeType_t,
                                                cublasGemmAlgo_t);

struct Api {
#define MEMBERS(name)     \
  decltype(&::name) name; \
  decltype(&::name##_64) name##_64;
#define OVERLOADED(name, type) \
  type<int> name;              \
  type<int64_t> name##_64;
  CUBLAS_FUNCTIONS(MEMBERS)
  CUBLAS_OVERLOADED(OVERLOADED)
#undef MEMBERS
#undef OVERLOADED
  decltype(&::cublasLtMatmul) cublasLtMatmul;
};
Api linked_api();
Api api_of(void *cublas, void *cublaslt);

enum class Routine {
  gemm,
  sgemm_ex,
  gemm_ex,
  batched,
  batched_ex,
  strided,
  strided_ex,
  grouped,
  grouped_ex,
  symm,
  syrk,
  syrkx,
  syr2k,
  trmm,
  trsm,
  trsm_batched,
  lt,
  count
};
const char *name_of(Routine routine);

struct Case {
  Routine routine;
  bool wide;  // 64-bit integers
  cublasOperation_t transa, transb;
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  cublasDiagType_t diag;
  int64_t m, n, k, lda, ldb, ldc;
  int64_t stride_a, stride_b, stride_c, count;
  cudaDataType_t type, c_type;  // A's and B's; C's
  cublasComputeType_t compute;
  cublasGemmAlgo_t algorithm;
  float alpha, beta;
  bool no_handle, on_device;
  int math_mode;
  cublasLtEpilogue_t epilogue;
  bool rows;       // row-major, cublasLt only
  int64_t offset;  // start of each matrix in its memory, in elements
};

struct Operands {
  const void *a, *b;
  float *c;
  const float *alpha, *beta;
  const void **a_array, **b_array;  // device memory for a batch's pointers
  void **c_array;
  const float *bias;
  cudaStream_t stream;
};

void send_pointers(const Case &x, const Operands &at);

// `handle` has the case's stream and modes.
int make_call(const Api &api, const Case &x, const Operands &at, cublasHandle_t handle);

bool is_batch(Routine routine);
bool has_b(Routine routine);
bool is_triangle(Routine routine);
