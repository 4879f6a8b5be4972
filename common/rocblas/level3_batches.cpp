// libsgemm has no batches by arrays of pointers: they are counted and forwarded.
#include "gpu_blas/level3.h"
#include "rocblas/trmm.h"

namespace libsgemm {
namespace {

Product batch(Product p, int64_t count) {
  p.call.batch_count = count;
  p.refuse("batch by pointers");
  return p;
}

}  // namespace
}  // namespace libsgemm

using namespace libsgemm;

#define SYMM_BATCHED(INT, name)                                                                              \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, INT m, INT n, const float *alpha,           \
                        const float *const *a, INT lda, const float *const *b, INT ldb, const float *beta,   \
                        float *const *c, INT ldc, INT count) {                                               \
    static Real<decltype(name)> real(#name);                                                                 \
    Product p(#name, handle, Routine::symm);                                                                 \
    p.call.side = side_of(side);                                                                             \
    p.size(m, n, 0);                                                                                         \
    return take(batch(p, count),                                                                             \
                [&] { return real(handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc, count); }); \
  }

#define SYRK_BATCHED(INT, name)                                                                                        \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int trans, INT n, INT k, const float *alpha,                    \
                        const float *const *a, INT lda, const float *beta, float *const *c, INT ldc, INT count) {      \
    static Real<decltype(name)> real(#name);                                                                           \
    const Product p = symmetric(#name, handle, Routine::syrk, uplo, trans, n, k);                                      \
    return take(batch(p, count), [&] { return real(handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, count); }); \
  }

#define SYR2K_BATCHED(INT, name, routine)                                                                     \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int trans, INT n, INT k, const float *alpha,           \
                        const float *const *a, INT lda, const float *const *b, INT ldb, const float *beta,    \
                        float *const *c, INT ldc, INT count) {                                                \
    static Real<decltype(name)> real(#name);                                                                  \
    const Product p = symmetric(#name, handle, routine, uplo, trans, n, k);                                   \
    return take(batch(p, count),                                                                              \
                [&] { return real(handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count); }); \
  }

#define GEMMT_BATCHED(INT, name)                                                                                       \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int transa, int transb, INT n, INT k, const float *alpha,       \
                        const float *const *a, INT lda, const float *const *b, INT ldb, const float *beta,             \
                        float *const *c, INT ldc, INT count) {                                                         \
    static Real<decltype(name)> real(#name);                                                                           \
    const Product p = symmetric(#name, handle, Routine::gemmtr, uplo, transa, n, k);                                   \
    return take(batch(p, count),                                                                                       \
                [&] { return real(handle, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count); }); \
  }

#define TRMM_BATCHED(INT, name)                                                                                     \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,                 \
                        const float *alpha, const float *const *a, INT lda, const float *const *b, INT ldb,         \
                        float *const *c, INT ldc, INT count) {                                                      \
    static Real<decltype(name)> real(#name);                                                                        \
    const Product p = triangular(#name, handle, Routine::trmm, side, uplo, trans, diag, m, n);                      \
    return take(batch(p, trmm_is_older() ? 1 : count),                                                              \
                [&] { return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc, count); }); \
  }

extern "C" {
SYMM_BATCHED(int, rocblas_ssymm_batched)
SYMM_BATCHED(int64_t, rocblas_ssymm_batched_64)
SYRK_BATCHED(int, rocblas_ssyrk_batched)
SYRK_BATCHED(int64_t, rocblas_ssyrk_batched_64)
SYR2K_BATCHED(int, rocblas_ssyr2k_batched, Routine::syr2k)
SYR2K_BATCHED(int64_t, rocblas_ssyr2k_batched_64, Routine::syr2k)
SYR2K_BATCHED(int, rocblas_ssyrkx_batched, Routine::gemmtr)
SYR2K_BATCHED(int64_t, rocblas_ssyrkx_batched_64, Routine::gemmtr)
GEMMT_BATCHED(int, rocblas_sgemmt_batched)
GEMMT_BATCHED(int64_t, rocblas_sgemmt_batched_64)
TRMM_BATCHED(int, rocblas_strmm_batched)
TRMM_BATCHED(int64_t, rocblas_strmm_batched_64)
TRSM_BATCHED(int, rocblas_strsm_batched)
TRSM_BATCHED(int64_t, rocblas_strsm_batched_64)
}
