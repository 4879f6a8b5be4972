// cuBLAS's other routines of level 3: symmetric and triangular matrices.
#include "cublas/real.h"
#include "cublas/take.h"

extern "C" int cublasSgeam_64(libsgemm::CublasHandle handle, int transa, int transb, int64_t m, int64_t n,
                              const float *alpha, const float *a, int64_t lda, const float *beta, const float *b,
                              int64_t ldb, float *c, int64_t ldc);
extern "C" int cublasSgeam(libsgemm::CublasHandle handle, int transa, int transb, int m, int n, const float *alpha,
                           const float *a, int lda, const float *beta, const float *b, int ldb, float *c, int ldc);

namespace libsgemm {
namespace {

Product symmetric(const char *entry, CublasHandle handle, Routine routine, int uplo, int trans, int64_t n, int64_t k) {
  Product p(entry, handle, routine);
  p.call.uplo = Product::uplo(uplo);
  p.call.transa = Product::op(trans);
  p.call.n = n;
  p.call.k = k;
  return p;
}

Product triangular(const char *entry, CublasHandle handle, Routine routine, int side, int uplo, int trans, int diag,
                   int64_t m, int64_t n) {
  Product p(entry, handle, routine);
  p.call.side = Product::side(side);
  p.call.uplo = Product::uplo(uplo);
  p.call.transa = Product::op(trans);
  p.call.diag = Product::diag(diag);
  p.call.m = m;
  p.call.n = n;
  return p;
}

// A matrix to be copied on the handle's stream, by cuBLAS, which knows the stream and the device.
struct MatrixCopy {
  CublasHandle handle;
  int64_t m, n;
  const float *from;
  int64_t from_ld;
  float *to;
  int64_t to_ld;
};

int copy(const MatrixCopy &x, int) {
  static Real<decltype(cublasSgeam)> real("cublasSgeam");
  const float one = 1, zero = 0;
  return real(x.handle, 0, 0, static_cast<int>(x.m), static_cast<int>(x.n), &one, x.from, static_cast<int>(x.from_ld),
              &zero, x.to, static_cast<int>(x.to_ld), x.to, static_cast<int>(x.to_ld));
}

int copy(const MatrixCopy &x, int64_t) {
  static Real<decltype(cublasSgeam_64)> real("cublasSgeam_64");
  const float one = 1, zero = 0;
  return real(x.handle, 0, 0, x.m, x.n, &one, x.from, x.from_ld, &zero, x.to, x.to_ld, x.to, x.to_ld);
}

// trmm of cuBLAS writes beside its B, which ours overwrites: copied first, unless the caller has B written over. What
// fails behind the copy is cuBLAS's to do, for which C is output alone.
template <typename INT>
int prepare_trmm(const void *argument) {
  return copy(*static_cast<const MatrixCopy *>(argument), INT());
}

// Nothing is copied for a call that cuBLAS would refuse, or that has nothing to multiply.
bool is_worth_a_copy(const Product &p, int64_t lda, int64_t ldb, int64_t ldc) {
  const Call &c = p.call;
  const int64_t order = c.side == LIBSGEMM_LEFT ? c.m : c.n;
  return c.side >= 0 && c.uplo >= 0 && c.transa >= 0 && c.diag >= 0 && c.m > 0 && c.n > 0 && lda >= order &&
         ldb >= c.m && ldc >= c.m;
}

}  // namespace
}  // namespace libsgemm

using namespace libsgemm;

