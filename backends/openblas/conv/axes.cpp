#include "conv/axes.h"

#include <algorithm>
#include <numeric>

namespace libsgemm {
namespace {

using Visit = void (*)(void *context, const ImplicitProduct &product);

// Channels come first where they are closest together in `b`.
void add_taps(Axis *axis, const Digit &channel, const Digit &row, const Digit &column) {
  const bool channels_first =
      channel.count > 1 && channel.b < std::max<int64_t>(1, column.b < 0 ? -column.b : column.b);
  if (channels_first) axis->add(channel);
  axis->add(column);
  axis->add(row);
  if (!channels_first) axis->add(channel);
}

// True if a position from `start` can leave [0, size) by adding these digits.
bool leaves(int64_t start, int64_t size, const Digit &x, const Digit &y, int64_t Digit::*side) {
  int64_t least = start, most = start;
  for (const Digit *d : {&x, &y}) {
    const int64_t last = (d->count - 1) * (d->*side);
    (last < 0 ? least : most) += last;
  }
  return least < 0 || most >= size;
}

// Positions matter only if one is outside the image; otherwise all are cleared.
void decide_clipping(ImplicitProduct *p, Digit *h1, Digit *h2, Digit *w1, Digit *w2) {
  p->clipped = leaves(p->h, p->rows, *h1, *h2, &Digit::h) || leaves(p->w, p->columns, *w1, *w2, &Digit::w);
  if (p->clipped) return;
  p->h = p->w = 0;
  for (Digit *d : {h1, h2, w1, w2}) d->h = d->w = 0;
}

// Forward direction and weight gradient, which exchange taps and pixels. y is C forward, and A in the gradient.
void with_x(const ConvDesc &d, Visit visit, void *context) {
  const bool forward = d.direction == Conv::forward;
  const int64_t c = d.c / d.groups, k = d.k / d.groups;
  const auto filters = [&](int64_t count, int64_t f, int64_t y) {
    return forward ? Digit{count, f, 0, y, 0, 0} : Digit{count, y, 0, f, 0, 0};
  };
  const auto tap = [&](int64_t count, int64_t f, int64_t x, int64_t h, int64_t w) {
    return forward ? Digit{count, f, x, 0, h, w} : Digit{count, 0, x, f, h, w};
  };
  const auto pixel = [&](int64_t count, int64_t x, int64_t y, int64_t h, int64_t w) {
    return forward ? Digit{count, 0, x, y, h, w} : Digit{count, y, x, 0, h, w};
  };
  for (int64_t g = 0; g < d.groups; ++g) {
    ImplicitProduct o = {};
    o.h = -d.pad_h, o.w = -d.pad_w;
    o.rows = d.h, o.columns = d.w;
    Digit r = tap(d.r, d.f_steps.h, d.dilation_h * d.x_steps.h, d.dilation_h, 0);
    Digit s = tap(d.s, d.f_steps.w, d.dilation_w * d.x_steps.w, 0, d.dilation_w);
    Digit p = pixel(d.p, d.stride_h * d.x_steps.h, d.y_steps.h, d.stride_h, 0);
    Digit q = pixel(d.q, d.stride_w * d.x_steps.w, d.y_steps.w, 0, d.stride_w);
    decide_clipping(&o, &r, &p, &s, &q);
    o.i.add(filters(k, d.f_steps.n, d.y_steps.c));
    Axis &pixels = forward ? o.j : o.l, &taps = forward ? o.l : o.j;
    pixels.add(q);
    pixels.add(p);
    pixels.add(pixel(d.n, d.x_steps.n, d.y_steps.n, 0, 0));
    add_taps(&taps, tap(c, d.f_steps.c, d.x_steps.c, 0, 0), r, s);
    const int64_t f = g * k * d.f_steps.n, y = g * k * d.y_steps.c;
    o.a = forward ? d.f + f : d.y + y;
    o.b = d.x + g * c * d.x_steps.c;
    o.first_b = -d.pad_h * d.x_steps.h - d.pad_w * d.x_steps.w;
    o.c = d.out + (forward ? y : f);
    visit(context, o);
  }
}

// One dimension of the data gradient: the pixels of x whose position in the padded image is `a` modulo the stride, and
// the taps that reach them.
struct Phase {
  int64_t first, pixels;             // x at first + stride * t
  int64_t tap, taps, period, apart;  // f at tap + period * u; y at start + t - apart * u
  int64_t start;
};

Phase phase(int64_t a, int64_t size, int64_t pad, int64_t stride, int64_t taps, int64_t dilation) {
  Phase f = {};
  const int64_t skipped = a >= pad ? 0 : (pad - a - 1) / stride + 1;
  f.first = a - pad + skipped * stride;
  f.pixels = f.first < size ? (size - 1 - f.first) / stride + 1 : 0;
  f.period = stride / std::gcd(stride, dilation);
  f.apart = f.period * dilation / stride;
  while (f.tap < std::min(f.period, taps) && (a - f.tap * dilation) % stride != 0) ++f.tap;
  f.taps = f.tap < std::min(f.period, taps) ? (taps - 1 - f.tap) / f.period + 1 : 0;
  f.start = f.taps > 0 ? skipped + (a - f.tap * dilation) / stride : 0;
  return f;
}

void data_gradient(const ConvDesc &d, const Phase &h, const Phase &w, Visit visit, void *context) {
  const int64_t c = d.c / d.groups, k = d.k / d.groups;
  for (int64_t g = 0; g < d.groups; ++g) {
    ImplicitProduct o = {};
    o.h = h.start, o.w = w.start;
    o.rows = d.p, o.columns = d.q;
    Digit r = {h.taps, h.period * d.f_steps.h, -h.apart * d.y_steps.h, 0, -h.apart, 0};
    Digit s = {w.taps, w.period * d.f_steps.w, -w.apart * d.y_steps.w, 0, 0, -w.apart};
    Digit row = {h.pixels, 0, d.y_steps.h, d.stride_h * d.x_steps.h, 1, 0};
    Digit column = {w.pixels, 0, d.y_steps.w, d.stride_w * d.x_steps.w, 0, 1};
    decide_clipping(&o, &r, &row, &s, &column);
    o.i.add({c, d.f_steps.c, 0, d.x_steps.c, 0, 0});
    o.j.add(column);
    o.j.add(row);
    o.j.add({d.n, 0, d.y_steps.n, d.x_steps.n, 0, 0});
    add_taps(&o.l, {k, d.f_steps.n, d.y_steps.c, 0, 0, 0}, r, s);
    o.a = d.f + g * k * d.f_steps.n + h.tap * d.f_steps.h + w.tap * d.f_steps.w;
    o.b = d.y + g * k * d.y_steps.c;
    o.first_b = h.start * d.y_steps.h + w.start * d.y_steps.w;
    o.c = d.out + g * c * d.x_steps.c + h.first * d.x_steps.h + w.first * d.x_steps.w;
    visit(context, o);
  }
}

}  // namespace

void for_each_product(const ConvDesc &d, Visit visit, void *context) {
  if (d.direction != Conv::data_gradient) return with_x(d, visit, context);
  // Remainders beyond the padded image have no pixels.
  for (int64_t a = 0; a < std::min(d.stride_h, d.h + d.pad_h); ++a) {
    const Phase h = phase(a, d.h, d.pad_h, d.stride_h, d.r, d.dilation_h);
    for (int64_t b = 0; h.pixels > 0 && b < std::min(d.stride_w, d.w + d.pad_w); ++b) {
      const Phase w = phase(b, d.w, d.pad_w, d.stride_w, d.s, d.dilation_w);
      if (w.pixels > 0) data_gradient(d, h, w, visit, context);
    }
  }
}

}  // namespace libsgemm
