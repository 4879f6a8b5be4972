#include "terms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace libsgemm {
namespace {

struct Progression {
  int64_t first, step, count;
};

int64_t round_up(int64_t a, int64_t b) { return a <= 0 ? 0 : (a - 1) / b + 1; }

Progression inside(int64_t start, int64_t step, int64_t count, int64_t size) {
  const int64_t first = round_up(-start, step), last = std::min(count, round_up(size - start, step));
  return {first, 1, std::max<int64_t>(0, last - first)};
}

// The taps i in [0, count) that reach position `at` of the padded image: at - i * dilation is stride times an index
// below `size`.
Progression met(int64_t at, int64_t dilation, int64_t stride, int64_t count, int64_t size) {
  // i repeats with period stride / gcd; trying finds the first.
  const int64_t period = stride / std::gcd(stride, dilation);
  int64_t first = 0;
  while (first < std::min(period, count) && (at - first * dilation) % stride != 0) ++first;
  if (first >= std::min(period, count)) return {0, 1, 0};
  // The index of y falls with i.
  const int64_t above = at - (size - 1) * stride;
  if (above > first * dilation) first += round_up(above - first * dilation, period * dilation) * period;
  const int64_t end = std::min(count, at < 0 ? 0 : at / dilation + 1);
  return {first, period, first < end ? (end - 1 - first) / period + 1 : 0};
}

Terms::Loop loop(const Progression &i, int64_t a, int64_t b) { return {i.count, i.step * a, i.step * b}; }

Terms forward(const ConvDesc &d, const int64_t (&at)[4]) {
  const int64_t c = d.c / d.groups, group = at[1] / (d.k / d.groups);
  const int64_t h = at[2] * d.stride_h - d.pad_h, w = at[3] * d.stride_w - d.pad_w;
  const Progression r = inside(h, d.dilation_h, d.r, d.h), s = inside(w, d.dilation_w, d.s, d.w);
  Terms t;
  t.a = d.x + at[0] * d.x_steps.n + group * c * d.x_steps.c;
  t.b = d.f + at[1] * d.f_steps.n;
  t.loop[0] = {r.count > 0 && s.count > 0 ? c : 0, d.x_steps.c, d.f_steps.c};
  t.loop[1] = loop(r, d.dilation_h * d.x_steps.h, d.f_steps.h);
  t.loop[2] = loop(s, d.dilation_w * d.x_steps.w, d.f_steps.w);
  if (t.loop[0].count == 0) return t;
  t.a += (h + r.first * d.dilation_h) * d.x_steps.h + (w + s.first * d.dilation_w) * d.x_steps.w;
  t.b += r.first * d.f_steps.h + s.first * d.f_steps.w;
  return t;
}

Terms data_gradient(const ConvDesc &d, const int64_t (&at)[4]) {
  const int64_t c = d.c / d.groups, k = d.k / d.groups, group = at[1] / c;
  const int64_t h = at[2] + d.pad_h, w = at[3] + d.pad_w;
  const Progression r = met(h, d.dilation_h, d.stride_h, d.r, d.p), s = met(w, d.dilation_w, d.stride_w, d.s, d.q);
  Terms t;
  t.a = d.y + at[0] * d.y_steps.n + group * k * d.y_steps.c;
  t.b = d.f + group * k * d.f_steps.n + at[1] % c * d.f_steps.c;
  t.loop[0] = {r.count > 0 && s.count > 0 ? k : 0, d.y_steps.c, d.f_steps.n};
  t.loop[1] = {r.count, -(r.step * d.dilation_h / d.stride_h) * d.y_steps.h, r.step * d.f_steps.h};
  t.loop[2] = {s.count, -(s.step * d.dilation_w / d.stride_w) * d.y_steps.w, s.step * d.f_steps.w};
  if (t.loop[0].count == 0) return t;
  t.a += (h - r.first * d.dilation_h) / d.stride_h * d.y_steps.h;
  t.a += (w - s.first * d.dilation_w) / d.stride_w * d.y_steps.w;
  t.b += r.first * d.f_steps.h + s.first * d.f_steps.w;
  return t;
}

Terms weight_gradient(const ConvDesc &d, const int64_t (&at)[4]) {
  const int64_t c = d.c / d.groups, group = at[0] / (d.k / d.groups);
  const int64_t h = at[2] * d.dilation_h - d.pad_h, w = at[3] * d.dilation_w - d.pad_w;
  const Progression p = inside(h, d.stride_h, d.p, d.h), q = inside(w, d.stride_w, d.q, d.w);
  Terms t;
  t.a = d.x + (group * c + at[1]) * d.x_steps.c;
  t.b = d.y + at[0] * d.y_steps.c;
  t.loop[0] = {p.count > 0 && q.count > 0 ? d.n : 0, d.x_steps.n, d.y_steps.n};
  t.loop[1] = loop(p, d.stride_h * d.x_steps.h, d.y_steps.h);
  t.loop[2] = loop(q, d.stride_w * d.x_steps.w, d.y_steps.w);
  if (t.loop[0].count == 0) return t;
  t.a += (h + p.first * d.stride_h) * d.x_steps.h + (w + q.first * d.stride_w) * d.x_steps.w;
  t.b += p.first * d.y_steps.h + q.first * d.y_steps.w;
  return t;
}

}  // namespace

Terms terms_of(const ConvDesc &d, const int64_t (&at)[4]) {
  if (d.direction == Conv::forward) return forward(d, at);
  return d.direction == Conv::data_gradient ? data_gradient(d, at) : weight_gradient(d, at);
}

bool padding_meets_infinity(const ConvDesc &d, const int64_t (&at)[4]) {
  const int64_t c = d.c / d.groups, k = d.k / d.groups;
  Terms t = {};
  if (d.direction == Conv::forward) {
    t = {nullptr, d.f + at[1] * d.f_steps.n, {{c, 0, d.f_steps.c}, {d.r, 0, d.f_steps.h}, {d.s, 0, d.f_steps.w}}};
  } else if (d.direction == Conv::data_gradient) {
    t = {nullptr,
         d.f + at[1] / c * k * d.f_steps.n + at[1] % c * d.f_steps.c,
         {{k, 0, d.f_steps.n}, {d.r, 0, d.f_steps.h}, {d.s, 0, d.f_steps.w}}};
  } else {
    t = {nullptr, d.y + at[0] * d.y_steps.c, {{d.n, 0, d.y_steps.n}, {d.p, 0, d.y_steps.h}, {d.q, 0, d.y_steps.w}}};
  }
  bool infinite = false;
  t.a = t.b;  // only b is read
  t.for_each([&](float, float b) { infinite = infinite || !std::isfinite(b); });
  return infinite;
}

}  // namespace libsgemm
