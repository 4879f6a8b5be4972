#include "torch_products.h"

#include <algorithm>
#include <optional>

#include "product.h"
#include "torch_tensor.h"

namespace libsgemm_python {
namespace {

using View = nb::dlpack::dltensor;

// True for a tensor of float32. Below PyTorch's dispatcher there are no gradients or conjugates, and a subclass is
// plain memory.
bool view(nb::handle tensor, View *out) {
  if (!is_any_torch(tensor) || !view_torch(tensor, out)) return false;
  return out->dtype.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Float) && out->dtype.bits == 32;
}

bool on_one_device(const View &x, const View &y) {
  return x.device.device_type == y.device.device_type && x.device.device_id == y.device.device_id;
}

bool can_be_multiplied(const View &a, const View &b) {
  if (!on_one_device(a, b) || a.ndim != b.ndim || (a.ndim != 2 && a.ndim != 3)) return false;
  return a.shape[a.ndim - 1] == b.shape[b.ndim - 2] && (a.ndim == 2 || a.shape[0] == b.shape[0]);
}

bool can_be_expanded(const View &c, const int64_t *shape, int ndim) {
  const int more = ndim - c.ndim;
  if (more < 0) return false;
  for (int i = 0; i < c.ndim; ++i) {
    if (c.shape[i] != 1 && c.shape[i] != shape[more + i]) return false;
  }
  return true;
}

bool have_same_elements(const View &x, const View &y) {
  return x.data == y.data && x.ndim == y.ndim && std::equal(x.shape, x.shape + x.ndim, y.shape) &&
         std::equal(x.strides, x.strides + x.ndim, y.strides);
}

// True if the address ranges overlap. PyTorch's strides are never negative.
bool share_memory(const View &x, const View &y) {
  const auto end = [](const View &v) {
    int64_t last = 0;
    for (int i = 0; i < v.ndim; ++i) {
      if (v.shape[i] == 0) return static_cast<const float *>(v.data);
      last += (v.shape[i] - 1) * v.strides[i];
    }
    return static_cast<const float *>(v.data) + last + 1;
  };
  return x.data < end(y) && y.data < end(x);
}

// Returns beta * c + alpha * a @ b, with c expanded. None: nothing is written, and PyTorch's own kernel must compute it
// or report what is wrong.
nb::object torch_product(nb::handle a, nb::handle b, nb::handle c, nb::handle out, float alpha, float beta,
                         const Settings &asked, const Settings &inherited) {
  View va, vb, vc, vout;
  if (!view(a, &va) || !view(b, &vb) || !can_be_multiplied(va, vb)) return nb::none();
  const bool has_c = !c.is_none(), given = !out.is_none();
  const int ndim = va.ndim;
  int64_t shape[3];
  std::copy(va.shape, va.shape + ndim - 1, shape);
  shape[ndim - 1] = vb.shape[ndim - 1];
  if (has_c && !(view(c, &vc) && on_one_device(vc, va) && can_be_expanded(vc, shape, ndim))) return nb::none();
  Array x(va, "a"), y(vb, "b");
  if (!can_be_used(x) || !can_be_used(y)) return nb::none();

  nb::object result = nb::borrow(out);
  if (!given) result = make_torch(a, x.device, shape, ndim, false);
  if (!view(result, &vout)) return nb::none();
  const bool has_terms = has_c && beta != 0;
  const bool in_place = has_terms && have_same_elements(vout, vc);
  if (given) {
    if (!on_one_device(vout, va) || vout.ndim != ndim || !std::equal(shape, shape + ndim, vout.shape))
      return nb::none();
    if (share_memory(vout, va) || share_memory(vout, vb)) return nb::none();
    if (has_terms && !in_place && share_memory(vout, vc)) return nb::none();
  }
  Array z(vout, "out");
  if (!can_be_used(z)) return nb::none();
  if (has_terms && !in_place) result.attr("copy_")(c);  // PyTorch's own kernels do the same
  const Place place = take({&z, &x, &y});
  multiply({x, y, z, {LIBSGEMM_NO_TRANS, LIBSGEMM_NO_TRANS}, alpha, has_terms ? beta : 0, nullptr, nullptr}, place,
           asked.over(settings_in_force().over(inherited)));
  return result;
}

}  // namespace

void bind_torch_products(nb::module_ &module) {
  module.def(
      "_torch_product", torch_product, nb::arg("a"), nb::arg("b"), nb::arg("c").none(), nb::arg("out").none(),
      nb::arg("alpha"), nb::arg("beta"), nb::arg("asked"), nb::arg("inherited"),
      "beta * c + alpha * a @ b of PyTorch's tensors below its dispatcher, in `out` or a new one. Settings: those "
      "asked for, else those in force in this thread, else those inherited. None, and nothing done: not for "
      "libsgemm.");
  module.def("_knows_torch", is_torch, nb::arg("tensor"),
             "Whether this tensor's PyTorch has the C functions that _torch_product needs.");
}

}  // namespace libsgemm_python
