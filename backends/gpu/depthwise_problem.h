// A convolution in which each channel of the image meets filters of its own: what travels to its kernels by value.
//
// Positions are (n, strip, q): a strip is `strip_rows` rows of the output (of the weight gradient: of the gradient)
// below one another, or fewer at its end.
#pragma once

#include <cstdint>

#include "divisor.h"

namespace libsgemm::gpu {

constexpr int kDepthwiseRows = 4;  // but where a weight gradient walks down strips

// Whether it does. Single floats and few taps without strides leave too few loads under way (H100, NCHW: 3 x 3 of
// 32 x 128 x 56 x 56 takes 56 us by strips of four rows, walking took 78; by two of 32 x 256 x 28 x 28 19 and 15; 5 x 5
// of the former 108 and 79).
LIBSGEMM_HOST_DEVICE constexpr bool depthwise_walks(int width, int taps, int down) {
  return width > 1 || taps > 3 || down > 1;
}

// One of the tensors that have images: the steps of a channel, an image, a row and a column.
struct DepthwiseSteps {
  int64_t channel, n, h, w;
};

// forward, data gradient: output (n, ch, p, q) = sum over terms j and taps (r, s) of image * filter
// weight gradient:        output (ch, r, s) = sum over (n, p, q) of image * gradient
// where the image's element is in row first_h + p down + r tap_h and column first_w + q right + s tap_w.
struct DepthwiseProblem {
  const float *image, *other;  // the filters, or the gradient
  float *out;
  int channels;        // of the output, or of the gradient
  Divisor multiplier;  // channels that have one channel of the image
  int terms;           // filters that are summed for each channel of the output
  int64_t image_term;  // elements of the image from one to the next
  int64_t other_term;  // of the filters
  int n, p, q, r, s;
  int first_h, first_w, down, right, tap_h, tap_w, height, width;
  DepthwiseSteps image_steps, pixel_steps;     // of the image; of the tensor with the channels above
  int64_t filter_channel, filter_r, filter_s;  // steps of the filters
  Divisor columns, strips;                     // q, and strips of an image
  int positions, strip_rows;
  float alpha, beta;
};

}  // namespace libsgemm::gpu
