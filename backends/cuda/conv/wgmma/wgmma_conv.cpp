#include "wgmma_conv.h"

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace libsgemm::cuda {
namespace {

int64_t padded(int64_t x, int64_t to) { return ceil_div(x, to) * to; }
size_t padded_bytes(size_t x) { return (x + 255) / 256 * 256; }
int number(int64_t x) { return static_cast<int>(x); }

int64_t pad_channels(const ConvImage &image) { return padded(image.channels, 8); }
int64_t filter_ld(const ConvGeometry &g, int channels) {
  return int64_t{g.filters.taps_h} * g.filters.taps_w * padded(g.filters.channels, channels);
}

int64_t terms_of(const ConvGeometry &g) { return int64_t{g.filters.channels} * g.filters.taps_h * g.filters.taps_w; }

// Upper corner of TMA's im2col box along one dimension: the last of `count` pixels, relative to the image's last one.
int64_t upper(int64_t first, int64_t stride, int64_t count, int64_t size) {
  return first + (count - 1) * stride - (size - 1);
}

// Dimensions of an image, slowest first. Two that one loop can walk over are merged.
struct Walk {
  int64_t extent[3], step[3];

  explicit Walk(const ConvImage &x) : extent{x.channels, x.height, x.width}, step{x.c, x.h, x.w} {
    for (int pass = 0; pass < 2; ++pass) {
      for (int d = 0; d < 2; ++d) {
        const bool later = extent[d] != 1 && (extent[d + 1] == 1 || step[d] < step[d + 1]);
        if (later) std::swap(extent[d], extent[d + 1]), std::swap(step[d], step[d + 1]);
      }
    }
    for (int d = 1; d >= 0; --d) {
      if (step[d] != step[d + 1] * extent[d + 1] && extent[d] != 1) continue;
      extent[d + 1] *= extent[d];
      if (d == 1) extent[1] = extent[0], step[1] = step[0];
      extent[0] = 1, step[0] = 0;
    }
  }
};

bool within(int64_t x, int64_t least, int64_t most) { return x >= least && x <= most; }

// Strides of columns, rows and images, in elements. A dimension of extent 1 gets the stride of the one before it.
struct Places {
  int64_t w, h, n;
  explicit Places(const ConvImage &x)
      : w(x.width > 1 ? x.w : padded(x.channels, 4)), h(x.height > 1 ? x.h : w), n(x.images > 1 ? x.n : h) {}
};

bool lies_for_tma(const ConvImage &x) {
  constexpr int64_t kMostStep = int64_t{1} << 37;  // 2^39 bytes
  const Places p(x);
  return (x.channels == 1 || x.c == 1) && (p.w | p.h | p.n) % 4 == 0 && p.w > 0 && p.h >= p.w && p.n >= p.h &&
         p.n <= kMostStep && reinterpret_cast<uintptr_t>(x.data) % 16 == 0;
}

bool fits(const ConvGeometry &g) {
  // conv_problem() sorts n, p, q by stride. Only if they keep this order, the guard's tiles are those of the repair.
  const auto behind = [](int64_t step, int64_t size, int64_t inner, int64_t inner_size) {
    return size == 1 || inner_size == 1 || step >= inner;
  };
  return behind(g.out_n, g.image.images, g.out_h, g.p) && behind(g.out_n, g.image.images, g.out_w, g.q) &&
         behind(g.out_h, g.p, g.out_w, g.q) && windows_fit(g);
}

}  // namespace

bool windows_fit(const ConvGeometry &g) {
  constexpr int64_t kMostElements = INT_MAX / 4, kMostOffset = 255, kMostStep = 8, kMostCorner = 127;
  const ConvImage &x = g.image;
  if (g.filters.taps_h < 1 || g.filters.taps_w < 1) return false;
  const double image = static_cast<double>(pad_channels(x)) * x.height * x.width;
  const double filters = static_cast<double>(filter_ld(g, 64));
  if (image > kMostElements || filters > kMostElements || x.images > 65535) return false;
  const int64_t offset_h = int64_t{g.dilation_h} * (g.filters.taps_h - 1);
  const int64_t offset_w = int64_t{g.dilation_w} * (g.filters.taps_w - 1);
  return offset_h <= kMostOffset && offset_w <= kMostOffset && g.stride_h <= kMostStep && g.stride_w <= kMostStep &&
         within(g.first_h, -kMostCorner, kMostCorner) && within(g.first_w, -kMostCorner, kMostCorner) &&
         within(upper(g.first_h, g.stride_h, g.p, x.height), -kMostCorner, kMostCorner) &&
         within(upper(g.first_w, g.stride_w, g.q, x.width), -kMostCorner, kMostCorner);
}

ConvGeometry conv_geometry(const ConvDesc &desc, int64_t index) {
  return conv_geometry(desc, conv_product(desc, index));
}

ConvGeometry conv_geometry(const ConvDesc &desc, const ConvProduct &product) {
  const Steps &steps = desc.direction == Conv::data_gradient ? desc.y_steps : desc.x_steps;
  const auto &[images, rows, columns] = product.first;
  const auto &[channels, taps_h, taps_w] = product.sum;
  ConvGeometry g = {};
  g.image = {moved(product.image, -(product.first_h * steps.h + product.first_w * steps.w)),
             steps.n,
             steps.c,
             steps.h,
             steps.w,
             number(images.extent),
             number(channels.extent),
             number(product.height),
             number(product.width)};
  const ConvDigit &filters = product.second[2];
  g.filters = {product.other,        filters.other,          channels.other,          taps_h.other,
               taps_w.other,         number(filters.extent), number(channels.extent), number(taps_h.extent),
               number(taps_w.extent)};
  g.p = number(rows.extent), g.q = number(columns.extent);
  g.stride_h = number(rows.h), g.stride_w = number(columns.w);
  g.first_h = number(product.first_h), g.first_w = number(product.first_w);
  // Reverses taps whose step is negative.
  const auto order = [&g](int64_t step, int taps, int *first, int64_t *of_filters) {
    if (step >= 0) return number(step);
    *first += number(step * (taps - 1));
    g.filters.data = moved(g.filters.data, *of_filters * (taps - 1));
    *of_filters = -*of_filters;
    return number(-step);
  };
  g.dilation_h = order(taps_h.h, g.filters.taps_h, &g.first_h, &g.filters.r);
  g.dilation_w = order(taps_w.w, g.filters.taps_w, &g.first_w, &g.filters.s);
  g.out = product.out;
  g.out_n = images.out, g.out_h = rows.out, g.out_w = columns.out, g.out_k = filters.out;
  return g;
}

bool wgmma_conv_fits(const ConvDesc &desc) {
  constexpr int64_t kMostProducts = 16;
  if (desc.direction == Conv::weight_gradient || desc.groups != 1 || conv_products(desc) > kMostProducts ||
      !conv_fits(desc)) {
    return false;
  }
  for (int64_t index = 0; index < conv_products(desc); ++index) {
    if (!fits(conv_geometry(desc, index))) return false;
  }
  return true;
}

int64_t conv_least_terms(const ConvDesc &desc) {
  int64_t least = INT64_MAX;
  for (int64_t index = 0; index < conv_products(desc); ++index) {
    least = std::min(least, terms_of(conv_geometry(desc, index)));
  }
  return least;
}

ConvDesc conv_images(const ConvDesc &desc, int64_t first, int64_t count) {
  ConvDesc some = desc;
  some.n = count;
  some.x = moved(desc.x, first * desc.x_steps.n), some.y = moved(desc.y, first * desc.y_steps.n);
  const int64_t step = desc.direction == Conv::forward         ? desc.y_steps.n
                       : desc.direction == Conv::data_gradient ? desc.x_steps.n
                                                               : 0;
  some.out = moved(desc.out, first * step);
  return some;
}

bool evenly_apart(const ConvGeometry &g, int64_t images) {
  return (g.p == 1 || g.out_h == g.q * g.out_w) && (images == 1 || g.out_n == int64_t{g.p} * g.q * g.out_w);
}

double store_steps(const ConvGeometry &g, int64_t images, const ConvStoreSteps &steps) {
  if (g.out_k == 1) return evenly_apart(g, images) ? steps.rows : steps.rows_apart;
  return g.out_w == 1 ? steps.elements : steps.elements_apart;
}

int64_t conv_steps(const ConvGeometry &g, const ConvFormat &format) {
  const int64_t steps = filter_ld(g, format.channels) / format.channels;
  // Rounds up to whole promotions.
  return format.splits > 1 ? padded(steps, kPromoteDepth / format.channels) : steps;
}

ConvSplitsLayout conv_splits_layout(const ConvDesc &desc, const ConvFormat &format, size_t bytes) {
  const auto count = static_cast<size_t>(format.splits), size = static_cast<size_t>(format.bytes);
  const ConvGeometry g = conv_geometry(desc, 0);
  int64_t ld = 0;
  for (int64_t index = 0; index < conv_products(desc); ++index) {
    ld = std::max(ld, filter_ld(conv_geometry(desc, index), format.channels));
  }
  ConvSplitsLayout l = {};
  l.filter_rows = padded(g.filters.filters, kOuterPad);
  const int64_t words = 2 * int64_t{g.image.images} + l.filter_rows + 2 * (l.filter_rows / kOuterPad);
  l.words_bytes = format.scaled ? padded_bytes(static_cast<size_t>(words) * sizeof(uint32_t)) : 0;
  l.filter_split_bytes = padded_bytes(static_cast<size_t>(g.filters.filters * ld) * size);
  l.filter_bytes = count * l.filter_split_bytes;
  l.in_place = format.bytes == 4 && lies_for_tma(g.image);
  l.image_bytes =
      l.in_place ? 0 : static_cast<size_t>(int64_t{g.image.height} * g.image.width * pad_channels(g.image)) * size;
  const size_t before = l.words_bytes + l.filter_bytes;
  l.least_bytes = before + count * l.image_bytes;
  if (bytes < l.least_bytes) return l;
  const int64_t all = g.image.images;
  const int64_t most = l.in_place ? all : static_cast<int64_t>((bytes - before) / (count * l.image_bytes));
  l.images = ceil_div(all, ceil_div(all, std::min(most, all)));
  return l;
}

ConvPass image_pass(const ConvImage &all, int64_t first, int64_t count) {
  ConvPass p = {};
  p.image = all;
  p.image.data = moved(all.data, first * all.n);
  p.image.images = number(count);
  const Walk walk(all);
  const bool aligned = reinterpret_cast<uintptr_t>(all.data) % 16 == 0 && all.n % 4 == 0;
  p.vectors = aligned && walk.step[2] == 1 && walk.extent[2] % 4 == 0 && walk.step[1] % 4 == 0 && walk.step[0] % 4 == 0;
  const int64_t unit = p.vectors ? 4 : 1;
  p.inner = Divisor::of(number(walk.extent[2] / unit)), p.middle = Divisor::of(number(walk.extent[1]));
  p.walk[0] = walk.step[0], p.walk[1] = walk.step[1], p.walk[2] = walk.step[2] * unit;
  p.units = number(walk.extent[0] * walk.extent[1] * walk.extent[2] / unit);
  p.along_c = all.c == 1;
  p.c_vectors = aligned && p.along_c && all.h % 4 == 0 && all.w % 4 == 0;
  p.padded = number(pad_channels(all));
  p.quads = Divisor::of(p.padded / 4), p.width = Divisor::of(all.width);
  return p;
}

ConvPass conv_pass(const ConvGeometry &g, const ConvFormat &format, const ConvSplitsLayout &l, void *workspace,
                   int64_t first, int64_t count) {
  auto *words = static_cast<uint32_t *>(workspace);
  ConvPass p = image_pass(g.image, first, count);
  p.most = words + first, p.least = words + g.image.images + first, p.words_of_image = 1;
  p.filter_most = words + 2 * g.image.images;
  p.block_most = p.filter_most + l.filter_rows, p.excess = p.block_most + l.filter_rows / kOuterPad;
  p.filters = g.filters;
  p.filter_ld = filter_ld(g, format.channels);
  p.filter_quads = number(p.filter_ld / 4);
  p.tap_quads = Divisor::of(number(padded(g.filters.channels, format.channels) / 4));
  p.taps_w = Divisor::of(g.filters.taps_w);
  p.filter_splits = static_cast<char *>(workspace) + l.words_bytes;
  p.filter_split_bytes = static_cast<int64_t>(l.filter_split_bytes);
  p.image_splits = p.filter_splits + l.filter_bytes;
  p.image_split_bytes = count * static_cast<int64_t>(l.image_bytes);
  return p;
}

double image_split_bytes(const ConvGeometry &g, const ConvFormat &format) {
  const double pixels = static_cast<double>(g.image.height) * g.image.width * g.image.images;
  return pixels * format.splits * format.bytes * static_cast<double>(pad_channels(g.image));
}

double image_pass_bytes(const ConvGeometry &g, const ConvFormat &format) {
  const double pixels = static_cast<double>(g.image.height) * g.image.width * g.image.images;
  return pixels * (format.scaled ? 8 : 4) * g.image.channels + image_split_bytes(g, format);
}

double filter_pass_bytes(const ConvGeometry &g, const ConvFormat &format) {
  // Elements far apart, such as a filter's in a data gradient, cost half a sector each (fitted).
  constexpr int64_t kNear = 64;
  const double read = std::abs(g.filters.c) > kNear ? 16 : 4;
  return static_cast<double>(filter_ld(g, format.channels)) * g.filters.filters * (read + format.splits * format.bytes);
}

WgmmaConvProblem conv_windows(const ConvGeometry &g, const ConvFormat &format, const ConvPass &pass, bool keeps_bound) {
  const int64_t terms = terms_of(g);
  WgmmaConvProblem p = {};
  ConvWindows &w = p.windows;
  w.pixels = Divisor::of(g.p * g.q), w.width = Divisor::of(g.q);
  w.blocks = Divisor::of(number(ceil_div(g.filters.channels, format.channels)));
  w.taps_w = Divisor::of(g.filters.taps_w), w.taps = g.filters.taps_h * g.filters.taps_w;
  w.images = pass.image.images, w.channels = pass.padded;
  w.first_h = g.first_h, w.first_w = g.first_w;
  w.stride_h = g.stride_h, w.stride_w = g.stride_w;
  w.dilation_h = g.dilation_h, w.dilation_w = g.dilation_w;
  w.out_n = g.out_n, w.out_h = g.out_h, w.out_w = g.out_w;
  p.filter_most = pass.filter_most;
  p.guard = {pass.most, pass.least, pass.block_most, pass.excess,
             w.pixels,  w.images,   log2_of(terms),  keeps_bound ? most_excess(terms) : -1};
  return p;
}

TensorBoxes split_boxes(const void *base, int64_t along, int64_t across, int64_t split_bytes, const ConvFormat &format,
                        const uint32_t (&box)[2], uint32_t box_splits, uint32_t swizzle) {
  TensorBoxes boxes = {};
  boxes.base = base;
  boxes.element_bytes = format.bytes;
  boxes.sizes[0] = static_cast<uint64_t>(along), boxes.sizes[1] = static_cast<uint64_t>(across);
  boxes.sizes[2] = format.splits, boxes.sizes[3] = 1;
  boxes.strides[0] = format.bytes * boxes.sizes[0];
  boxes.strides[1] = boxes.strides[2] = static_cast<uint64_t>(split_bytes);
  boxes.box[0] = box[0], boxes.box[1] = box[1], boxes.box[2] = box_splits, boxes.box[3] = 1;
  boxes.swizzle = swizzle;
  return boxes;
}

ImageBoxes conv_boxes(const ConvGeometry &g, const ConvFormat &format, const ConvPass &pass, uint32_t pixels,
                      bool in_place) {
  const auto count = [](int64_t x) { return static_cast<uint64_t>(x); };
  ImageBoxes b = {};
  b.base = pass.image_splits;
  b.channels = count(pass.padded), b.width = count(g.image.width), b.height = count(g.image.height);
  b.images = count(int64_t{format.splits} * pass.image.images);
  b.element_bytes = static_cast<uint32_t>(format.bytes);
  b.strides[0] = b.element_bytes * b.channels, b.strides[1] = b.strides[0] * b.width,
  b.strides[2] = b.strides[1] * b.height;
  b.lower[0] = g.first_w, b.lower[1] = g.first_h;
  b.upper[0] = number(upper(g.first_w, g.stride_w, g.q, g.image.width));
  b.upper[1] = number(upper(g.first_h, g.stride_h, g.p, g.image.height));
  b.step[0] = static_cast<uint32_t>(g.stride_w), b.step[1] = static_cast<uint32_t>(g.stride_h);
  b.channels_box = static_cast<uint32_t>(format.channels), b.pixels_box = pixels;
  b.swizzle = b.channels_box * b.element_bytes;
  if (in_place) {
    const ConvImage &x = pass.image;
    b.base = x.data;
    b.channels = count(x.channels);
    const Places p(x);
    b.strides[0] = count(4 * p.w), b.strides[1] = count(4 * p.h), b.strides[2] = count(4 * p.n);
    b.to_tf32 = true;
  }
  return b;
}

}  // namespace libsgemm::cuda
