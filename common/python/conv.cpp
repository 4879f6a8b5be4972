#include "conv.h"

#include <algorithm>
#include <array>
#include <optional>

#include "handles.h"
#include "numpy_array.h"
#include "product.h"

namespace libsgemm_python {
namespace {

using Shape = std::array<int64_t, 4>;

std::string words(const Shape &shape) {
  std::string text;
  for (const int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

// One number stands for all.
template <size_t count>
bool read_numbers(nb::handle given, std::array<int64_t, count> *numbers) {
  int64_t one;
  if (nb::try_cast(given, one)) {
    numbers->fill(one);
    return true;
  }
  if (!nb::isinstance<nb::sequence>(given) || nb::len(given) != count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!nb::try_cast(nb::object(given[i]), (*numbers)[i])) return false;
  }
  return true;
}

[[noreturn]] void refuse(const char *what, nb::handle given, const char *wanted) {
  throw nb::value_error(
      (std::string(what) + "=" + nb::repr(given).c_str() + " is not valid: it must be " + wanted).c_str());
}

struct Window {
  std::array<int64_t, 2> stride, dilation;
  std::array<int64_t, 4> padding;  // top, left, bottom, right
  int64_t groups;

  Window(nb::handle of_stride, nb::handle of_padding, nb::handle of_dilation, int64_t of_groups) : groups(of_groups) {
    constexpr const char *kPair = "an integer, or two, of rows and columns";
    if (!read_numbers(of_stride, &stride)) refuse("stride", of_stride, kPair);
    if (!read_numbers(of_dilation, &dilation)) refuse("dilation", of_dilation, kPair);
    std::array<int64_t, 2> both;
    if (read_numbers(of_padding, &both)) {
      padding = {both[0], both[1], both[0], both[1]};
    } else if (!read_numbers(of_padding, &padding)) {
      refuse("padding", of_padding, "an integer, two, of rows and columns, or four: top, left, bottom and right");
    }
    if (groups < 1) throw nb::value_error("groups must be 1 or more");
  }
};

Shape shape_of(const Array &x) { return {x.shape[0], x.shape[1], x.shape[2], x.shape[3]}; }

void require_conv_shape(const char *name, const Shape &shape, const Shape &wanted, const char *why) {
  if (shape == wanted) return;
  throw nb::value_error(
      (std::string(name) + " is " + words(shape) + ": it must be " + words(wanted) + " " + why).c_str());
}

libsgemm_conv2d_t describe(libsgemm_conv2d_direction_t direction, const Shape &x, const Shape &f,
                           const Window &window) {
  libsgemm_conv2d_t conv;
  libsgemm_conv2d_init(&conv, sizeof conv);
  conv.direction = direction;
  conv.n = x[0], conv.c = x[1], conv.h = x[2], conv.w = x[3];
  conv.k = f[0], conv.r = f[2], conv.s = f[3];
  conv.groups = window.groups;
  conv.stride_h = window.stride[0], conv.stride_w = window.stride[1];
  conv.dilation_h = window.dilation[0], conv.dilation_w = window.dilation[1];
  conv.pad_top = window.padding[0], conv.pad_left = window.padding[1];
  conv.pad_bottom = window.padding[2], conv.pad_right = window.padding[3];
  if (f[1] * window.groups != x[1]) {
    throw nb::value_error(("the filters are " + words(f) + " and the images " + words(x) + ": with " +
                           std::to_string(window.groups) + " group(s) their second sizes do not fit")
                              .c_str());
  }
  return conv;
}

Shape output_shape(const libsgemm_conv2d_t &conv) {
  int64_t p, q;
  require(libsgemm_conv2d_output_size(&conv, &p, &q));
  return {conv.n, conv.k, p, q};
}

// Four strides of 0 would mean a dense tensor. NumPy's empty arrays have strides of 0.
void set_strides(const Array &x, int64_t (&strides)[4]) {
  const bool repeated = std::all_of(x.stride, x.stride + 4, [](int64_t stride) { return stride == 0; });
  if (repeated && !x.is_empty() && std::any_of(x.shape, x.shape + 4, [](int64_t size) { return size > 1; })) {
    throw nb::value_error((std::string(x.name) + " has one element for all: pass a copy").c_str());
  }
  std::copy(x.stride, x.stride + 4, strides);
}

bool is_channels_last(const Array &x) {
  return x.shape[1] > 1 && x.stride[1] == 1 && (x.shape[3] == 1 || x.stride[3] != 1);
}

// On the device of `like`; channels last if `like` is, and of NumPy or PyTorch.
nb::object make_tensor(const Array &like, const Shape &shape) {
  const char *const permute = is_numpy(like.object)                 ? "transpose"
                              : nb::hasattr(like.object, "permute") ? "permute"
                                                                    : nullptr;
  if (!is_channels_last(like) || permute == nullptr) return make(like, {shape[0], shape[1], shape[2], shape[3]}, false);
  return nb::object(make(like, {shape[0], shape[2], shape[3], shape[1]}, false).attr(permute)(0, 3, 1, 2));
}

// None: out's. ValueError: None and no `out`.
Shape shape_of_gradient(nb::handle shape, const Array *out) {
  if (shape.is_none()) {
    if (out == nullptr) throw nb::value_error("shape or out is needed: a gradient has more than one");
    return shape_of(*out);
  }
  Shape asked;
  if (!nb::isinstance<nb::sequence>(shape) || !read_numbers(shape, &asked)) refuse("shape", shape, "four integers");
  return asked;
}

// A and B in the library's order. `shape`: of a gradient; None: out's.
nb::object convolve(libsgemm_conv2d_direction_t direction, Array *a, Array *b, nb::handle shape, const Window &window,
                    float alpha, float beta, nb::handle out, const Settings &settings) {
  require_out_for(beta, out);
  std::optional<Array> c;
  if (!out.is_none()) c.emplace(out, "out", Use::output, true);
  const Place place = c ? take({&*c, a, b}) : take({a, b});
  require_float32(*a);
  require_float32(*b);
  Shape result_shape = {};
  const bool forward = direction == LIBSGEMM_CONV2D_FORWARD;
  if (!forward) result_shape = shape_of_gradient(shape, c ? &*c : nullptr);
  const bool of_data = direction == LIBSGEMM_CONV2D_DATA_GRADIENT;
  const Shape x = of_data ? result_shape : shape_of(*a);
  const Shape f = forward || of_data ? shape_of(*b) : result_shape;
  libsgemm_conv2d_t conv = describe(direction, x, f, window);
  const Shape y = output_shape(conv);
  if (forward) result_shape = y;
  if (of_data) require_conv_shape(a->name, shape_of(*a), y, "for these filters and images");
  if (!forward && !of_data) require_conv_shape(b->name, shape_of(*b), y, "for these filters and images");

  nb::object result = nb::borrow(out);
  if (!c) {
    result = make_tensor(*a, result_shape);
    c.emplace(result, "out", Use::made, true);
    take({&*c});
  }
  require_conv_shape("out", shape_of(*c), result_shape, "for these operands");
  set_strides(of_data ? *c : *a, conv.x_strides);
  set_strides(forward || of_data ? *b : *c, conv.f_strides);
  set_strides(forward ? *c : of_data ? *a : *b, conv.y_strides);
  const libsgemm_handle_t h = handle_for(place, settings);
  run(place, h, [&] {
    return libsgemm_sconv2d_h(h, &conv, alpha, static_cast<const float *>(a->data), static_cast<const float *>(b->data),
                              beta, static_cast<float *>(c->data));
  });
  return result;
}

nb::object conv2d(nb::handle x, nb::handle f, nb::handle stride, nb::handle padding, nb::handle dilation,
                  int64_t groups, float alpha, float beta, nb::handle out, nb::handle mode, nb::handle backend,
                  nb::handle verify) {
  Array a(x, "x", Use::input, true), b(f, "f", Use::input, true);
  return convolve(LIBSGEMM_CONV2D_FORWARD, &a, &b, nb::none(), Window(stride, padding, dilation, groups), alpha, beta,
                  out, settings_for(mode, backend, verify));
}

nb::object data_gradient(nb::handle dy, nb::handle f, nb::handle shape, nb::handle stride, nb::handle padding,
                         nb::handle dilation, int64_t groups, float alpha, float beta, nb::handle out, nb::handle mode,
                         nb::handle backend, nb::handle verify) {
  Array a(dy, "dy", Use::input, true), b(f, "f", Use::input, true);
  return convolve(LIBSGEMM_CONV2D_DATA_GRADIENT, &a, &b, shape, Window(stride, padding, dilation, groups), alpha, beta,
                  out, settings_for(mode, backend, verify));
}

nb::object weight_gradient(nb::handle x, nb::handle dy, nb::handle shape, nb::handle stride, nb::handle padding,
                           nb::handle dilation, int64_t groups, float alpha, float beta, nb::handle out,
                           nb::handle mode, nb::handle backend, nb::handle verify) {
  Array a(x, "x", Use::input, true), b(dy, "dy", Use::input, true);
  return convolve(LIBSGEMM_CONV2D_WEIGHT_GRADIENT, &a, &b, shape, Window(stride, padding, dilation, groups), alpha,
                  beta, out, settings_for(mode, backend, verify));
}

}  // namespace

#define LIBSGEMM_WINDOW_ARGUMENTS                                                                             \
  nb::arg("stride") = 1, nb::arg("padding") = 0, nb::arg("dilation") = 1, nb::arg("groups") = 1,              \
  nb::arg("alpha") = 1.0f, nb::arg("beta") = 0.0f, nb::arg("out") = nb::none(), nb::arg("mode") = nb::none(), \
  nb::arg("backend") = nb::none(), nb::arg("verify") = nb::none()
#define LIBSGEMM_WINDOW_SIGNATURE                                                                       \
  "stride: int | tuple[int, int] = 1, padding: int | tuple[int, int] | tuple[int, int, int, int] = 0, " \
  "dilation: int | tuple[int, int] = 1, groups: int = 1, alpha: float = 1.0, beta: float = 0.0, "       \
  "out: libsgemm._types.Array | None = None, mode: str | None = None, backend: str | None = None, "     \
  "verify: str | None = None) -> typing.Any"

void bind_conv(nb::module_ &module) {
  module.def("conv2d", conv2d, nb::arg("x"), nb::arg("f"), nb::kw_only(), LIBSGEMM_WINDOW_ARGUMENTS,
             nb::sig("def conv2d(x: libsgemm._types.Array, f: libsgemm._types.Array, *, " LIBSGEMM_WINDOW_SIGNATURE),
             R"(out = alpha * conv2d(x, f) + beta * out, as PyTorch's conv2d.

Shapes: x is n x c x h x w, f is k x c / groups x r x s, out is n x k x p x q with
p = 1 + (h + top + bottom - dilation * (r - 1) - 1) // stride, q likewise; all float32, with any strides that
are not negative: channels-last arrays are used in place, and with NumPy and PyTorch the result is channels-last, too.
padding: all sides, (rows, columns), or (top, left, bottom, right). Settings and errors as of gemm();
InvalidArgument where the library refuses a size.)");
  module.def("conv2d_data_gradient", data_gradient, nb::arg("dy"), nb::arg("f"), nb::arg("shape") = nb::none(),
             nb::kw_only(), LIBSGEMM_WINDOW_ARGUMENTS,
             nb::sig("def conv2d_data_gradient(dy: libsgemm._types.Array, f: libsgemm._types.Array, "
                     "shape: tuple[int, int, int, int] | None = None, *, " LIBSGEMM_WINDOW_SIGNATURE),
             R"(The gradient of conv2d() with respect to x: out = alpha * it + beta * out.

Shapes: dy is n x k x p x q, f as of conv2d(), out as `shape`, n x c x h x w, which may be left out where out
is given.)");
  module.def("conv2d_weight_gradient", weight_gradient, nb::arg("x"), nb::arg("dy"), nb::arg("shape") = nb::none(),
             nb::kw_only(), LIBSGEMM_WINDOW_ARGUMENTS,
             nb::sig("def conv2d_weight_gradient(x: libsgemm._types.Array, dy: libsgemm._types.Array, "
                     "shape: tuple[int, int, int, int] | None = None, *, " LIBSGEMM_WINDOW_SIGNATURE),
             R"(The gradient of conv2d() with respect to f: out = alpha * it + beta * out.

Shapes: x as of conv2d(), dy is n x k x p x q, out as `shape`, k x c / groups x r x s, which may be left out where
out is given.)");
}

#undef LIBSGEMM_WINDOW_ARGUMENTS
#undef LIBSGEMM_WINDOW_SIGNATURE

}  // namespace libsgemm_python
