// A convolution in which each channel of the image has its own filters: the parameters that its kernels get by value.
// Positions are (n, strip, q): a strip is `strip_rows` adjacent rows of the output (for the weight gradient: of the
// gradient), or fewer at the end of an image.
#pragma once

#include <cstdint>

#include "gpu/divisor.h"

namespace libsgemm::gpu {

constexpr int kDepthwiseRows = 4;  // unless a weight gradient walks down strips

// True if a weight gradient walks down strips. With single floats, few taps and no strides, walking has too few loads
// in flight (docs/kernels/convolution.md).
LIBSGEMM_HOST_DEVICE constexpr bool depthwise_walks(int width, int taps, int down) {
  return width > 1 || taps > 3 || down > 1;
}

// Steps of a channel, an image, a row and a column, for a tensor that has images.
struct DepthwiseSteps {
  int64_t channel, n, h, w;
};

// forward, data gradient: output (n, ch, p, q) = sum over terms j and taps (r, s) of image * filter
// weight gradient:        output (ch, r, s) = sum over (n, p, q) of image * gradient
// where the image's element is in row first_h + p down + r tap_h and column first_w + q right + s tap_w.
struct DepthwiseProblem {
  const float *image, *other;  // the filters, or the gradient
  float *out;
  int channels;        // channels of the output, or of the gradient
  Divisor multiplier;  // channels that share a channel of the image
  int terms;           // filters that are summed for each channel of the output
  int64_t image_term;  // elements of the image from one term to the next
  int64_t other_term;  // elements of the filters from one term to the next
  int n, p, q, r, s;
  int first_h, first_w, down, right, tap_h, tap_w, height, width;
  DepthwiseSteps image_steps, pixel_steps;     // steps of the image; steps of the tensor that has `channels`
  int64_t filter_channel, filter_r, filter_s;  // steps of the filters
  Divisor columns, strips;                     // q, and strips of an image
  int positions, strip_rows;
  float alpha, beta;
};

}  // namespace libsgemm::gpu
