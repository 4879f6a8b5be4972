#include "product.h"

#include <utility>

namespace libsgemm {
namespace {

View general(const void *data, int64_t ld, Type type, libsgemm_op_t op) {
  const View view = {data, 1, ld, type, View::general, false, false};
  return op == LIBSGEMM_NO_TRANS ? view : view.transposed();
}

View view_of_a(const GemmDesc &d) {
  const RoutineTraits &r = traits_of(d);
  if (!r.one_sided()) return general(d.a, d.lda, d.type, d.transa);
  const bool symmetric = r.a == RoutineTraits::symmetric;
  const View view = {d.a,
                     1,
                     d.lda,
                     d.type,
                     symmetric ? View::symmetric : View::triangular,
                     d.uplo == LIBSGEMM_UPPER,
                     d.diag == LIBSGEMM_UNIT};
  return symmetric || d.transa == LIBSGEMM_NO_TRANS ? view : view.transposed();
}

Output output(const GemmDesc &d) {
  const Stored::Part part = stored_c(d).part;
  return {d.c, 1, d.ldc, part == Stored::all ? Output::all : part == Stored::upper ? Output::upper : Output::lower};
}

}  // namespace

Products products(const GemmDesc &d, const float *factor, int64_t ldf, libsgemm_math_mode_t mode) {
  const RoutineTraits &r = traits_of(d);
  Products p = {r.terms(), {}, output(d)};
  Product &t = p.term[0];
  t.m = d.m;
  t.n = d.n;
  t.k = d.k;
  t.x = view_of_a(d);
  switch (r.b) {
    case RoutineTraits::free:
      t.y = general(d.b, d.ldb, d.type, d.transb);
      break;
    case RoutineTraits::as_a:
      t.y = general(d.b, d.ldb, d.type, d.transa).transposed();
      break;
    case RoutineTraits::as_c:
      t.y = general(d.b, d.ldb, d.type, LIBSGEMM_NO_TRANS);
      break;
    case RoutineTraits::is_a:
      t.y = t.x.transposed();
      break;
    case RoutineTraits::is_c:
      t.y = general(factor, ldf, Type::f32, LIBSGEMM_NO_TRANS);
      break;
  }
  if (r.one_sided() && d.side == LIBSGEMM_RIGHT) std::swap(t.x, t.y);
  if (p.count == 2) {
    p.term[1] = t;
    p.term[1].x = t.y.transposed();
    p.term[1].y = t.x.transposed();
  }
  for (Product &term : p.term) term.x.mode = term.y.mode = mode;
  return p;
}

}  // namespace libsgemm
