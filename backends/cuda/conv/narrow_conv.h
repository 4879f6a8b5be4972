// Convolutions to few channels, with strides and dilations of 1: what a launch of sm75_ffma_16x64x4_narrow_conv
// computes. Host and device. A data gradient with strides is several of them (gpu/conv_product.h).
#pragma once

#include "conv_splits.h"

namespace libsgemm::cuda {

constexpr int kNarrowRows = 16, kNarrowColumns = 64;  // of the output, of a tile
constexpr int kNarrowTaps = 8;                        // each way, at most
constexpr int kNarrowPitch = kNarrowColumns + kNarrowTaps;
constexpr int kNarrowDepth = 4;  // channels of the image of a stage
constexpr int kNarrowThreads = 128;

struct NarrowProblem {
  ConvImage image;      // of which the sum takes all channels
  ConvFilters filters;  // as many as the output has channels
  int p, q;             // of the output
  int first_h, first_w;
  float *out;
  int64_t out_n, out_h, out_w, out_k;
  gpu::Divisor taps_w;
  int tiles_w, tiles;  // of a row, of an image
};

struct NarrowProblems {
  static constexpr int kMost = 4;
  NarrowProblem problem[kMost];
  float alpha, beta;
  int stage_floats;    // of the largest
  bool channels_next;  // channels of the image are neighbours
};

}  // namespace libsgemm::cuda
