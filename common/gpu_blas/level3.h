// Symmetric and triangular routines of both vendors.
#pragma once

#include "gpu_blas/describe.h"
#include "gpu_blas/real.h"

namespace libsgemm {

template <typename INT>
using Geam = int(VendorHandle handle, int transa, int transb, INT m, INT n, const float *alpha, const float *a, INT lda,
                 const float *beta, const float *b, INT ldb, float *c, INT ldc);

template <typename INT>
using GeamReal = Real<Geam<INT>>;

// A copy by the vendor's geam on the handle's stream: the vendor knows stream and device.
template <typename INT>
struct MatrixCopy {
  GeamReal<INT> *geam;
  VendorHandle handle;
  INT m, n;
  const float *from;
  INT from_ld;
  float *to;
  INT to_ld;
};

// Copies B to C before trmm, unless they are the same: ours overwrites B. After a later failure the vendor's trmm,
// which does not read C, is called.
template <typename INT>
int prepare_trmm(const void *argument) {
  const auto &x = *static_cast<const MatrixCopy<INT> *>(argument);
  const float one = 1, zero = 0;
  return (*x.geam)(x.handle, kVendorNoTrans, kVendorNoTrans, x.m, x.n, &one, x.from, x.from_ld, &zero, x.to, x.to_ld,
                   x.to, x.to_ld);
}

}  // namespace libsgemm

#define SYMM(INT, name)                                                                                            \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, INT m, INT n, const float *alpha, const float *a, \
                        INT lda, const float *b, INT ldb, const float *beta, float *c, INT ldc) {                  \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p(#name, handle, Routine::symm);                                                                       \
    p.call.side = side_of(side);                                                                                   \
    p.call.uplo = uplo_of(uplo);                                                                                   \
    p.call.m = m;                                                                                                  \
    p.call.n = n;                                                                                                  \
    p.scalars(alpha, beta);                                                                                        \
    p.operands(a, lda, b, ldb, c, ldc);                                                                            \
    return take(p, [&] { return real(handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc); });           \
  }

#define SYRK(INT, name)                                                                                             \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, \
                        INT lda, const float *beta, float *c, INT ldc) {                                            \
    static Real<decltype(name)> real(#name);                                                                        \
    Product p = symmetric(#name, handle, Routine::syrk, uplo, trans, n, k);                                         \
    p.scalars(alpha, beta);                                                                                         \
    p.operands(a, lda, nullptr, 0, c, ldc);                                                                         \
    return take(p, [&] { return real(handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc); });                   \
  }

#define SYR2K(INT, name) DEFINE_SYR2K(INT, name, symmetric(#name, handle, Routine::syr2k, uplo, trans, n, k))
#define SYRKX(INT, name) DEFINE_SYR2K(INT, name, syrkx(#name, handle, uplo, trans, n, k))
#define DEFINE_SYR2K(INT, name, description)                                                                        \
  LIBSGEMM_API int name(VendorHandle handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, \
                        INT lda, const float *b, INT ldb, const float *beta, float *c, INT ldc) {                   \
    static Real<decltype(name)> real(#name);                                                                        \
    Product p = description;                                                                                        \
    p.scalars(alpha, beta);                                                                                         \
    p.operands(a, lda, b, ldb, c, ldc);                                                                             \
    return take(p, [&] { return real(handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc); });           \
  }

// `geam` copies; `refusal`: why the process's STRMM has other arguments, or NULL.
#define TRMM(INT, name, geam, refusal)                                                                             \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,                \
                        const float *alpha, const float *a, INT lda, const float *b, INT ldb, float *c, INT ldc) { \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p = triangular(#name, handle, Routine::trmm, side, uplo, trans, diag, m, n);                           \
    p.scalars(alpha, nullptr, false);                                                                              \
    p.operands(a, lda, nullptr, 0, c, ldc);                                                                        \
    const char *const why = (refusal);                                                                             \
    if (why != nullptr) p.refuse(why);                                                                             \
    const bool in_place = b == c && ldb == ldc;                                                                    \
    if (!in_place && !is_worth_a_copy(p, lda, ldb, ldc)) p.refuse("argument not accepted");                        \
    static GeamReal<INT> copy(#geam);                                                                              \
    const MatrixCopy<INT> first = {&copy, handle, m, n, b, ldb, c, ldc};                                           \
    return take(                                                                                                   \
        p, [&] { return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc); },             \
        in_place ? Preparation() : Preparation{prepare_trmm<INT>, &first});                                        \
  }

#define TRSM(INT, name)                                                                                 \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,     \
                        const float *alpha, const float *a, INT lda, float *b, INT ldb) {               \
    static Real<decltype(name)> real(#name);                                                            \
    Product p = triangular(#name, handle, Routine::trsm, side, uplo, trans, diag, m, n);                \
    p.scalars(alpha, nullptr, false);                                                                   \
    p.operands(a, lda, nullptr, 0, b, ldb);                                                             \
    return take(p, [&] { return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb); }); \
  }

// libsgemm has no such batch: calls are counted and forwarded.
#define TRSM_BATCHED(INT, name)                                                                                    \
  LIBSGEMM_API int name(VendorHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,                \
                        const float *alpha, const float *const *a, INT lda, float *const *b, INT ldb, INT count) { \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p = triangular(#name, handle, Routine::trsm, side, uplo, trans, diag, m, n);                           \
    p.call.batch_count = count;                                                                                    \
    p.refuse("batch by pointers");                                                                                 \
    return take(p, [&] { return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, count); });     \
  }
