#include "conv_product.h"

#include <algorithm>
#include <numeric>

namespace libsgemm::gpu {
namespace {

// Along one dimension of the data gradient: the rows of dx that leave one remainder, and the taps that meet them.
struct Remainder {
  int64_t rows;             // first, first + stride, ...
  int64_t taps, tap, next;  // taps tap, tap + next, ...
  int64_t from, down;       // the row of dy that tap `tap` brings to the first row; rows further up with each tap

  Remainder(int64_t first, int64_t size, int64_t stride, int64_t pad, int64_t dilation, int64_t all_taps) {
    const int64_t common = std::gcd(stride, dilation);
    rows = (size - first - 1) / stride + 1;
    next = stride / common;
    down = dilation / common;
    taps = from = 0;
    for (tap = 0; tap < std::min(next, all_taps); ++tap) {
      if ((first + pad - tap * dilation) % stride != 0) continue;
      taps = (all_taps - tap - 1) / next + 1;
      from = (first + pad - tap * dilation) / stride;
      break;
    }
  }
};

ConvProduct of_image(const ConvDesc &d) {
  ConvProduct p = {};
  const Steps &x = d.x_steps;
  p.image = moved(d.x, -(d.pad_h * x.h + d.pad_w * x.w));
  p.first_h = -d.pad_h, p.first_w = -d.pad_w;
  p.height = d.h, p.width = d.w;
  p.image_group = d.c / d.groups * x.c;
  return p;
}

ConvProduct forward(const ConvDesc &d) {
  const Steps &x = d.x_steps, &f = d.f_steps, &y = d.y_steps;
  ConvProduct p = of_image(d);
  p.other = d.f, p.out = d.out;
  p.other_group = d.k / d.groups * f.n, p.out_group = d.k / d.groups * y.c;
  p.first[0] = {d.n, x.n, 0, y.n, 0, 0};
  p.first[1] = {d.p, d.stride_h * x.h, 0, y.h, d.stride_h, 0};
  p.first[2] = {d.q, d.stride_w * x.w, 0, y.w, 0, d.stride_w};
  p.second[2] = {d.k / d.groups, 0, f.n, y.c, 0, 0};
  p.sum[0] = {d.c / d.groups, x.c, f.c, 0, 0, 0};
  p.sum[1] = {d.r, d.dilation_h * x.h, f.h, 0, d.dilation_h, 0};
  p.sum[2] = {d.s, d.dilation_w * x.w, f.w, 0, 0, d.dilation_w};
  return p;
}

ConvProduct weight_gradient(const ConvDesc &d) {
  const Steps &x = d.x_steps, &f = d.f_steps, &y = d.y_steps;
  ConvProduct p = of_image(d);
  p.other = d.y, p.out = d.out;
  p.other_group = d.k / d.groups * y.c, p.out_group = d.k / d.groups * f.n;
  p.first[0] = {d.c / d.groups, x.c, 0, f.c, 0, 0};
  p.first[1] = {d.r, d.dilation_h * x.h, 0, f.h, d.dilation_h, 0};
  p.first[2] = {d.s, d.dilation_w * x.w, 0, f.w, 0, d.dilation_w};
  p.second[2] = {d.k / d.groups, 0, y.c, f.n, 0, 0};
  p.sum[0] = {d.n, x.n, y.n, 0, 0, 0};
  p.sum[1] = {d.p, d.stride_h * x.h, y.h, 0, d.stride_h, 0};
  p.sum[2] = {d.q, d.stride_w * x.w, y.w, 0, 0, d.stride_w};
  return p;
}

ConvProduct data_gradient(const ConvDesc &d, int64_t first_h, int64_t first_w) {
  const Steps &x = d.x_steps, &f = d.f_steps, &y = d.y_steps;
  const Remainder h(first_h, d.h, d.stride_h, d.pad_h, d.dilation_h, d.r);
  const Remainder w(first_w, d.w, d.stride_w, d.pad_w, d.dilation_w, d.s);
  ConvProduct p = {};
  p.image = moved(d.y, h.from * y.h + w.from * y.w);
  p.other = moved(d.f, h.tap * f.h + w.tap * f.w);
  p.out = moved(d.out, first_h * x.h + first_w * x.w);
  p.first_h = h.from, p.first_w = w.from;
  p.height = d.p, p.width = d.q;
  p.image_group = d.k / d.groups * y.c, p.other_group = d.k / d.groups * f.n, p.out_group = d.c / d.groups * x.c;
  p.first[0] = {d.n, y.n, 0, x.n, 0, 0};
  p.first[1] = {h.rows, y.h, 0, d.stride_h * x.h, 1, 0};
  p.first[2] = {w.rows, y.w, 0, d.stride_w * x.w, 0, 1};
  p.second[2] = {d.c / d.groups, 0, f.c, x.c, 0, 0};
  p.sum[0] = {d.k / d.groups, y.c, f.n, 0, 0, 0};
  p.sum[1] = {h.taps, -h.down * y.h, h.next * f.h, 0, -h.down, 0};
  p.sum[2] = {w.taps, -w.down * y.w, w.next * f.w, 0, 0, -w.down};
  return p;
}

// Remainders that some row or column has.
int64_t remainders_h(const ConvDesc &d) { return std::min(d.stride_h, d.h); }
int64_t remainders_w(const ConvDesc &d) { return std::min(d.stride_w, d.w); }

}  // namespace

ConvProduct conv_product(const ConvDesc &d, int64_t index) {
  ConvProduct p = d.direction == Conv::forward ? forward(d)
                  : d.direction == Conv::data_gradient
                      ? data_gradient(d, index / remainders_w(d), index % remainders_w(d))
                      : weight_gradient(d);
  p.second[0] = p.second[1] = ConvDigit{1, 0, 0, 0, 0, 0};
  return p;
}

int64_t conv_products(const ConvDesc &d) {
  return d.direction == Conv::data_gradient ? remainders_h(d) * remainders_w(d) : 1;
}

}  // namespace libsgemm::gpu
