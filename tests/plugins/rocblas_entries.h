// Level-3 functions of rocBLAS in libsgemm_rocblas.so, by form, for mock_rocblas.h and rocblas_client.cpp.
// `rocblas_NAME` has int sizes, `rocblas_NAME_64` int64_t ones.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#define GEMM_PARAMETERS(INT)                                                                              \
  void *handle, int transa, int transb, INT m, INT n, INT k, const float *alpha, const float *a, INT lda, \
      const float *b, INT ldb, const float *beta, float *c, INT ldc
#define GEMM_NAMES handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define GEMM_STRIDED_PARAMETERS(INT)                                                                      \
  void *handle, int transa, int transb, INT m, INT n, INT k, const float *alpha, const float *a, INT lda, \
      int64_t stride_a, const float *b, INT ldb, int64_t stride_b, const float *beta, float *c, INT ldc,  \
      int64_t stride_c, INT count
#define GEMM_STRIDED_NAMES \
  handle, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count
#define GEMM_BATCHED_PARAMETERS(INT)                                                                             \
  void *handle, int transa, int transb, INT m, INT n, INT k, const float *alpha, const float *const *a, INT lda, \
      const float *const *b, INT ldb, const float *beta, float *const *c, INT ldc, INT count
#define GEMM_BATCHED_NAMES handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count

#define GEMM_EX_PARAMETERS(INT)                                                                                      \
  void *handle, int transa, int transb, INT m, INT n, INT k, const void *alpha, const void *a, int a_type, INT lda,  \
      const void *b, int b_type, INT ldb, const void *beta, const void *c, int c_type, INT ldc, void *d, int d_type, \
      INT ldd, int compute, int algorithm, int32_t solution, uint32_t flags
#define GEMM_EX_NAMES                                                                                           \
  handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, d, d_type, ldd, \
      compute, algorithm, solution, flags
#define GEMM_STRIDED_EX_PARAMETERS(INT)                                                                              \
  void *handle, int transa, int transb, INT m, INT n, INT k, const void *alpha, const void *a, int a_type, INT lda,  \
      int64_t stride_a, const void *b, int b_type, INT ldb, int64_t stride_b, const void *beta, const void *c,       \
      int c_type, INT ldc, int64_t stride_c, void *d, int d_type, INT ldd, int64_t stride_d, INT count, int compute, \
      int algorithm, int32_t solution, uint32_t flags
#define GEMM_STRIDED_EX_NAMES                                                                                       \
  handle, transa, transb, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, c_type, ldc, \
      stride_c, d, d_type, ldd, stride_d, count, compute, algorithm, solution, flags
#define GEMM_BATCHED_EX_PARAMETERS(INT)                                                                              \
  void *handle, int transa, int transb, INT m, INT n, INT k, const void *alpha, const void *a, int a_type, INT lda,  \
      const void *b, int b_type, INT ldb, const void *beta, const void *c, int c_type, INT ldc, void *d, int d_type, \
      INT ldd, INT count, int compute, int algorithm, int32_t solution, uint32_t flags
#define GEMM_BATCHED_EX_NAMES                                                                                          \
  handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, d, d_type, ldd, count, \
      compute, algorithm, solution, flags

#define SYMM_PARAMETERS(INT)                                                                                   \
  void *handle, int side, int uplo, INT m, INT n, const float *alpha, const float *a, INT lda, const float *b, \
      INT ldb, const float *beta, float *c, INT ldc
#define SYMM_NAMES handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc
#define SYMM_STRIDED_PARAMETERS(INT)                                                                             \
  void *handle, int side, int uplo, INT m, INT n, const float *alpha, const float *a, INT lda, int64_t stride_a, \
      const float *b, INT ldb, int64_t stride_b, const float *beta, float *c, INT ldc, int64_t stride_c, INT count
#define SYMM_STRIDED_NAMES \
  handle, side, uplo, m, n, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count
