#include "level3.h"

#include <optional>

#include "handles.h"
#include "operand.h"
#include "product.h"

namespace libsgemm_python {
namespace {

float *written(const Operand &x) { return static_cast<float *>(const_cast<void *>(x.data)); }

nb::object syrk(nb::handle a, const char *uplo, const char *trans, float alpha, float beta, nb::handle out,
                nb::handle mode, nb::handle backend, nb::handle verify) {
  const libsgemm_uplo_t triangle = uplo_from(uplo);
  const libsgemm_op_t op = one_op(trans);
  require_out_for(beta, out);
  Array x(a, "a", Use::input);
  std::optional<Array> c;
  if (!out.is_none()) c.emplace(out, "out", Use::output);
  const Place place = c ? take({&*c, &x}) : take({&x});
  const int64_t n = op == LIBSGEMM_TRANS ? x.cols() : x.rows(), k = op == LIBSGEMM_TRANS ? x.rows() : x.cols();
  nb::object result = nb::borrow(out);
  if (!c) {
    result = x.ndim == 3 ? make(x, {x.count(), n, n}, true) : make(x, {n, n}, true);
    c.emplace(result, "out", Use::made);
    take({&*c});
  }
  require_shape(*c, n, n, "for this a");
  const int64_t count = common_count({&x, &*c});
  if (c->count() != count) throw nb::value_error("out has fewer matrices than the batch");
  const libsgemm_layout_t layout = layout_of(*c);
  const Operand from = operand_of(x, layout), to = operand_of(*c, layout);
  const libsgemm_op_t stored = flip_if(from.flipped, op);
  const libsgemm_handle_t h = handle_for(place, settings_for(mode, backend, verify));
  const auto submit = [&](auto *element, auto one, auto many) {
    const auto data = static_cast<decltype(element)>(from.data);
    if (x.ndim == 2 && c->ndim == 2) {
      return one(h, layout, triangle, stored, n, k, alpha, data, from.ld, beta, written(to), to.ld);
    }
    return many(h, layout, triangle, stored, n, k, alpha, data, from.ld, from.step, beta, written(to), to.ld, to.step,
                count);
  };
  run(place, h, [&] {
    if (x.type == Type::fp16) {
      const libsgemm_half_t *const element = nullptr;
      return submit(element, libsgemm_shsyrk_h, libsgemm_shsyrk_batch_strided_h);
    }
    if (x.type == Type::bf16) {
      const libsgemm_bfloat16_t *const element = nullptr;
      return submit(element, libsgemm_sbsyrk_h, libsgemm_sbsyrk_batch_strided_h);
    }
    const float *const element = nullptr;
    return submit(element, libsgemm_ssyrk_h, libsgemm_ssyrk_batch_strided_h);
  });
  return result;
}

void require_square(const Array &a, const Array &b, libsgemm_side_t side) {
  const int64_t order = side == LIBSGEMM_LEFT ? b.rows() : b.cols();
  require_shape(a, order, order,
                side == LIBSGEMM_LEFT ? "to multiply b from the left" : "to multiply b from the right");
}

nb::object symm(nb::handle a, nb::handle b, const char *side, const char *uplo, float alpha, float beta, nb::handle out,
                nb::handle mode, nb::handle backend, nb::handle verify) {
  const libsgemm_side_t from = side_from(side);
  const libsgemm_uplo_t triangle = uplo_from(uplo);
  require_out_for(beta, out);
  Array x(a, "a", Use::input), y(b, "b", Use::input);
  std::optional<Array> c;
  if (!out.is_none()) c.emplace(out, "out", Use::output);
  const Place place = c ? take({&*c, &x, &y}) : take({&x, &y});
  require_float32(x);
  require_float32(y);
  for (const Array *array : {&x, &y}) {
    if (array->ndim != 2) throw nb::value_error((std::string(array->name) + " must have 2 dimensions").c_str());
  }
  require_square(x, y, from);
  // symm cannot transpose b: a new result has b's layout.
  nb::object result = nb::borrow(out);
  if (!c) {
    const bool by_rows = layout_of(y) == LIBSGEMM_ROW_MAJOR;
    result =
        by_rows ? make(y, {y.rows(), y.cols()}, false) : nb::object(make(y, {y.cols(), y.rows()}, false).attr("T"));
    c.emplace(result, "out", Use::made);
    take({&*c});
  }
  if (c->ndim != 2) throw nb::value_error("out must have 2 dimensions");
  require_shape(*c, y.rows(), y.cols(), "as b is");
  libsgemm_layout_t layout = layout_of(*c);
  if (operand_of(y, layout).flipped) layout = layout_of(y);  // out may be a vector, which has both layouts
  const Operand p = operand_of(x, layout), q = unflipped(y, layout, *c), r = unflipped(*c, layout, y);
  const libsgemm_handle_t h = handle_for(place, settings_for(mode, backend, verify));
  run(place, h, [&] {
    return libsgemm_ssymm_h(h, layout, from, flip_if(p.flipped, triangle), y.rows(), y.cols(), alpha,
                            static_cast<const float *>(p.data), p.ld, static_cast<const float *>(q.data), q.ld, beta,
                            written(r), r.ld);
  });
  return result;
}

// trmm and trsm overwrite b: the caller's if it is out, otherwise a copy.
template <typename One, typename Many>
nb::object triangular(One one, Many many, nb::handle a, nb::handle b, const char *side, const char *uplo,
                      const char *trans, bool unit, float alpha, nb::handle out, nb::handle mode, nb::handle backend,
                      nb::handle verify) {
  const libsgemm_side_t from = side_from(side);
  const libsgemm_uplo_t triangle = uplo_from(uplo);
  const libsgemm_op_t op = one_op(trans);
  if (!out.is_none() && !out.is(b)) {
    throw nb::value_error("out must be b itself, which is then overwritten, or None, for a result in a copy of b");
  }
  Array x(a, "a", Use::input);
  Array y(out.is_none() ? copy_of(b, "b") : nb::borrow(b), "b", out.is_none() ? Use::made : Use::output);
  const Place place = take({&y, &x});
  require_float32(x);
  require_square(x, y, from);
  const int64_t count = common_count({&x, &y});
  if (y.count() != count) throw nb::value_error("b has fewer matrices than the batch");
  const libsgemm_layout_t layout = layout_of(y);
  const Operand p = operand_of(x, layout), q = operand_of(y, layout);
  const libsgemm_uplo_t stored = flip_if(p.flipped, triangle);
  const libsgemm_op_t stored_op = flip_if(p.flipped, op);
  const libsgemm_diag_t diag = unit ? LIBSGEMM_UNIT : LIBSGEMM_NON_UNIT;
  const libsgemm_handle_t h = handle_for(place, settings_for(mode, backend, verify));
  run(place, h, [&] {
    const float *const data = static_cast<const float *>(p.data);
    if (x.ndim == 2 && y.ndim == 2) {
      return one(h, layout, from, stored, stored_op, diag, y.rows(), y.cols(), alpha, data, p.ld, written(q), q.ld);
    }
    return many(h, layout, from, stored, stored_op, diag, y.rows(), y.cols(), alpha, data, p.ld, p.step, written(q),
                q.ld, q.step, count);
  });
  return y.object;
}

nb::object trmm(nb::handle a, nb::handle b, const char *side, const char *uplo, const char *trans, bool unit,
                float alpha, nb::handle out, nb::handle mode, nb::handle backend, nb::handle verify) {
  return triangular(libsgemm_strmm_h, libsgemm_strmm_batch_strided_h, a, b, side, uplo, trans, unit, alpha, out, mode,
                    backend, verify);
}

nb::object trsm(nb::handle a, nb::handle b, const char *side, const char *uplo, const char *trans, bool unit,
                float alpha, nb::handle out, nb::handle mode, nb::handle backend, nb::handle verify) {
  return triangular(libsgemm_strsm_h, libsgemm_strsm_batch_strided_h, a, b, side, uplo, trans, unit, alpha, out, mode,
                    backend, verify);
}

}  // namespace

void bind_level3(nb::module_ &module) {
  module.def("syrk", syrk, nb::arg("a"), nb::kw_only(), nb::arg("uplo") = "lower", nb::arg("trans") = "N",
             nb::arg("alpha") = 1.0f, nb::arg("beta") = 0.0f, nb::arg("out") = nb::none(), nb::arg("mode") = nb::none(),
             nb::arg("backend") = nb::none(), nb::arg("verify") = nb::none(),
             nb::sig("def syrk(a: libsgemm._types.Array, *, uplo: str = 'lower', trans: str = 'N', alpha: float = 1.0, "
                     "beta: float = 0.0, out: libsgemm._types.Array | None = None, mode: str | None = None, "
                     "backend: str | None = None, verify: str | None = None) -> typing.Any"),
             R"(out = alpha * op(a) @ op(a).T + beta * out, of which only the triangle uplo is read and written.

Shapes: op(a) is n x k: a is n x k ('N') or k x n ('T'); out is n x n. With a third dimension in front they
are batches. a is float32, float16 or bfloat16, out float32; without out the result is a new array whose
other triangle is zero. Strides, settings and errors as of gemm().)");
  module.def(
      "symm", symm, nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("side") = "left", nb::arg("uplo") = "lower",
      nb::arg("alpha") = 1.0f, nb::arg("beta") = 0.0f, nb::arg("out") = nb::none(), nb::arg("mode") = nb::none(),
      nb::arg("backend") = nb::none(), nb::arg("verify") = nb::none(),
      nb::sig("def symm(a: libsgemm._types.Array, b: libsgemm._types.Array, *, side: str = 'left', "
              "uplo: str = 'lower', alpha: float = 1.0, beta: float = 0.0, out: libsgemm._types.Array | None = None, "
              "mode: str | None = None, backend: str | None = None, verify: str | None = None) -> typing.Any"),
      R"(out = alpha * a @ b + beta * out (side 'left') or alpha * b @ a + beta * out ('right'), a symmetric.

Shapes: b and out are m x n, a is m x m (left) or n x n (right), of which only the triangle uplo is read.
All are float32 and have 2 dimensions; out must be stored by rows or columns as b is. Strides, settings and
errors as of gemm().)");
  const char *const doc_trmm =
      R"(alpha * op(a) @ b (side 'left') or alpha * b @ op(a) ('right'), a triangular.

Shapes: b is m x n, a is m x m (left) or n x n (right), of which only the triangle uplo is read, and with
unit not its diagonal, which is taken to be one. With a third dimension in front they are batches. All are
float32. out=b overwrites b; without out the result is in a copy of b. Strides, settings and errors as of
gemm().)";
  const char *const doc_trsm =
      R"(The x with op(a) @ x = alpha * b (side 'left') or x @ op(a) = alpha * b ('right'), a triangular.

Shapes: b and x are m x n, a is m x m (left) or n x n (right), of which only the triangle uplo is read, and
with unit not its diagonal, which is taken to be one. With a third dimension in front they are batches. All
are float32. out=b overwrites b; without out the result is in a copy of b. As in BLAS a zero on the diagonal
gives Inf or NaN. Strides, settings and errors as of gemm().)";
#define LIBSGEMM_BIND_TRIANGULAR(name)                                                                                \
  module.def(                                                                                                         \
      #name, name, nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("side") = "left", nb::arg("uplo") = "lower",    \
      nb::arg("trans") = "N", nb::arg("unit") = false, nb::arg("alpha") = 1.0f, nb::arg("out") = nb::none(),          \
      nb::arg("mode") = nb::none(), nb::arg("backend") = nb::none(), nb::arg("verify") = nb::none(),                  \
      nb::sig("def " #name "(a: libsgemm._types.Array, b: libsgemm._types.Array, *, side: str = 'left', uplo: str = " \
              "'lower', trans: str = 'N', unit: bool = False, alpha: float = 1.0, out: libsgemm._types.Array "        \
              "| None = None, mode: str | None = None, backend: str | None = None, verify: str | None = None"         \
              ") -> typing.Any"),                                                                                     \
      doc_##name)
  LIBSGEMM_BIND_TRIANGULAR(trmm);
  LIBSGEMM_BIND_TRIANGULAR(trsm);
#undef LIBSGEMM_BIND_TRIANGULAR
}

}  // namespace libsgemm_python