#define SYMM(INT, name)                                                                                            \
  LIBSGEMM_API int name(CublasHandle handle, int side, int uplo, INT m, INT n, const float *alpha, const float *a, \
                        INT lda, const float *b, INT ldb, const float *beta, float *c, INT ldc) {                  \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p(#name, handle, Routine::symm);                                                                       \
    p.call.side = Product::side(side);                                                                             \
    p.call.uplo = Product::uplo(uplo);                                                                             \
    p.call.m = m;                                                                                                  \
    p.call.n = n;                                                                                                  \
    p.scalars(alpha, beta);                                                                                        \
    p.operands(a, lda, b, ldb, c, ldc);                                                                            \
    return take(p, [&] { return real(handle, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc); });           \
  }

#define SYRK(INT, name)                                                                                             \
  LIBSGEMM_API int name(CublasHandle handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, \
                        INT lda, const float *beta, float *c, INT ldc) {                                            \
    static Real<decltype(name)> real(#name);                                                                        \
    Product p = symmetric(#name, handle, Routine::syrk, uplo, trans, n, k);                                         \
    p.scalars(alpha, beta);                                                                                         \
    p.operands(a, lda, nullptr, 0, c, ldc);                                                                         \
    return take(p, [&] { return real(handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc); });                   \
  }

#define SYR2K(INT, name) DEFINE_SYR2K(INT, name, symmetric(#name, handle, Routine::syr2k, uplo, trans, n, k))
// C = alpha op(A) op(B)^T + beta C, of which the caller knows that it is symmetric.
#define SYRKX(INT, name) DEFINE_SYR2K(INT, name, syrkx(#name, handle, uplo, trans, n, k))
#define DEFINE_SYR2K(INT, name, description)                                                                        \
  LIBSGEMM_API int name(CublasHandle handle, int uplo, int trans, INT n, INT k, const float *alpha, const float *a, \
                        INT lda, const float *b, INT ldb, const float *beta, float *c, INT ldc) {                   \
    static Real<decltype(name)> real(#name);                                                                        \
    Product p = description;                                                                                        \
    p.scalars(alpha, beta);                                                                                         \
    p.operands(a, lda, b, ldb, c, ldc);                                                                             \
    return take(p, [&] { return real(handle, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc); });           \
  }

#define TRMM(INT, name)                                                                                            \
  LIBSGEMM_API int name(CublasHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,                \
                        const float *alpha, const float *a, INT lda, const float *b, INT ldb, float *c, INT ldc) { \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p = triangular(#name, handle, Routine::trmm, side, uplo, trans, diag, m, n);                           \
    p.scalars(alpha, nullptr, false);                                                                              \
    p.operands(a, lda, nullptr, 0, c, ldc);                                                                        \
    const bool in_place = b == c && ldb == ldc;                                                                    \
    if (!in_place && !is_worth_a_copy(p, lda, ldb, ldc)) p.refuse("argument not accepted");                        \
    const MatrixCopy first = {handle, m, n, b, ldb, c, ldc};                                                       \
    return take(                                                                                                   \
        p, [&] { return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc); },             \
        in_place ? Preparation() : Preparation{prepare_trmm<INT>, &first});                                        \
  }

#define TRSM(INT, name)                                                                                 \
  LIBSGEMM_API int name(CublasHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,     \
                        const float *alpha, const float *a, INT lda, float *b, INT ldb) {               \
    static Real<decltype(name)> real(#name);                                                            \
    Product p = triangular(#name, handle, Routine::trsm, side, uplo, trans, diag, m, n);                \
    p.scalars(alpha, nullptr, false);                                                                   \
    p.operands(a, lda, nullptr, 0, b, ldb);                                                             \
    return take(p, [&] { return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb); }); \
  }

// Of arrays of pointers we have no such batch: counted, and cuBLAS's.
#define TRSM_BATCHED(INT, name)                                                                                    \
  LIBSGEMM_API int name(CublasHandle handle, int side, int uplo, int trans, int diag, INT m, INT n,                \
                        const float *alpha, const float *const *a, INT lda, float *const *b, INT ldb, INT count) { \
    static Real<decltype(name)> real(#name);                                                                       \
    Product p = triangular(#name, handle, Routine::trsm, side, uplo, trans, diag, m, n);                           \
    p.call.batch_count = count;                                                                                    \
    p.refuse("batch by pointers");                                                                                 \
    return take(p, [&] { return real(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, count); });     \
  }

namespace libsgemm {
namespace {

Product syrkx(const char *entry, CublasHandle handle, int uplo, int trans, int64_t n, int64_t k) {
  Product p = symmetric(entry, handle, Routine::gemmtr, uplo, trans, n, k);
  p.call.transb = p.call.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  return p;
}

}  // namespace
}  // namespace libsgemm

extern "C" {
SYMM(int, cublasSsymm_v2)
SYMM(int64_t, cublasSsymm_v2_64)
SYRK(int, cublasSsyrk_v2)
SYRK(int64_t, cublasSsyrk_v2_64)
SYR2K(int, cublasSsyr2k_v2)
SYR2K(int64_t, cublasSsyr2k_v2_64)
SYRKX(int, cublasSsyrkx)
SYRKX(int64_t, cublasSsyrkx_64)
TRMM(int, cublasStrmm_v2)
TRMM(int64_t, cublasStrmm_v2_64)
TRSM(int, cublasStrsm_v2)
TRSM(int64_t, cublasStrsm_v2_64)
TRSM_BATCHED(int, cublasStrsmBatched)
TRSM_BATCHED(int64_t, cublasStrsmBatched_64)
}
