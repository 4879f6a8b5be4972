#include "gpu_blas/batches.h"

#include "cublas/arithmetic.h"

using namespace libsgemm;

#define GEMM_BATCHED_EX(INT, name)                                                                                     \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const void *alpha,           \
                        const void *const *a, int a_type, INT lda, const void *const *b, int b_type, INT ldb,          \
                        const void *beta, void *const *c, int c_type, INT ldc, INT count, int compute, int which) {    \
    static Real<decltype(name)> real(#name);                                                                           \
    Product p(#name, handle, Routine::gemm);                                                                           \
    p.types(a_type, b_type, c_type);                                                                                   \
    compute_type(&p, compute);                                                                                         \
    algorithm(&p, which);                                                                                              \
    const GroupArguments<INT> x = {&transa, &transb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc, 1, &count};   \
    return take_groups(&p, x, [&] {                                                                                    \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, count, \
                  compute, which);                                                                                     \
    });                                                                                                                \
  }

#define GEMM_GROUPED(INT, name)                                                                                    \
  LIBSGEMM_API int name(VendorHandle handle, const int *transa, const int *transb, const INT *m, const INT *n,     \
                        const INT *k, const float *alpha, const float *const *a, const INT *lda,                   \
                        const float *const *b, const INT *ldb, const float *beta, float *const *c, const INT *ldc, \
                        INT count, const INT *size) {                                                              \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p(#name, handle, Routine::gemm);                                                                       \
    const GroupArguments<INT> x = {transa,                                                                         \
                                   transb,                                                                         \
                                   m,                                                                              \
                                   n,                                                                              \
                                   k,                                                                              \
                                   alpha,                                                                          \
                                   reinterpret_cast<const void *const *>(a),                                       \
                                   lda,                                                                            \
                                   reinterpret_cast<const void *const *>(b),                                       \
                                   ldb,                                                                            \
                                   beta,                                                                           \
                                   reinterpret_cast<void *const *>(c),                                             \
                                   ldc,                                                                            \
                                   count,                                                                          \
                                   size};                                                                          \
    return take_groups(&p, x, [&] {                                                                                \
      return real(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, size);              \
    });                                                                                                            \
  }

// cuBLAS refuses most groups of 16-bit inputs with FP32 output. They are forwarded: the program gets its error.
#define GEMM_GROUPED_EX(INT, name)                                                                                     \
  LIBSGEMM_API int name(VendorHandle handle, const int *transa, const int *transb, const INT *m, const INT *n,         \
                        const INT *k, const void *alpha, const void *const *a, int a_type, const INT *lda,             \
                        const void *const *b, int b_type, const INT *ldb, const void *beta, void *const *c,            \
                        int c_type, const INT *ldc, INT count, const INT *size, int compute) {                         \
    static Real<decltype(name)> real(#name);                                                                           \
    Product p(#name, handle, Routine::gemm);                                                                           \
    p.types(a_type, b_type, c_type);                                                                                   \
    compute_type(&p, compute);                                                                                         \
    if (p.call.type != Type::f32) p.refuse("types");                                                                   \
    const GroupArguments<INT> x = {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count, size};         \
    return take_groups(&p, x, [&] {                                                                                    \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, count, \
                  size, compute);                                                                                      \
    });                                                                                                                \
  }

extern "C" {
GEMM_BATCHED(int, cublasSgemmBatched)
GEMM_BATCHED(int64_t, cublasSgemmBatched_64)
GEMM_BATCHED_EX(int, cublasGemmBatchedEx)
GEMM_BATCHED_EX(int64_t, cublasGemmBatchedEx_64)
GEMM_GROUPED(int, cublasSgemmGroupedBatched)
GEMM_GROUPED(int64_t, cublasSgemmGroupedBatched_64)
GEMM_GROUPED_EX(int, cublasGemmGroupedBatchedEx)
GEMM_GROUPED_EX(int64_t, cublasGemmGroupedBatchedEx_64)
}
