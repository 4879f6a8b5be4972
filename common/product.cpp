// From a description to views.
#include "product.h"

namespace libsgemm {
namespace {

View general(const void *data, int64_t ld, Type type, libsgemm_op_t op) {
  const View view = {data, 1, ld, type, View::general, false, false};
  return op == LIBSGEMM_NO_TRANS ? view : view.transposed();
}

View structured(const GemmDesc &d, View::Structure structure) {
  const View view = {d.a, 1, d.lda, d.type, structure, d.uplo == LIBSGEMM_UPPER, d.diag == LIBSGEMM_UNIT};
  return structure == View::symmetric || d.transa == LIBSGEMM_NO_TRANS ? view : view.transposed();
}

Output output(const GemmDesc &d) {
  const Stored::Part part = stored_c(d).part;
  return {d.c, 1, d.ldc, part == Stored::all ? Output::all : part == Stored::upper ? Output::upper : Output::lower};
}

}  // namespace

Products products(const GemmDesc &d, const float *factor, int64_t ldf, libsgemm_math_mode_t mode) {
  Products p = {1, {}, output(d)};
  Product &t = p.term[0];
  t.m = d.m;
  t.n = d.n;
  t.k = d.k;
  const bool left = d.side == LIBSGEMM_LEFT;
  switch (d.routine) {
    case Routine::gemm:
    case Routine::gemmtr:
      t.x = general(d.a, d.lda, d.type, d.transa);
      t.y = general(d.b, d.ldb, d.type, d.transb);
      break;
    case Routine::symm:
    case Routine::trmm:
    case Routine::trsm: {
      const bool symm = d.routine == Routine::symm;
      const View a = structured(d, symm ? View::symmetric : View::triangular);
      const View b =
          symm ? general(d.b, d.ldb, d.type, LIBSGEMM_NO_TRANS) : general(factor, ldf, Type::f32, LIBSGEMM_NO_TRANS);
      t.x = left ? a : b;
      t.y = left ? b : a;
      break;
    }
    case Routine::syrk:
      t.x = general(d.a, d.lda, d.type, d.transa);
      t.y = t.x.transposed();
      break;
    case Routine::syr2k:
      p.count = 2;
      t.x = general(d.a, d.lda, d.type, d.transa);
      t.y = general(d.b, d.ldb, d.type, d.transa).transposed();
      p.term[1] = t;
      p.term[1].x = t.y.transposed();
      p.term[1].y = t.x.transposed();
      break;
  }
  for (Product &term : p.term) term.x.mode = term.y.mode = mode;
  return p;
}

}  // namespace libsgemm
