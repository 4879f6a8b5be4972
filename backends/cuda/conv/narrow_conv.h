// Convolutions to few channels of each group, with strides and dilations of 1: what a launch of
// sm75_ffma_16x64x4_narrow_conv computes. Host and device. A data gradient with strides is several of them
// (gpu/conv_product.h).
#pragma once

#include "conv_splits.h"

namespace libsgemm::cuda {

constexpr int kNarrowRows = 16, kNarrowColumns = 64;  // of the output, of a tile
constexpr int kNarrowTaps = 8;                        // each way, at most
constexpr int kNarrowPitch = kNarrowColumns + kNarrowTaps;
constexpr int kNarrowDepth = 4;  // channels of the image of a stage
constexpr int kNarrowThreads = 128;
constexpr int kNarrowQuads = 4;  // of a group, each of up to four filters, at most

struct NarrowProblem {
  ConvImage image;      // of which the sum takes all channels
  ConvFilters filters;  // as many as a group of the output has channels
  int p, q;             // of the output
  int first_h, first_w;
  float *out;
  int64_t out_n, out_h, out_w, out_k;
  int64_t image_group, filter_group, out_group;  // elements from group to group
  bool out_vectors;                              // the channels of a quad are neighbours, at multiples of 16 bytes
  gpu::Divisor taps_w;
  int tiles_w, tiles;  // of a row, of an image
};

struct NarrowProblems {
  static constexpr int kMost = 4;
  NarrowProblem problem[kMost];
  gpu::Divisor quads, groups;  // of the output's channels, four at a time
  float alpha, beta;
  int stage_floats;    // of the largest
  bool channels_next;  // channels of the image are neighbours
};

}  // namespace libsgemm::cuda
