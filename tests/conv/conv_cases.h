// Convolutions for tests. All backends and forced kernels run the table, in all directions and layouts.
#pragma once

#include <libsgemm.h>

#include <string>
#include <vector>

namespace sgemm_test {

struct ConvCase {
  const char *name;
  int64_t n, c, h, w;
  int64_t k, r, s;
  int64_t groups = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  int64_t dilation_h = 1, dilation_w = 1;
};

// The large ones exceed kernels' tiles and blocks.
extern const std::vector<ConvCase> kConvCases, kLargeConvCases;
// Data gradients with more columns than are computed at a time.
extern const std::vector<ConvCase> kColumnCases;

constexpr libsgemm_conv2d_direction_t kDirections[] = {LIBSGEMM_CONV2D_FORWARD, LIBSGEMM_CONV2D_DATA_GRADIENT,
                                                       LIBSGEMM_CONV2D_WEIGHT_GRADIENT};
const char *direction_name(libsgemm_conv2d_direction_t direction);

enum class ConvLayout {
  kNchw,
  kNhwc,
  kPaddedNchw,  // gaps between rows, images and channels
  kSlicedNhwc,  // some channels of larger tensors
  kScattered,   // every second column, in neither layout's order
};
constexpr ConvLayout kConvLayouts[] = {ConvLayout::kNchw, ConvLayout::kNhwc, ConvLayout::kPaddedNchw,
                                       ConvLayout::kSlicedNhwc, ConvLayout::kScattered};
const char *layout_name(ConvLayout layout);

// Strides are in the order of libsgemm.h; 0: the layout determines them.
libsgemm_conv2d_t conv_of(const ConvCase &test, libsgemm_conv2d_direction_t direction, ConvLayout layout);

}  // namespace sgemm_test
