#include "product.h"

#include <cstring>
#include <optional>

namespace libsgemm_python {
namespace {

struct Call {
  libsgemm_handle_t h;
  libsgemm_layout_t layout;
  libsgemm_op_t transa, transb;
  int64_t m, n, k, count;
  bool batch;
  Operand a, b, c;
  float alpha, beta;
  libsgemm_plan_t plan_a, plan_b;
};

template <typename T, typename One, typename Many>
libsgemm_status_t submit(const Call &x, One one, Many many) {
  const T *const a = static_cast<const T *>(x.a.data), *const b = static_cast<const T *>(x.b.data);
  float *const c = static_cast<float *>(const_cast<void *>(x.c.data));
  if (!x.batch) {
    return one(x.h, x.layout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a, x.a.ld, b, x.b.ld, x.beta, c, x.c.ld);
  }
  return many(x.h, x.layout, x.transa, x.transb, x.m, x.n, x.k, x.alpha, a, x.a.ld, x.a.step, b, x.b.ld, x.b.step,
              x.beta, c, x.c.ld, x.c.step, x.count);
}

libsgemm_status_t submit(const Call &x, Type type) {
  if (x.plan_a != nullptr || x.plan_b != nullptr) {
    return libsgemm_sgemm_planned_h(x.h, x.layout, x.transa, x.transb, x.m, x.n, x.k, x.alpha,
                                    static_cast<const float *>(x.a.data), x.a.ld, x.plan_a,
                                    static_cast<const float *>(x.b.data), x.b.ld, x.plan_b, x.beta,
                                    static_cast<float *>(const_cast<void *>(x.c.data)), x.c.ld);
  }
  switch (type) {
    case Type::fp16:
      return submit<libsgemm_half_t>(x, libsgemm_shgemm_h, libsgemm_shgemm_batch_strided_h);
    case Type::bf16:
      return submit<libsgemm_bfloat16_t>(x, libsgemm_sbgemm_h, libsgemm_sbgemm_batch_strided_h);
    case Type::fp32:
      break;
  }
  return submit<float>(x, libsgemm_sgemm_h, libsgemm_sgemm_batch_strided_h);
}

nb::object gemm(nb::handle a, nb::handle b, const char *trans, float alpha, float beta, nb::handle out, nb::handle mode,
                nb::handle backend, nb::handle verify) {
  const Ops ops = ops_from(trans);
  require_out_for(beta, out);
  Plan *const plan_a = plan_from(a), *const plan_b = plan_from(b);
  std::optional<Array> own_a, own_b, c;
  Array &x = plan_a != nullptr ? plan_a->array() : own_a.emplace(a, "a", Use::input);
  Array &y = plan_b != nullptr ? plan_b->array() : own_b.emplace(b, "b", Use::input);
  Settings settings = settings_for(mode, backend, verify);
  for (const Plan *const plan : {plan_a, plan_b}) {
    if (plan != nullptr && mode.is_none()) settings.mode = plan->settings().mode;
  }
  if (plan_a != nullptr) plan_a->require_use(LIBSGEMM_LEFT, ops.a);
  if (plan_b != nullptr) plan_b->require_use(LIBSGEMM_RIGHT, ops.b);

  Place place;
  if (!out.is_none()) {
    c.emplace(out, "out", Use::output);
    place = take({&*c, &x, &y});
  } else {
    place = take({&x, &y});
  }
  const Size size = size_of(x, y, ops);
  nb::object result = nb::borrow(out);
  if (out.is_none()) {
    const Array &like = plan_a != nullptr ? y : x;
    const int64_t count = common_count({&x, &y});
    const bool batch = x.ndim == 3 || y.ndim == 3;
    result = batch ? make(like, {count, size.m, size.n}, false) : make(like, {size.m, size.n}, false);
    c.emplace(result, "out", Use::made);
    const Place made = take({&*c});
    if (!(made.device == place.device)) throw nb::value_error("the framework made the result on another device");
    if (plan_a != nullptr && plan_b != nullptr) place = made;  // the plans' streams may be outdated
  }
  multiply({x, y, *c, ops, alpha, beta, plan_a, plan_b}, place, settings);
  return result;
}

}  // namespace

Size size_of(const Array &a, const Array &b, const Ops &ops) {
  if (a.type != b.type) {
    throw nb::type_error((std::string(a.name) + " and " + b.name + " have different dtypes").c_str());
  }
  const bool ta = ops.a == LIBSGEMM_TRANS, tb = ops.b == LIBSGEMM_TRANS;
  const Size size = {ta ? a.cols() : a.rows(), tb ? b.rows() : b.cols(), ta ? a.rows() : a.cols()};
  if ((tb ? b.cols() : b.rows()) != size.k) {
    throw nb::value_error((std::string(a.name) + " (" + a.shape_in_words() + ") and " + b.name + " (" +
                           b.shape_in_words() + ") do not fit: op(a) has " + std::to_string(size.k) +
                           " columns and op(b) " + std::to_string(tb ? b.cols() : b.rows()) + " rows")
                              .c_str());
  }
  return size;
}

Ops ops_from(const char *trans) {
  if (std::strlen(trans) != 2) {
    throw nb::value_error(
        (std::string("trans='") + trans + "' is not valid: use two letters, 'NN', 'NT', 'TN' or 'TT'").c_str());
  }
  return {op_from(trans[0], trans), op_from(trans[1], trans)};
}

void require_out_for(float beta, nb::handle out) {
  if (out.is_none() && beta != 0) throw nb::value_error("beta is not 0 but there is no out for it to multiply");
}

void multiply(const Product &p, const Place &place, const Settings &settings) {
  const Size size = size_of(p.a, p.b, p.ops);
  require_shape(p.c, size.m, size.n, "for these operands");
  Call x = {};
  x.batch = p.a.ndim == 3 || p.b.ndim == 3 || p.c.ndim == 3;
  x.count = common_count({&p.a, &p.b, &p.c});
  if (p.c.count() != x.count) throw nb::value_error("out has fewer matrices than the batch");
  x.layout = layout_of(p.c);
  const bool planned = p.plan_a != nullptr || p.plan_b != nullptr;
  if (planned && (x.batch || x.layout != Plan::kLayout)) {
    throw nb::value_error("with a plan the arrays must have 2 dimensions and out must be stored by rows (C order)");
  }
  x.a = operand_of(p.a, x.layout);
  x.b = operand_of(p.b, x.layout);
  x.c = operand_of(p.c, x.layout);
  x.transa = flip_if(x.a.flipped, p.ops.a);
  x.transb = flip_if(x.b.flipped, p.ops.b);
  x.m = size.m;
  x.n = size.n;
  x.k = size.k;
  x.alpha = p.alpha;
  x.beta = p.beta;
  x.plan_a = p.plan_a != nullptr ? p.plan_a->plan() : nullptr;
  x.plan_b = p.plan_b != nullptr ? p.plan_b->plan() : nullptr;
  x.h = handle_for(place, settings);
  // Releasing and taking Python's lock takes as long as such a product.
  constexpr double kBrief = 4096;  // multiply-adds
  double work = 1;
  for (const int64_t size : {x.m, x.n, x.k, x.count}) work *= static_cast<double>(size);
  const bool brief = place.device.is_host() && work <= kBrief;
  run(
      place, x.h, [&] { return submit(x, p.a.type); }, brief);
}

void bind_product(nb::module_ &module) {
  module.def("gemm", gemm, nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("trans") = "NN", nb::arg("alpha") = 1.0f,
             nb::arg("beta") = 0.0f, nb::arg("out") = nb::none(), nb::arg("mode") = nb::none(),
             nb::arg("backend") = nb::none(), nb::arg("verify") = nb::none(),
             nb::sig("def gemm(a: libsgemm._types.Array | Plan, b: libsgemm._types.Array | Plan, *, trans: str = 'NN', "
                     "alpha: float = 1.0, beta: float = 0.0, out: libsgemm._types.Array | None = None, "
                     "mode: str | None = None, backend: str | None = None, verify: str | None = None) -> typing.Any"),
             R"(out = alpha * op(a) @ op(b) + beta * out. Returns out, or a new float32 array if there is none.

Shapes: op(a) is m x k, op(b) k x n, out m x n; op is the transpose where trans, a letter for each, has T.
So a is m x k ('N') or k x m ('T'). With a third dimension in front they are batches of `count` matrices;
an operand that has 2 dimensions, or a batch of 1, serves for the whole batch.

a and b are both float32, float16 or bfloat16; out and all sums are float32. Of each matrix one stride must
be 1 element and the other at least the length of a row or column: C and Fortran order, transposes and
slices of these are used in place, and nothing is copied. out must not share memory with a or b.

mode: 'fp32', 'fp32_fast', 'fp64', 'tf32', 'bf16', 'fp16', 'bf16x6', 'fp16x3'. backend: the backends, as
LIBSGEMM_BACKEND. verify: 'off', 'sample', 'full'. None: what libsgemm.using() has in force, or else the
environment.

Raises TypeError: a dtype is wrong, or an argument is no array. ValueError: shapes, strides, devices, a
read-only out, a masked array, a tensor that requires grad, beta without out. libsgemm.Error: what the library
refused.)");
}

}  // namespace libsgemm_python
