#include "gpu_blas/products.h"

#include "rocblas/extended.h"

using namespace libsgemm;

#define GEMM_EX(INT, name)                                                                                         \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const void *alpha,       \
                        const void *a, int a_type, INT lda, const void *b, int b_type, INT ldb, const void *beta,  \
                        const void *c, int c_type, INT ldc, void *d, int d_type, INT ldd, int compute, int which,  \
                        int32_t solution, uint32_t flags) {                                                        \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p = product(#name, handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, d, ldd);              \
    extend(&p, m, {a_type, b_type, c, c_type, ldc, d, d_type, ldd, compute, which, solution, flags});              \
    return take(p, [&] {                                                                                           \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, d, \
                  d_type, ldd, compute, which, solution, flags);                                                   \
    });                                                                                                            \
  }

#define GEMM_STRIDED_EX(INT, name)                                                                                     \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const void *alpha,           \
                        const void *a, int a_type, INT lda, int64_t stride_a, const void *b, int b_type, INT ldb,      \
                        int64_t stride_b, const void *beta, const void *c, int c_type, INT ldc, int64_t stride_c,      \
                        void *d, int d_type, INT ldd, int64_t stride_d, INT count, int compute, int which,             \
                        int32_t solution, uint32_t flags) {                                                            \
    static Real<decltype(name)> real(#name);                                                                           \
    Product p = product(#name, handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, d, ldd);                  \
    p.strides(stride_a, stride_b, stride_d, count);                                                                    \
    extend(&p, m,                                                                                                      \
           {a_type, b_type, c, c_type, ldc, d, d_type, ldd, compute, which, solution, flags, stride_c, stride_d});     \
    return take(p, [&] {                                                                                               \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, \
                  c_type, ldc, stride_c, d, d_type, ldd, stride_d, count, compute, which, solution, flags);            \
    });                                                                                                                \
  }

extern "C" {
GEMM(int, rocblas_sgemm)
GEMM(int64_t, rocblas_sgemm_64)
GEMM_STRIDED(int, rocblas_sgemm_strided_batched)
GEMM_STRIDED(int64_t, rocblas_sgemm_strided_batched_64)
GEMM_EX(int, rocblas_gemm_ex)
GEMM_EX(int64_t, rocblas_gemm_ex_64)
GEMM_STRIDED_EX(int, rocblas_gemm_strided_batched_ex)
GEMM_STRIDED_EX(int64_t, rocblas_gemm_strided_batched_ex_64)
}
