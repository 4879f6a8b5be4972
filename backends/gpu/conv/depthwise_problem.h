// Parameters for convolutions in which each channel of the image has its own filters. Positions are (n, strip, q): a
// strip is `strip_rows` adjacent rows of the output (weight gradient: of the gradient), or fewer at an image's end.
#pragma once

#include <cstdint>

#include "gpu/divisor.h"

namespace libsgemm::gpu {

constexpr int kDepthwiseRows = 4;  // rows of a strip without walking

// With single floats, few taps and no strides, walking has too few loads in flight (docs/kernels/convolution.md).
LIBSGEMM_HOST_DEVICE constexpr bool depthwise_walks(int width, int taps, int down) {
  return width > 1 || taps > 3 || down > 1;
}

struct DepthwiseSteps {
  int64_t channel, n, h, w;
};

//   forward, data gradient: output (n, ch, p, q) = sum over terms j and taps (r, s) of image * filter
//   weight gradient:        output (ch, r, s) = sum over (n, p, q) of image * gradient
//
// with the image's row first_h + p down + r tap_h and column first_w + q right + s tap_w.
struct DepthwiseProblem {
  const float *image, *other;  // filters or gradient
  float *out;
  int channels;
  Divisor multiplier;  // channels that share one of the image
  int terms;           // filters summed for a channel of the output
  int64_t image_term;  // elements of the image between terms
  int64_t other_term;  // elements of the filters between terms
  int n, p, q, r, s;
  int first_h, first_w, down, right, tap_h, tap_w, height, width;
  DepthwiseSteps image_steps, pixel_steps;  // pixel_steps: the tensor with `channels`
  int64_t filter_channel, filter_r, filter_s;
  Divisor columns, strips;  // q; strips of an image
  int positions, strip_rows;
  float alpha, beta;
};

}  // namespace libsgemm::gpu
