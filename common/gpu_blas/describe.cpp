#include "gpu_blas/describe.h"

namespace libsgemm {

Product product(const char *entry, VendorHandle handle, int transa, int transb, int64_t m, int64_t n, int64_t k,
                const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta, void *c,
                int64_t ldc) {
  Product p(entry, handle, Routine::gemm);
  p.call.transa = op_of(transa);
  p.call.transb = op_of(transb);
  p.size(m, n, k);
  p.scalars(alpha, beta);
  p.operands(a, lda, b, ldb, c, ldc);
  return p;
}

Product symmetric(const char *entry, VendorHandle handle, Routine routine, int uplo, int trans, int64_t n, int64_t k) {
  Product p(entry, handle, routine);
  p.call.uplo = uplo_of(uplo);
  p.call.transa = op_of(trans);
  p.call.n = n;
  p.call.k = k;
  return p;
}

Product syrkx(const char *entry, VendorHandle handle, int uplo, int trans, int64_t n, int64_t k) {
  Product p = symmetric(entry, handle, Routine::gemmtr, uplo, trans, n, k);
  p.call.transb = p.call.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  return p;
}

Product triangular(const char *entry, VendorHandle handle, Routine routine, int side, int uplo, int trans, int diag,
                   int64_t m, int64_t n) {
  Product p(entry, handle, routine);
  p.call.side = side_of(side);
  p.call.uplo = uplo_of(uplo);
  p.call.transa = op_of(trans);
  p.call.diag = diag_of(diag);
  p.call.m = m;
  p.call.n = n;
  return p;
}

bool is_worth_a_copy(const Product &p, int64_t lda, int64_t ldb, int64_t ldc) {
  const Call &c = p.call;
  const int64_t order = c.side == LIBSGEMM_LEFT ? c.m : c.n;
  return c.side >= 0 && c.uplo >= 0 && c.transa >= 0 && c.diag >= 0 && c.m > 0 && c.n > 0 && lda >= order &&
         ldb >= c.m && ldc >= c.m;
}

}  // namespace libsgemm