#define SYMM_BATCHED_PARAMETERS(INT)                                                                  \
  void *handle, int side, int uplo, INT m, INT n, const float *alpha, const float *const *a, INT lda, \
      const float *const *b, INT ldb, const float *beta, float *const *c, INT ldc, INT count
#define SYMM_BATCHED_NAMES handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, count

#define SYRK_PARAMETERS(INT)                                                                                       \
  void *handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, INT lda, const float *beta, \
      float *c, INT ldc
#define SYRK_NAMES handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc
#define SYRK_STRIDED_PARAMETERS(INT)                                                                              \
  void *handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, INT lda, int64_t stride_a, \
      const float *beta, float *c, INT ldc, int64_t stride_c, INT count
#define SYRK_STRIDED_NAMES handle, uplo, trans, n, k, alpha, a, lda, stride_a, beta, c, ldc, stride_c, count
#define SYRK_BATCHED_PARAMETERS(INT)                                                                   \
  void *handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *const *a, INT lda, \
      const float *beta, float *const *c, INT ldc, INT count
#define SYRK_BATCHED_NAMES handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, count

#define SYR2K_PARAMETERS(INT)                                                                                   \
  void *handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, INT lda, const float *b, \
      INT ldb, const float *beta, float *c, INT ldc
#define SYR2K_NAMES handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define SYR2K_STRIDED_PARAMETERS(INT)                                                                             \
  void *handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, INT lda, int64_t stride_a, \
      const float *b, INT ldb, int64_t stride_b, const float *beta, float *c, INT ldc, int64_t stride_c, INT count
#define SYR2K_STRIDED_NAMES \
  handle, uplo, trans, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count
#define SYR2K_BATCHED_PARAMETERS(INT)                                                                  \
  void *handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *const *a, INT lda, \
      const float *const *b, INT ldb, const float *beta, float *const *c, INT ldc, INT count
#define SYR2K_BATCHED_NAMES handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count

#define GEMMT_PARAMETERS(INT)                                                                                \
  void *handle, int uplo, int transa, int transb, INT n, INT k, const float *alpha, const float *a, INT lda, \
      const float *b, INT ldb, const float *beta, float *c, INT ldc
#define GEMMT_NAMES handle, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define GEMMT_STRIDED_PARAMETERS(INT)                                                                        \
  void *handle, int uplo, int transa, int transb, INT n, INT k, const float *alpha, const float *a, INT lda, \
      int64_t stride_a, const float *b, INT ldb, int64_t stride_b, const float *beta, float *c, INT ldc,     \
      int64_t stride_c, INT count
#define GEMMT_STRIDED_NAMES \
  handle, uplo, transa, transb, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count
#define GEMMT_BATCHED_PARAMETERS(INT)                                                                               \
  void *handle, int uplo, int transa, int transb, INT n, INT k, const float *alpha, const float *const *a, INT lda, \
      const float *const *b, INT ldb, const float *beta, float *const *c, INT ldc, INT count
#define GEMMT_BATCHED_NAMES handle, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count

#define TRMM_PARAMETERS(INT)                                                                                        \
  void *handle, int side, int uplo, int trans, int diag, INT m, INT n, const float *alpha, const float *a, INT lda, \
      const float *b, INT ldb, float *c, INT ldc
#define TRMM_NAMES handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc
#define TRMM_STRIDED_PARAMETERS(INT)                                                                                \
  void *handle, int side, int uplo, int trans, int diag, INT m, INT n, const float *alpha, const float *a, INT lda, \
      int64_t stride_a, const float *b, INT ldb, int64_t stride_b, float *c, INT ldc, int64_t stride_c, INT count
#define TRMM_STRIDED_NAMES \
  handle, side, uplo, trans, diag, m, n, alpha, a, lda, stride_a, b, ldb, stride_b, c, ldc, stride_c, count
#define TRMM_BATCHED_PARAMETERS(INT)                                                                              \
  void *handle, int side, int uplo, int trans, int diag, INT m, INT n, const float *alpha, const float *const *a, \
      INT lda, const float *const *b, INT ldb, float *const *c, INT ldc, INT count
