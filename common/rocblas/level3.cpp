#include "gpu_blas/level3.h"

#include "rocblas/trmm.h"

namespace libsgemm {
namespace {

Product triangle(const char *entry, VendorHandle handle, int uplo, int transa, int transb, int64_t n, int64_t k) {
  Product p(entry, handle, Routine::gemmtr);
  p.call.uplo = uplo_of(uplo);
  p.call.transa = op_of(transa);
  p.call.transb = op_of(transb);
  p.call.n = n;
  p.call.k = k;
  return p;
}

}  // namespace
}  // namespace libsgemm

using namespace libsgemm;

#define GEMMT(INT, name)                                                                                           \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int transa, int transb, INT n, INT k, const float *alpha,   \
                        const float *a, INT lda, const float *b, INT ldb, const float *beta, float *c, INT ldc) {  \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p = triangle(#name, handle, uplo, transa, transb, n, k);                                               \
    p.scalars(alpha, beta);                                                                                        \
    p.operands(a, lda, b, ldb, c, ldc);                                                                            \
    return take(p, [&] { return real(handle, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc); }); \
  }

#define SYRK_STRIDED(INT, name)                                                                                      \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a,  \
                        INT lda, int64_t stride_a, const float *beta, float *c, INT ldc, int64_t stride_c,           \
                        INT count) {                                                                                 \
    static Real<decltype(name)> real(#name);                                                                         \
    Product p = symmetric(#name, handle, Routine::syrk, uplo, trans, n, k);                                          \
    p.scalars(alpha, beta);                                                                                          \
    p.operands(a, lda, nullptr, 0, c, ldc);                                                                          \
    p.strides(stride_a, 0, stride_c, count);                                                                         \
    return take(                                                                                                     \
        p, [&] { return real(handle, uplo, trans, n, k, alpha, a, lda, stride_a, beta, c, ldc, stride_c, count); }); \
  }

// Only in place: otherwise B would be copied, in vain if the backend lacks such a batch.
#define TRMM_STRIDED(INT, name)                                                                                       \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,                   \
                        const float *alpha, const float *a, INT lda, int64_t stride_a, const float *b, INT ldb,       \
                        int64_t stride_b, float *c, INT ldc, int64_t stride_c, INT count) {                           \
    static Real<decltype(name)> real(#name);                                                                          \
    Product p = triangular(#name, handle, Routine::trmm, side, uplo, trans, diag, m, n);                              \
    p.scalars(alpha, nullptr, false);                                                                                 \
    p.operands(a, lda, nullptr, 0, c, ldc);                                                                           \
    p.strides(stride_a, 0, stride_c, trmm_is_older() ? 1 : count);                                                    \
    if (trmm_is_older()) p.refuse(kOlderTrmm);                                                                        \
    if (b != c || ldb != ldc || stride_b != stride_c) p.refuse("C apart from B");                                     \
    return take(p, [&] {                                                                                              \
      return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, stride_a, b, ldb, stride_b, c, ldc, stride_c, \
                  count);                                                                                             \
    });                                                                                                               \
  }

#define TRSM_STRIDED(INT, name)                                                                             \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,         \
                        const float *alpha, const float *a, INT lda, int64_t stride_a, float *b, INT ldb,   \
                        int64_t stride_b, INT count) {                                                      \
    static Real<decltype(name)> real(#name);                                                                \
    Product p = triangular(#name, handle, Routine::trsm, side, uplo, trans, diag, m, n);                    \
    p.scalars(alpha, nullptr, false);                                                                       \
    p.operands(a, lda, nullptr, 0, b, ldb);                                                                 \
    p.strides(stride_a, 0, stride_b, count);                                                                \
    return take(p, [&] {                                                                                    \
      return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, stride_a, b, ldb, stride_b, count); \
    });                                                                                                     \
  }

#define SYMM_STRIDED(INT, name)                                                                                        \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, INT m, INT n, const float *alpha, const float *a,     \
                        INT lda, int64_t stride_a, const float *b, INT ldb, int64_t stride_b, const float *beta,       \
                        float *c, INT ldc, int64_t stride_c, INT count) {                                              \
    static Real<decltype(name)> real(#name);                                                                           \
    Product p(#name, handle, Routine::symm);                                                                           \
    p.call.side = side_of(side);                                                                                       \
    p.size(m, n, 0);                                                                                                   \
    p.strides(stride_a, stride_b, stride_c, count);                                                                    \
    p.refuse("batch by strides");                                                                                      \
    return take(p, [&] {                                                                                               \
      return real(handle, side, uplo, m, n, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count); \
    });                                                                                                                \
  }

#define SYR2K_STRIDED(INT, name, routine)                                                                           \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, \
                        INT lda, int64_t stride_a, const float *b, INT ldb, int64_t stride_b, const float *beta,    \
                        float *c, INT ldc, int64_t stride_c, INT count) {                                           \
    static Real<decltype(name)> real(#name);                                                                        \
    Product p = symmetric(#name, handle, routine, uplo, trans, n, k);                                               \
    p.strides(stride_a, stride_b, stride_c, count);                                                                 \
    p.refuse("batch by strides");                                                                                   \
    return take(p, [&] {                                                                                            \
      return real(handle, uplo, trans, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c,     \
                  count);                                                                                           \
    });                                                                                                             \
  }

#define GEMMT_STRIDED(INT, name)                                                                                 \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int transa, int transb, INT n, INT k, const float *alpha, \
                        const float *a, INT lda, int64_t stride_a, const float *b, INT ldb, int64_t stride_b,    \
                        const float *beta, float *c, INT ldc, int64_t stride_c, INT count) {                     \
    static Real<decltype(name)> real(#name);                                                                     \
    Product p = triangle(#name, handle, uplo, transa, transb, n, k);                                             \
    p.strides(stride_a, stride_b, stride_c, count);                                                              \
    p.refuse("batch by strides");                                                                                \
    return take(p, [&] {                                                                                         \
      return real(handle, uplo, transa, transb, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,   \
                  stride_c, count);                                                                              \
    });                                                                                                          \
  }

extern "C" {
SYMM(int, rocblas_ssymm)
SYMM(int64_t, rocblas_ssymm_64)
SYRK(int, rocblas_ssyrk)
SYRK(int64_t, rocblas_ssyrk_64)
SYR2K(int, rocblas_ssyr2k)
SYR2K(int64_t, rocblas_ssyr2k_64)
SYRKX(int, rocblas_ssyrkx)
SYRKX(int64_t, rocblas_ssyrkx_64)
GEMMT(int, rocblas_sgemmt)
GEMMT(int64_t, rocblas_sgemmt_64)
TRMM(int, rocblas_strmm, rocblas_sgeam, older_trmm())
TRMM(int64_t, rocblas_strmm_64, rocblas_sgeam_64, nullptr)
TRSM(int, rocblas_strsm)
TRSM(int64_t, rocblas_strsm_64)
SYRK_STRIDED(int, rocblas_ssyrk_strided_batched)
SYRK_STRIDED(int64_t, rocblas_ssyrk_strided_batched_64)
TRMM_STRIDED(int, rocblas_strmm_strided_batched)
TRMM_STRIDED(int64_t, rocblas_strmm_strided_batched_64)
TRSM_STRIDED(int, rocblas_strsm_strided_batched)
TRSM_STRIDED(int64_t, rocblas_strsm_strided_batched_64)
SYMM_STRIDED(int, rocblas_ssymm_strided_batched)
SYMM_STRIDED(int64_t, rocblas_ssymm_strided_batched_64)
SYR2K_STRIDED(int, rocblas_ssyr2k_strided_batched, Routine::syr2k)
SYR2K_STRIDED(int64_t, rocblas_ssyr2k_strided_batched_64, Routine::syr2k)
SYR2K_STRIDED(int, rocblas_ssyrkx_strided_batched, Routine::gemmtr)
SYR2K_STRIDED(int64_t, rocblas_ssyrkx_strided_batched_64, Routine::gemmtr)
GEMMT_STRIDED(int, rocblas_sgemmt_strided_batched)
GEMMT_STRIDED(int64_t, rocblas_sgemmt_strided_batched_64)
}
