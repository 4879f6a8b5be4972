#include "conv.h"

#include <cstdio>

namespace libsgemm {
namespace {

Tensor tensor(int64_t n, int64_t c, int64_t h, int64_t w, const Steps &steps, const float *data) {
  return {{n, c, h, w}, {steps.n, steps.c, steps.h, steps.w}, data};
}

}  // namespace

Tensor tensor_x(const ConvDesc &d) { return tensor(d.n, d.c, d.h, d.w, d.x_steps, d.x); }
Tensor tensor_f(const ConvDesc &d) { return tensor(d.k, d.c / d.groups, d.r, d.s, d.f_steps, d.f); }
Tensor tensor_y(const ConvDesc &d) { return tensor(d.n, d.k, d.p, d.q, d.y_steps, d.y); }

Tensor output_of(const ConvDesc &d) {
  if (d.direction == Conv::forward) return tensor_y(d);
  return d.direction == Conv::data_gradient ? tensor_x(d) : tensor_f(d);
}

void inputs_of(const ConvDesc &d, Tensor *first, Tensor *second) {
  *first = d.direction == Conv::data_gradient ? tensor_f(d) : tensor_x(d);
  *second = d.direction == Conv::forward ? tensor_f(d) : tensor_y(d);
}

GemmDesc product_of(const ConvDesc &d) {
  GemmDesc g = {};
  g.routine = Routine::gemm;
  g.type = Type::f32;
  g.math_mode = d.math_mode;
  g.deterministic = d.deterministic;
  g.transa = g.transb = LIBSGEMM_NO_TRANS;
  g.side = LIBSGEMM_LEFT;
  g.uplo = LIBSGEMM_UPPER;
  g.diag = LIBSGEMM_NON_UNIT;
  const int64_t c = d.c / d.groups, k = d.k / d.groups, taps = d.r * d.s;
  g.m = d.direction == Conv::data_gradient ? c : k;
  g.n = d.direction == Conv::forward         ? d.n * d.p * d.q
        : d.direction == Conv::data_gradient ? d.n * d.h * d.w
                                             : c * taps;
  g.k = d.direction == Conv::forward ? c * taps : d.direction == Conv::data_gradient ? k * taps : d.n * d.p * d.q;
  g.lda = g.ldc = g.m;
  g.ldb = g.k;
  g.alpha = d.alpha;
  g.beta = d.beta;
  Tensor a, b;
  inputs_of(d, &a, &b);
  g.a = a.data;
  g.b = b.data;
  g.c = d.out;
  g.batch = d.groups == 1 ? Batch::none : Batch::strided;
  g.batch_count = d.groups;
  return g;
}

double flop_count(const ConvDesc &d) {
  const auto number = [](int64_t x) { return static_cast<double>(x); };
  return 2 * number(d.n) * number(d.k) * number(d.p) * number(d.q) * number(d.c / d.groups) * number(d.r) * number(d.s);
}

std::string to_string(const ConvDesc &d) {
  static const char *const directions[] = {"forward", "data_gradient", "weight_gradient"};
  const auto l = [](int64_t x) { return static_cast<long long>(x); };
  char text[768];
  std::snprintf(text, sizeof text,
                "sconv2d %s n=%lld c=%lld h=%lld w=%lld k=%lld r=%lld s=%lld p=%lld q=%lld groups=%lld "
                "stride=%lldx%lld pad=%lldx%lld dilation=%lldx%lld alpha=%g beta=%g x=%lld,%lld,%lld,%lld "
                "f=%lld,%lld,%lld,%lld y=%lld,%lld,%lld,%lld math=%s",
                directions[static_cast<int>(d.direction)], l(d.n), l(d.c), l(d.h), l(d.w), l(d.k), l(d.r), l(d.s),
                l(d.p), l(d.q), l(d.groups), l(d.stride_h), l(d.stride_w), l(d.pad_h), l(d.pad_w), l(d.dilation_h),
                l(d.dilation_w), static_cast<double>(d.alpha), static_cast<double>(d.beta), l(d.x_steps.n),
                l(d.x_steps.c), l(d.x_steps.h), l(d.x_steps.w), l(d.f_steps.n), l(d.f_steps.c), l(d.f_steps.h),
                l(d.f_steps.w), l(d.y_steps.n), l(d.y_steps.c), l(d.y_steps.h), l(d.y_steps.w),
                math_mode_name(d.math_mode));
  return text;
}

}  // namespace libsgemm