#define TRMM_BATCHED_NAMES handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc, count

#define TRSM_PARAMETERS(INT)                                                                                        \
  void *handle, int side, int uplo, int trans, int diag, INT m, INT n, const float *alpha, const float *a, INT lda, \
      float *b, INT ldb
#define TRSM_NAMES handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb
#define TRSM_STRIDED_PARAMETERS(INT)                                                                                \
  void *handle, int side, int uplo, int trans, int diag, INT m, INT n, const float *alpha, const float *a, INT lda, \
      int64_t stride_a, float *b, INT ldb, int64_t stride_b, INT count
#define TRSM_STRIDED_NAMES handle, side, uplo, trans, diag, m, n, alpha, a, lda, stride_a, b, ldb, stride_b, count
#define TRSM_BATCHED_PARAMETERS(INT)                                                                              \
  void *handle, int side, int uplo, int trans, int diag, INT m, INT n, const float *alpha, const float *const *a, \
      INT lda, float *const *b, INT ldb, INT count
#define TRSM_BATCHED_NAMES handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, count

// (form, the mock's function, name)
#define ROCBLAS_ENTRIES(X)                             \
  X(GEMM, gemm, sgemm)                                 \
  X(GEMM_STRIDED, gemm, sgemm_strided_batched)         \
  X(GEMM_BATCHED, gemm, sgemm_batched)                 \
  X(GEMM_EX, gemm_ex, gemm_ex)                         \
  X(GEMM_STRIDED_EX, gemm_ex, gemm_strided_batched_ex) \
  X(GEMM_BATCHED_EX, gemm_ex, gemm_batched_ex)         \
  X(SYMM, symm, ssymm)                                 \
  X(SYMM_STRIDED, symm, ssymm_strided_batched)         \
  X(SYMM_BATCHED, symm, ssymm_batched)                 \
  X(SYRK, syrk, ssyrk)                                 \
  X(SYRK_STRIDED, syrk, ssyrk_strided_batched)         \
  X(SYRK_BATCHED, syrk, ssyrk_batched)                 \
  X(SYR2K, syr2k, ssyr2k)                              \
  X(SYR2K_STRIDED, syr2k, ssyr2k_strided_batched)      \
  X(SYR2K_BATCHED, syr2k, ssyr2k_batched)              \
  X(SYR2K, syrkx, ssyrkx)                              \
  X(SYR2K_STRIDED, syrkx, ssyrkx_strided_batched)      \
  X(SYR2K_BATCHED, syrkx, ssyrkx_batched)              \
  X(GEMMT, gemmt, sgemmt)                              \
  X(GEMMT_STRIDED, gemmt, sgemmt_strided_batched)      \
  X(GEMMT_BATCHED, gemmt, sgemmt_batched)              \
  X(TRMM, trmm, strmm)                                 \
  X(TRMM_STRIDED, trmm, strmm_strided_batched)         \
  X(TRMM_BATCHED, trmm, strmm_batched)                 \
  X(TRSM, trsm, strsm)                                 \
  X(TRSM_STRIDED, trsm, strsm_strided_batched)         \
  X(TRSM_BATCHED, trsm, strsm_batched)

namespace mock {

// All arguments as text, with all 64 bits of sizes.
template <typename T>
std::string word(T argument) {
  if constexpr (std::is_pointer_v<T>) {
    return std::to_string(reinterpret_cast<uintptr_t>(argument));
  } else {
    return std::to_string(argument);
  }
}
template <typename... Arguments>
std::string words(const char *name, Arguments... arguments) {
  std::string text = name;
  static_cast<void>(((text += " " + word(arguments)), ...));
  return text;
}

// Returns the mock's latest call as text; with `only_record` later calls compute nothing.
constexpr const char *kRocblasLatest = "mock_rocblas_latest";
using RocblasLatest = const char *(*)(bool only_record);

}  // namespace mock
