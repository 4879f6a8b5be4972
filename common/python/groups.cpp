// gemm_batch: products of different sizes.
#include <memory>
#include <vector>

#include "product.h"

namespace libsgemm_python {
namespace {

using Arrays = std::vector<std::unique_ptr<Array>>;

struct Groups {
  std::vector<libsgemm_op_t> transa, transb;
  std::vector<int64_t> m, n, k, lda, ldb, ldc, ones;
  std::vector<float> alpha, beta;
  std::vector<const void *> a, b;
  std::vector<float *> c;

  void add(const Size &size, const Ops &ops, const Operand &x, const Operand &y, const Operand &z) {
    transa.push_back(flip_if(x.flipped, ops.a));
    transb.push_back(flip_if(y.flipped, ops.b));
    m.push_back(size.m);
    n.push_back(size.n);
    k.push_back(size.k);
    lda.push_back(x.ld);
    ldb.push_back(y.ld);
    ldc.push_back(z.ld);
    ones.push_back(1);
    a.push_back(x.data);
    b.push_back(y.data);
    c.push_back(static_cast<float *>(const_cast<void *>(z.data)));
  }

  template <typename T, typename Function>
  libsgemm_status_t submit(libsgemm_handle_t h, libsgemm_layout_t layout, Function function) const {
    return function(h, layout, transa.data(), transb.data(), m.data(), n.data(), k.data(), alpha.data(),
                    reinterpret_cast<const T *const *>(a.data()), lda.data(),
                    reinterpret_cast<const T *const *>(b.data()), ldb.data(), beta.data(), c.data(), ldc.data(),
                    static_cast<int64_t>(m.size()), ones.data());
  }
};

void require_matrix(const Array &x) {
  if (x.ndim != 2) throw nb::value_error((std::string(x.name) + " must have 2 dimensions").c_str());
}

nb::object gemm_batch(nb::sequence as, nb::sequence bs, const char *trans, float alpha, float beta, nb::handle out,
                      nb::handle mode, nb::handle backend, nb::handle verify) {
  const Ops ops = ops_from(trans);
  require_out_for(beta, out);
  const size_t count = nb::len(as);
  const bool given = !out.is_none();
  if (nb::len(bs) != count || (given && nb::len(out) != count)) {
    throw nb::value_error("a, b and out must be lists of the same length");
  }
  nb::list results;
  if (count == 0) return results;
  Arrays a, b, c;
  std::vector<Array *> all;
  const auto add = [&all](Arrays *to, nb::object x, const char *name, Use use) {
    to->push_back(std::make_unique<Array>(x, name, use));
    all.push_back(to->back().get());
  };
  for (size_t i = 0; i < count && given; ++i) {
    results.append(nb::object(nb::borrow(out)[i]));
    add(&c, results[i], "an array of out", Use::output);
  }
  for (size_t i = 0; i < count; ++i) {
    add(&a, as[i], "an array of a", Use::input);
    add(&b, bs[i], "an array of b", Use::input);
  }
  const Place place = take(all.data(), all.size());
  Groups groups;
  groups.alpha.assign(count, alpha);
  groups.beta.assign(count, beta);
  libsgemm_layout_t layout = LIBSGEMM_ROW_MAJOR;
  for (size_t i = 0; i < count; ++i) {
    require_matrix(*a[i]);
    require_matrix(*b[i]);
    const Size size = size_of(*a[i], *b[i], ops);
    if (a[i]->type != a[0]->type) throw nb::type_error("the arrays of a batch must all have one dtype");
    if (!given) {
      results.append(make(*a[i], {size.m, size.n}, false));
      add(&c, results[i], "an array of out", Use::made);
      take({c[i].get()});
    }
    require_matrix(*c[i]);
    require_shape(*c[i], size.m, size.n, "for these operands");
    if (i == 0) layout = layout_of(*c[0]);
    groups.add(size, ops, operand_of(*a[i], layout), operand_of(*b[i], layout), unflipped(*c[i], layout, *c[0]));
  }
  const Type type = a[0]->type;
  const libsgemm_handle_t h = handle_for(place, settings_for(mode, backend, verify));
  run(place, h, [&] {
    if (type == Type::fp16) return groups.submit<libsgemm_half_t>(h, layout, libsgemm_shgemm_batch_h);
    if (type == Type::bf16) return groups.submit<libsgemm_bfloat16_t>(h, layout, libsgemm_sbgemm_batch_h);
    return groups.submit<float>(h, layout, libsgemm_sgemm_batch_h);
  });
  return results;
}

}  // namespace

void bind_groups(nb::module_ &module) {
  module.def(
      "gemm_batch", gemm_batch, nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("trans") = "NN",
      nb::arg("alpha") = 1.0f, nb::arg("beta") = 0.0f, nb::arg("out") = nb::none(), nb::arg("mode") = nb::none(),
      nb::arg("backend") = nb::none(), nb::arg("verify") = nb::none(),
      nb::sig("def gemm_batch(a: collections.abc.Sequence[libsgemm._types.Array], "
              "b: collections.abc.Sequence[libsgemm._types.Array], *, trans: str = 'NN', alpha: float = 1.0, "
              "beta: float = 0.0, out: collections.abc.Sequence[libsgemm._types.Array] | None = None, "
              "mode: str | None = None, backend: str | None = None, verify: str | None = None) -> list[typing.Any]"),
      R"(Products of different sizes in one call: out[i] = alpha * op(a[i]) @ op(b[i]) + beta * out[i].

a, b and out are lists of the same length, of arrays with 2 dimensions, each triple as in gemm(). Returns a
list of the outputs. Those given must not overlap, and must all be stored by rows, or all by columns. On a
GPU products of different sizes may run at the same time. For matrices of one shape in one array: gemm().

Raises what gemm() raises; an array that cannot be used fails the whole call before anything is written.)");
}

}  // namespace libsgemm_python
