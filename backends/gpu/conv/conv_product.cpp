// Convolutions and their gradients as matrix products, whose indices have digits (conv_problem.h).
#include "conv_product.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace libsgemm::gpu {
namespace {

// Rows or columns of dx. Each tap contributes only to those with one remainder modulo the stride.
struct Dimension {
  int64_t size, stride, pad, dilation, all_taps;
  int64_t common = std::gcd(stride, dilation);
  int64_t next = stride / common;                 // distance of the taps that contribute to one row
  int64_t first_taps = std::min(next, all_taps);  // taps that contribute to different rows
  int64_t remainders = std::min(stride, size);    // number of remainders that occur

  int64_t remainder_of(int64_t tap) const {
    const int64_t rest = (tap * dilation - pad) % stride;
    return rest < 0 ? rest + stride : rest;
  }
  // First tap for a remainder; first_taps if there is none.
  int64_t tap_of(int64_t remainder) const {
    int64_t tap = 0;
    while (tap < first_taps && remainder_of(tap) != remainder) ++tap;
    return tap;
  }
};

Dimension height_of(const ConvDesc &d) { return {d.h, d.stride_h, d.pad_h, d.dilation_h, d.r}; }
Dimension width_of(const ConvDesc &d) { return {d.w, d.stride_w, d.pad_w, d.dilation_w, d.s}; }

// Rows of dx with one remainder, and their taps.
struct Remainder {
  int64_t first, rows;      // first, first + stride, ...
  int64_t taps, tap, next;  // taps tap, tap + next, ...
  int64_t from, down;       // row of dy that `tap` brings to `first`; rows back for each further tap

  Remainder(const Dimension &d, int64_t remainder, int64_t first_tap) {
    const bool met = first_tap < d.first_taps;
    first = remainder;
    rows = (d.size - first - 1) / d.stride + 1;
    tap = first_tap;
    next = d.next;
    down = d.dilation / d.common;
    taps = met ? (d.all_taps - tap - 1) / next + 1 : 0;
    from = met ? (first + d.pad - tap * d.dilation) / d.stride : 0;
  }
  Remainder(const Dimension &d, int64_t remainder) : Remainder(d, remainder, d.tap_of(remainder)) {}
};

// At most six sizes: two numbers of rows, each with no taps or one of two numbers of taps.
ConvSizes::OfDimension sizes_of(const Dimension &d) {
  ConvSizes::OfDimension sizes = {};
  const auto add = [&](int64_t remainder, int64_t tap, int64_t count) {
    const Remainder r(d, remainder, tap);
    for (int i = 0; i < sizes.count; ++i) {
      ConvSizes::Size &size = sizes.size[i];
      const Remainder other(d, size.remainder, size.tap);
      if (r.rows != other.rows || r.taps != other.taps) continue;
      if (remainder < size.remainder) size.remainder = remainder, size.tap = tap;
      size.count += count;
      return;
    }
    sizes.size[sizes.count++] = {remainder, tap, count};
  };
  const int64_t longer = (d.size - 1) % d.stride + 1;  // remainders with one row more
  int64_t unmet[2] = {longer, d.remainders - longer};
  for (int64_t tap = 0; tap < d.first_taps; ++tap) {
    const int64_t remainder = d.remainder_of(tap);
    if (remainder >= d.remainders) continue;
    add(remainder, tap, 1);
    --unmet[remainder < longer ? 0 : 1];
  }
  if (unmet[0] > 0) add(0, d.first_taps, unmet[0]);
  if (unmet[1] > 0) add(longer, d.first_taps, unmet[1]);
  for (int i = 1; i < sizes.count; ++i) {
    for (int j = i; j > 0 && sizes.size[j].remainder < sizes.size[j - 1].remainder; --j) {
      std::swap(sizes.size[j], sizes.size[j - 1]);
    }
  }
  return sizes;
}

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

ConvProduct data_gradient(const ConvDesc &d, const Remainder &h, const Remainder &w) {
  const Steps &x = d.x_steps, &f = d.f_steps, &y = d.y_steps;
  ConvProduct p = {};
  p.image = moved(d.y, h.from * y.h + w.from * y.w);
  p.other = moved(d.f, h.tap * f.h + w.tap * f.w);
  p.out = moved(d.out, h.first * x.h + w.first * x.w);
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

ConvProduct whole(ConvProduct p) {
  p.second[0] = p.second[1] = ConvDigit{1, 0, 0, 0, 0, 0};
  return p;
}

}  // namespace

ConvProduct conv_product(const ConvDesc &d, int64_t index) {
  if (d.direction == Conv::forward) return whole(forward(d));
  if (d.direction == Conv::weight_gradient) return whole(weight_gradient(d));
  const Dimension height = height_of(d), width = width_of(d);
  return whole(
      data_gradient(d, Remainder(height, index / width.remainders), Remainder(width, index % width.remainders)));
}

int64_t conv_products(const ConvDesc &d) {
  return d.direction == Conv::data_gradient ? height_of(d).remainders * width_of(d).remainders : 1;
}

int64_t conv_product_with_terms(const ConvDesc &d, int64_t index) {
  if (d.direction != Conv::data_gradient) return index;
  const Dimension height = height_of(d), width = width_of(d);
  const auto met = [](const Dimension &x, int64_t remainder) { return x.tap_of(remainder) < x.first_taps; };
  for (int64_t h = index / width.remainders, w = index % width.remainders; h < height.remainders; ++h, w = 0) {
    if (!met(height, h)) continue;
    for (; w < width.remainders; ++w) {
      if (met(width, w)) return h * width.remainders + w;
    }
  }
  return height.remainders * width.remainders;
}

ConvSizes::ConvSizes(const ConvDesc &desc) : desc_(desc) {
  if (desc.direction != Conv::data_gradient) return;
  height_ = sizes_of(height_of(desc));
  width_ = sizes_of(width_of(desc));
}

ConvProduct ConvSizes::product(int i) const {
  if (desc_.direction != Conv::data_gradient) return conv_product(desc_, 0);
  const Size &h = height_.size[i / width_.count], &w = width_.size[i % width_.count];
  return whole(data_gradient(desc_, Remainder(height_of(desc_), h.remainder, h.tap),
                             Remainder(width_of(desc_), w.remainder, w.tap)));
}

}  // namespace libsgemm::gpu
