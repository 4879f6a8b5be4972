// The table of convolutions that every backend, and every row by force, computes in all directions and layouts.
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

// Small ones, and ones that are larger than the tiles and blocks of kernels.
extern const std::vector<ConvCase> kConvCases, kLargeConvCases;
// Of which the data gradient is computed from more columns than there are at a time.
extern const std::vector<ConvCase> kColumnCases;

constexpr libsgemm_conv2d_direction_t kDirections[] = {LIBSGEMM_CONV2D_FORWARD, LIBSGEMM_CONV2D_DATA_GRADIENT,
                                                       LIBSGEMM_CONV2D_WEIGHT_GRADIENT};
const char *direction_name(libsgemm_conv2d_direction_t direction);

// How tensors lie: dense in one of both orders, or as views with strides of their own.
enum class ConvLayout {
  kNchw,
  kNhwc,
  kPaddedNchw,  // rows, images and channels longer than what belongs to them
  kSlicedNhwc,  // some of the channels of larger tensors
  kScattered,   // every second column, and the dimensions in an order that no layout has
};
constexpr ConvLayout kConvLayouts[] = {ConvLayout::kNchw, ConvLayout::kNhwc, ConvLayout::kPaddedNchw,
                                       ConvLayout::kSlicedNhwc, ConvLayout::kScattered};
const char *layout_name(ConvLayout layout);

// The description of a case; strides in the order of the header, 0 where the layout says all.
libsgemm_conv2d_t conv_of(const ConvCase &test, libsgemm_conv2d_direction_t direction, ConvLayout layout);

}  // namespace sgemm_test
