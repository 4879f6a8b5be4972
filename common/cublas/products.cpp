#include "gpu_blas/products.h"
#include "cublas/arithmetic.h"

using namespace libsgemm;

#define SGEMM_EX(INT, name)                                                                                        \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const float *alpha,      \
                        const void *a, int a_type, INT lda, const void *b, int b_type, INT ldb, const float *beta, \
                        void *c, int c_type, INT ldc) {                                                            \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p = product(#name, handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);              \
    p.types(a_type, b_type, c_type);                                                                               \
    return take(p, [&] {                                                                                           \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc);   \
    });                                                                                                            \
  }

#define GEMM_EX(INT, name)                                                                                        \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const void *alpha,      \
                        const void *a, int a_type, INT lda, const void *b, int b_type, INT ldb, const void *beta, \
                        void *c, int c_type, INT ldc, int compute, int which) {                                   \
    static Real<decltype(name)> real(#name);                                                                      \
    Product p = product(#name, handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);             \
    p.types(a_type, b_type, c_type);                                                                              \
    compute_type(&p, compute);                                                                                    \
    algorithm(&p, which);                                                                                         \
    return take(p, [&] {                                                                                          \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,   \
                  compute, which);                                                                                \
    });                                                                                                           \
  }

#define GEMM_STRIDED_EX(INT, name)                                                                                     \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const void *alpha,           \
                        const void *a, int a_type, INT lda, long long stride_a, const void *b, int b_type, INT ldb,    \
                        long long stride_b, const void *beta, void *c, int c_type, INT ldc, long long stride_c,        \
                        INT count, int compute, int which) {                                                           \
    static Real<decltype(name)> real(#name);                                                                           \
    Product p = product(#name, handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                  \
    p.strides(stride_a, stride_b, stride_c, count);                                                                    \
    p.types(a_type, b_type, c_type);                                                                                   \
    compute_type(&p, compute);                                                                                         \
    algorithm(&p, which);                                                                                              \
    return take(p, [&] {                                                                                               \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, \
                  c_type, ldc, stride_c, count, compute, which);                                                       \
    });                                                                                                                \
  }

extern "C" {
GEMM(int, cublasSgemm_v2)
GEMM(int64_t, cublasSgemm_v2_64)
GEMM_STRIDED(int, cublasSgemmStridedBatched)
GEMM_STRIDED(int64_t, cublasSgemmStridedBatched_64)
SGEMM_EX(int, cublasSgemmEx)
SGEMM_EX(int64_t, cublasSgemmEx_64)
GEMM_EX(int, cublasGemmEx)
GEMM_EX(int64_t, cublasGemmEx_64)
GEMM_STRIDED_EX(int, cublasGemmStridedBatchedEx)
GEMM_STRIDED_EX(int64_t, cublasGemmStridedBatchedEx_64)
}
