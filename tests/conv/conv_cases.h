// The table of convolutions that every backend, and every kernel when forced, computes in all directions and layouts.
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

// Small convolutions, and ones that are larger than the tiles and blocks of kernels.
extern const std::vector<ConvCase> kConvCases, kLargeConvCases;
// Cases whose data gradient has more columns than are computed at a time.
extern const std::vector<ConvCase> kColumnCases;

constexpr libsgemm_conv2d_direction_t kDirections[] = {LIBSGEMM_CONV2D_FORWARD, LIBSGEMM_CONV2D_DATA_GRADIENT,
                                                       LIBSGEMM_CONV2D_WEIGHT_GRADIENT};
const char *direction_name(libsgemm_conv2d_direction_t direction);

// The layout of tensors: dense in one of both orders, or views with strides of their own.
enum class ConvLayout {
  kNchw,
  kNhwc,
  kPaddedNchw,  // rows, images and channels followed by elements that do not belong to the tensor
  kSlicedNhwc,  // some of the channels of larger tensors
  kScattered,   // every second column, and an order of dimensions that is neither layout's
};
constexpr ConvLayout kConvLayouts[] = {ConvLayout::kNchw, ConvLayout::kNhwc, ConvLayout::kPaddedNchw,
                                       ConvLayout::kSlicedNhwc, ConvLayout::kScattered};
const char *layout_name(ConvLayout layout);

// Returns the description of a case. Strides are in the order of the header; 0 if the layout determines them.
libsgemm_conv2d_t conv_of(const ConvCase &test, libsgemm_conv2d_direction_t direction, ConvLayout layout);

}  // namespace sgemm_test
