#include "wgmma_weights.h"

#include <algorithm>
#include <climits>

namespace libsgemm::cuda {
namespace {

constexpr int kBlock = 64;  // channels; a tap's are padded to whole blocks
constexpr int64_t kWords = 4;

int64_t padded(int64_t x, int64_t to) { return ceil_div(x, to) * to; }
size_t padded_bytes(size_t x) { return (x + 255) / 256 * 256; }

size_t split_bytes(const ConvImage &image, const ConvFormat &format) {
  return static_cast<size_t>(int64_t{image.height} * image.width * padded(image.channels, 8) * format.bytes);
}

uint32_t *words_of(void *workspace, int64_t part) { return static_cast<uint32_t *>(workspace) + kWords * part; }

}  // namespace

ConvGeometry weights_geometry(const ConvDesc &desc) {
  ConvDesc forward = desc;
  forward.direction = Conv::forward;
  return conv_geometry(forward, 0);
}

ConvImage weights_dy(const ConvDesc &desc) {
  const Steps &y = desc.y_steps;
  const auto number = [](int64_t x) { return static_cast<int>(x); };
  return {desc.y, y.n, y.c, y.h, y.w, number(desc.n), number(desc.k), number(desc.p), number(desc.q)};
}

bool conv_weights_fit(const ConvDesc &desc) {
  if (desc.direction != Conv::weight_gradient || desc.groups != 1 || !conv_fits(desc)) return false;
  constexpr double kMost = INT_MAX / 4;
  const double y = static_cast<double>(desc.p) * static_cast<double>(desc.q);
  const double rows =
      static_cast<double>(desc.r) * static_cast<double>(desc.s) * static_cast<double>(padded(desc.c, kBlock));
  return y * static_cast<double>(padded(desc.k, 8)) <= kMost && rows <= kMost && windows_fit(weights_geometry(desc));
}

ConvWeightsLayout conv_weights_layout(const ConvDesc &desc, const ConvFormat &format, size_t bytes) {
  constexpr size_t kMostSlices = 128;
  ConvWeightsLayout l = {};
  l.rows = desc.r * desc.s * padded(desc.c, kBlock), l.ld = padded(desc.k, 4);
  l.words_bytes = format.scaled ? padded_bytes(static_cast<size_t>(kWords * desc.n) * sizeof(uint32_t)) : 0;
  l.slice_bytes = padded_bytes(static_cast<size_t>(l.rows * l.ld) * sizeof(float));
  l.x_bytes = split_bytes(weights_geometry(desc).image, format), l.y_bytes = split_bytes(weights_dy(desc), format);
  const size_t of_image = static_cast<size_t>(format.splits) * (l.x_bytes + l.y_bytes);
  l.least_bytes = l.words_bytes + l.slice_bytes + of_image;
  if (bytes < l.least_bytes) return l;
  // Leaves a quarter of the workspace for slices.
  const size_t room = bytes - l.words_bytes - of_image;
  l.most_slices = static_cast<int>(std::clamp<size_t>(room / 4 / l.slice_bytes, 1, kMostSlices));
  const auto most = static_cast<int64_t>((bytes - l.words_bytes - l.sums_bytes()) / of_image);
  l.images = ceil_div(desc.n, ceil_div(desc.n, std::min(most, desc.n)));  // equal parts
  return l;
}

ConvWeightsPasses conv_weights_passes(const ConvDesc &desc, const ConvFormat &format, const ConvWeightsLayout &l,
                                      void *workspace, int64_t first, int64_t count, int64_t part) {
  uint32_t *words = words_of(workspace, part);
  ConvWeightsPasses p = {image_pass(weights_geometry(desc).image, first, count),
                         image_pass(weights_dy(desc), first, count)};
  p.x.most = words, p.x.least = words + 1;
  p.dy.most = words + 2, p.dy.least = words + 3;
  p.x.image_split_bytes = count * static_cast<int64_t>(l.x_bytes);
  p.dy.image_split_bytes = count * static_cast<int64_t>(l.y_bytes);
  p.x.image_splits = static_cast<char *>(workspace) + l.words_bytes + l.sums_bytes();
  p.dy.image_splits = p.x.image_splits + format.splits * p.x.image_split_bytes;
  return p;
}

int conv_weights_slices(int64_t clusters, int64_t steps, int64_t units, int most) {
  constexpr int64_t kLeastSteps = 8;  // k-steps of a slice
  // One slice if clusters fill three quarters of the waves; otherwise enough to fill the only wave, or one wave more.
  const int64_t waves = ceil_div(clusters, units);
  const int64_t slices = clusters * 4 >= waves * units * 3 ? 1 : (waves > 1 ? waves + 1 : 1) * units / clusters;
  return static_cast<int>(std::max<int64_t>(1, std::min({slices, steps / kLeastSteps, int64_t{most}})));
}

ConvWeightsSum conv_weights_sum(const ConvDesc &desc, const ConvFormat &format, const ConvWeightsLayout &l,
                                void *workspace, int64_t part, int slices, bool keeps_bound) {
  const ConvGeometry g = weights_geometry(desc);
  const int64_t terms = desc.n * desc.p * desc.q;
  ConvWeightsSum s = {};
  s.sums = reinterpret_cast<const float *>(static_cast<char *>(workspace) + l.words_bytes);
  s.slice = l.rows * l.ld, s.ld = l.ld;
  s.slices = slices, s.rows = static_cast<int>(l.rows);
  s.blocks = Divisor::of(static_cast<int>(ceil_div(desc.c, kBlock))), s.taps_w = Divisor::of(g.filters.taps_w);
  s.filters = g.filters;
  s.out = desc.out;
  s.alpha = desc.alpha, s.beta = desc.beta;
  if (format.scaled) s.guard = {words_of(workspace, part), log2_of(terms), keeps_bound ? most_excess(terms) : -1};
  return s;
}

}  // namespace libsgemm::cuda
