// Host side of data gradients by col2im (col2im_problem.h).
#include "col2im_plan.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <numeric>

namespace libsgemm::gpu {
namespace {

// Elements of a chunk's columns: 32 MiB stay in L2.
constexpr double kMostColumns = 8 << 20;

// Taps that contribute to an element, as in conv_product.cpp. Steps are limited to the number of taps or places, since
// multiples of longer ones might not fit an int.
Col2imTaps taps_of(int64_t taps, int64_t pad, int64_t dilation, int64_t stride, int64_t places, int64_t step) {
  const auto number = [](int64_t x) { return static_cast<int>(x); };
  const int64_t common = std::gcd(stride, dilation);
  return {number(taps),
          number(pad),
          number(dilation),
          Divisor::of(number(stride)),
          number(std::min(stride / common, taps)),
          number(std::min(dilation / common, places)),
          number(places),
          number(step)};
}

int64_t images_of(const ConvDesc &desc, const Columns &columns, int64_t first) {
  return std::min(columns.images, desc.n - first);
}

double elements(const ConvDesc &desc, const Columns &columns) {
  return static_cast<double>(columns.images) * static_cast<double>(desc.c) * static_cast<double>(desc.h * desc.w);
}

bool channels_next(const Steps &steps) { return std::abs(steps.c) < std::abs(steps.w); }

double terms(const ConvDesc &desc, const Columns &columns) {
  return static_cast<double>(columns.pitch) * static_cast<double>(desc.c) * static_cast<double>(desc.r * desc.s);
}

// True if a thread computes several channels, which share index computations. If sums are long or few, one channel a
// thread hides more latency (figures from an H100). Contiguous channels are stored together.
bool has_several(const ConvDesc &desc, const Columns &columns) {
  constexpr double kFewTerms = 13, kMany = 500e3;
  if (desc.c == desc.groups) return false;
  if (channels_next(desc.x_steps)) return true;
  const double all = elements(desc, columns);
  return all >= kMany && terms(desc, columns) <= kFewTerms * all;
}

}  // namespace

Columns::Columns(const ConvDesc &desc) {
  const double filter = static_cast<double>(desc.c) * static_cast<double>(desc.r * desc.s);
  const double of_one = filter * (static_cast<double>(desc.p) * static_cast<double>(desc.q) + 3);
  if (of_one > kMostColumns) return;
  images = std::clamp<int64_t>(static_cast<int64_t>(kMostColumns / of_one), 1, desc.n);
  chunks = (desc.n - 1) / images + 1;
  images = (desc.n - 1) / chunks + 1;
  pitch = (images * desc.p * desc.q + 3) / 4 * 4;
  const int64_t channels = desc.c / desc.groups;
  const bool neighbours = channels_next(desc.f_steps);
  channel = pitch * (neighbours ? 1 : desc.r * desc.s);
  tap_w = pitch * (neighbours ? channels : 1);
  tap_h = tap_w * desc.s;
  group = pitch * channels * desc.r * desc.s;
  count = group * desc.groups;
}

bool col2im_fits(const ConvDesc &desc, const Columns &columns) {
  return columns.images > 0 && elements(desc, columns) < INT_MAX / 2;
}

ConvProduct columns_product(const ConvDesc &desc, const Columns &columns, int64_t first, float *memory) {
  const Steps &f = desc.f_steps, &y = desc.y_steps;
  ConvProduct p = {};
  p.image = moved(desc.y, first * y.n);
  p.other = desc.f;
  p.out = memory;
  p.height = p.width = 1;
  p.image_group = desc.k / desc.groups * y.c;
  p.other_group = desc.k / desc.groups * f.n;
  p.out_group = columns.group;
  p.first[0] = {images_of(desc, columns, first), y.n, 0, desc.p * desc.q, 0, 0};
  p.first[1] = {desc.p, y.h, 0, desc.q, 0, 0};
  p.first[2] = {desc.q, y.w, 0, 1, 0, 0};
  p.second[0] = {desc.c / desc.groups, 0, f.c, columns.channel, 0, 0};
  p.second[1] = {desc.r, 0, f.h, columns.tap_h, 0, 0};
  p.second[2] = {desc.s, 0, f.w, columns.tap_w, 0, 0};
  p.sum[0] = {desc.k / desc.groups, y.c, f.n, 0, 0, 0};
  p.sum[1] = p.sum[2] = {1, 0, 0, 0, 0, 0};
  return p;
}

Col2imProblem col2im_problem(const ConvDesc &desc, const Columns &columns, int64_t first, const float *memory) {
  const auto number = [](int64_t x) { return static_cast<int>(x); };
  const Steps &x = desc.x_steps;
  Col2imProblem p = {};
  p.columns = memory;
  p.channels = number(desc.c / desc.groups);
  p.each = has_several(desc, columns) ? kCol2imChannels : 1;
  const int64_t parts = ceil_div(p.channels, p.each);
  p.groups = Divisor::of(number(desc.groups));
  p.parts = Divisor::of(number(parts));
  p.height = Divisor::of(number(desc.h));
  p.width = Divisor::of(number(desc.w));
  p.count = number(images_of(desc, columns, first) * desc.groups * parts * desc.h * desc.w);
  p.image = number(desc.p * desc.q);
  p.group = number(columns.group);
  p.channel = number(columns.channel);
  p.row = number(desc.q);
  p.h = taps_of(desc.r, desc.pad_h, desc.dilation_h, desc.stride_h, desc.p, columns.tap_h);
  p.w = taps_of(desc.s, desc.pad_w, desc.dilation_w, desc.stride_w, desc.q, columns.tap_w);
  p.out = moved(desc.out, first * x.n);
  p.out_n = x.n, p.out_c = x.c, p.out_h = x.h, p.out_w = x.w;
  p.alpha = desc.alpha, p.beta = desc.beta;
  return p;
}

double col2im_seconds(const DeviceModel &device, const ConvDesc &desc, const Columns &columns) {
  // Times, in multiply-adds, of an element of dx, of one whose neighbours in memory are other threads' channels, and of
  // a term (H100, 20 layers: 3.3, 13 and 0.9 us a million, and 4.5 us for the launch and the first loads).
  constexpr double kElement = 110, kElementApart = 450, kTerm = 30;
  const bool apart = channels_next(desc.x_steps) && desc.c / desc.groups > 2 * kCol2imChannels;
  const double work = (apart ? kElementApart : kElement) * elements(desc, columns) + kTerm * terms(desc, columns);
  return kTileLatency + 2 * work / fma_peak(device);
}

}  // namespace libsgemm::gpu
