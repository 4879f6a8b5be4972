#include "conv_cases.h"

#include <cstdlib>

namespace sgemm_test {
namespace {

using Sizes = int64_t[4];  // n, c, h, w

void set_strides(ConvLayout layout, const Sizes &size, int64_t (&strides)[4]) {
  const auto fill = [&](const int(&order)[4], const int64_t(&longer)[4], int64_t step) {
    for (const int d : order) {  // innermost first
      strides[d] = step;
      step *= size[d] + longer[d];
    }
  };
  switch (layout) {
    case ConvLayout::kNchw:
    case ConvLayout::kNhwc:
      return;
    case ConvLayout::kPaddedNchw:
      return fill({3, 2, 1, 0}, {0, 1, 1, 3}, 1);
    case ConvLayout::kSlicedNhwc:
      return fill({1, 3, 2, 0}, {0, 5, 0, 0}, 1);
    case ConvLayout::kScattered:
      return fill({3, 0, 1, 2}, {1, 0, 0, 2}, 2);
  }
}

}  // namespace

// name; n c h w; k r s; groups; strides; pads top left bottom right; dilations
const std::vector<ConvCase> kConvCases = {
    {"one element", 1, 1, 1, 1, 1, 1, 1},
    {"1x1", 2, 5, 7, 6, 4, 1, 1},
    {"1x1 of many channels", 2, 33, 5, 5, 17, 1, 1},
    {"1x1, every second", 2, 3, 8, 7, 5, 1, 1, 1, 2, 2},
    {"1x1 in a border", 1, 3, 3, 4, 2, 1, 1, 1, 1, 1, 2, 1, 2, 1},
    {"3x3 inside", 2, 3, 6, 7, 4, 3, 3},
    {"3x3 same", 2, 4, 8, 9, 5, 3, 3, 1, 1, 1, 1, 1, 1, 1},
    {"3x3 same of 16 channels", 2, 16, 6, 6, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1},
    {"3x3, every second", 2, 3, 9, 8, 4, 3, 3, 1, 2, 2, 1, 1, 1, 1},
    {"7x7, every second", 1, 3, 17, 15, 6, 7, 7, 1, 2, 2, 3, 3, 3, 3},
    {"5x5 of one pixel of output", 3, 2, 5, 5, 7, 5, 5},
    {"1x5 and 2 rows at a time", 2, 3, 7, 9, 4, 1, 5, 1, 2, 1, 0, 2, 0, 2},
    {"4x1, columns by three", 1, 4, 6, 10, 3, 4, 1, 1, 1, 3, 1, 0, 2, 0},
    {"another border on each side", 2, 2, 5, 6, 3, 3, 2, 1, 1, 1, 0, 1, 2, 3},
    {"border larger than the image", 2, 3, 2, 3, 4, 5, 4, 1, 1, 1, 4, 3, 5, 4},
    {"border larger than the image, strided", 1, 2, 2, 2, 3, 3, 3, 1, 3, 2, 5, 4, 3, 6},
    {"dilated by 2", 2, 3, 9, 8, 4, 3, 3, 1, 1, 1, 2, 2, 2, 2, 2, 2},
    {"dilated by 3 and 2, strided by 2 and 3", 1, 3, 13, 11, 2, 3, 3, 1, 2, 3, 3, 1, 2, 0, 3, 2},
    {"dilated by 2, strided by 2", 2, 2, 9, 10, 3, 3, 3, 1, 2, 2, 2, 2, 2, 2, 2, 2},
    {"dilated by 4, strided by 6", 1, 2, 20, 23, 3, 4, 5, 1, 6, 6, 1, 3, 0, 2, 4, 4},
    {"stride larger than the filter", 2, 3, 11, 9, 4, 2, 1, 1, 4, 3},
    {"stride larger than the image", 1, 3, 4, 5, 2, 3, 3, 1, 9, 7, 1, 1, 1, 1},
    {"two groups", 2, 6, 6, 5, 4, 3, 3, 2, 1, 1, 1, 1, 1, 1},
    {"three groups, strided", 1, 9, 7, 7, 6, 3, 2, 3, 2, 2, 1, 0, 1, 1},
    {"depthwise", 2, 7, 8, 7, 7, 3, 3, 7, 1, 1, 1, 1, 1, 1},
    {"depthwise, two filters a channel", 1, 5, 7, 9, 10, 3, 3, 5, 2, 2, 1, 1, 1, 1},
    {"one row", 3, 4, 1, 19, 5, 1, 3, 1, 1, 1, 0, 1, 0, 1},
    {"one channel to one", 2, 1, 9, 9, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1},
};

const std::vector<ConvCase> kLargeConvCases = {
    {"more pixels and terms than a block", 9, 64, 16, 17, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1},
    {"more filters than a block", 1, 4, 5, 6, 1030, 2, 2},
    {"more channels than a block", 1, 1030, 5, 6, 4, 2, 2},
    {"1x1, images of more than a block", 2, 24, 50, 49, 20, 1, 1},
    {"many small images", 70, 20, 7, 7, 24, 1, 1},
};

const std::vector<ConvCase> kColumnCases = {
    {"columns of more than 32 MiB", 17, 3, 48, 48, 1, 9, 9, 1, 1, 1, 4, 4, 4, 4},
};

const char *direction_name(libsgemm_conv2d_direction_t direction) {
  static const char *const names[] = {"forward", "data gradient", "weight gradient"};
  return names[static_cast<int>(direction)];
}

const char *layout_name(ConvLayout layout) {
  static const char *const names[] = {"NCHW", "NHWC", "padded NCHW", "sliced NHWC", "scattered"};
  return names[static_cast<int>(layout)];
}

libsgemm_conv2d_t conv_of(const ConvCase &test, libsgemm_conv2d_direction_t direction, ConvLayout layout) {
  libsgemm_conv2d_t v;
  libsgemm_conv2d_init(&v, sizeof v);
  v.direction = direction;
  v.layout = layout == ConvLayout::kNhwc ? LIBSGEMM_NHWC : LIBSGEMM_NCHW;
  v.n = test.n, v.c = test.c, v.h = test.h, v.w = test.w;
  v.k = test.k, v.r = test.r, v.s = test.s;
  v.groups = test.groups;
  v.stride_h = test.stride_h, v.stride_w = test.stride_w;
  v.pad_top = test.pad_top, v.pad_left = test.pad_left, v.pad_bottom = test.pad_bottom, v.pad_right = test.pad_right;
  v.dilation_h = test.dilation_h, v.dilation_w = test.dilation_w;
  int64_t p = 0, q = 0;
  if (libsgemm_conv2d_output_size(&v, &p, &q) != LIBSGEMM_SUCCESS) std::abort();
  set_strides(layout, {v.n, v.c, v.h, v.w}, v.x_strides);
  set_strides(layout, {v.k, v.c / v.groups, v.r, v.s}, v.f_strides);
  set_strides(layout, {v.n, v.k, p, q}, v.y_strides);
  return v;
}

}  // namespace sgemm_test
