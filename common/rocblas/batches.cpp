#include "gpu_blas/batches.h"

#include "rocblas/extended.h"

using namespace libsgemm;

#define GEMM_BATCHED_EX(INT, name)                                                                                 \
  LIBSGEMM_API int name(VendorHandle handle, int transa, int transb, INT m, INT n, INT k, const void *alpha,       \
                        const void *a, int a_type, INT lda, const void *b, int b_type, INT ldb, const void *beta,  \
                        const void *c, int c_type, INT ldc, void *d, int d_type, INT ldd, INT count, int compute,  \
                        int which, int32_t solution, uint32_t flags) {                                             \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p(#name, handle, Routine::gemm);                                                                       \
    extend(&p, m, {a_type, b_type, c, c_type, ldc, d, d_type, ldd, compute, which, solution, flags});              \
    const GroupArguments<INT> x = {&transa,                                                                        \
                                   &transb,                                                                        \
                                   &m,                                                                             \
                                   &n,                                                                             \
                                   &k,                                                                             \
                                   alpha,                                                                          \
                                   static_cast<const void *const *>(a),                                            \
                                   &lda,                                                                           \
                                   static_cast<const void *const *>(b),                                            \
                                   &ldb,                                                                           \
                                   beta,                                                                           \
                                   static_cast<void *const *>(d),                                                  \
                                   &ldd,                                                                           \
                                   1,                                                                              \
                                   &count};                                                                        \
    return take_groups(&p, x, [&] {                                                                                \
      return real(handle, transa, transb, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, d, \
                  d_type, ldd, count, compute, which, solution, flags);                                            \
    });                                                                                                            \
  }

extern "C" {
GEMM_BATCHED(int, rocblas_sgemm_batched)
GEMM_BATCHED(int64_t, rocblas_sgemm_batched_64)
GEMM_BATCHED_EX(int, rocblas_gemm_batched_ex)
GEMM_BATCHED_EX(int64_t, rocblas_gemm_batched_ex_64)
}
