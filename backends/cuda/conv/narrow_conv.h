// Parameters of sm75_ffma_16x64x4_narrow_conv, for convolutions to few channels without strides and dilations.
#pragma once

#include "cuda/conv/splits/conv_splits.h"

namespace libsgemm::cuda {

constexpr int kNarrowRows = 16, kNarrowColumns = 64;  // tile of the output
constexpr int kNarrowTaps = 8;                        // limit for height and width
constexpr int kNarrowPitch = kNarrowColumns + kNarrowTaps;
constexpr int kNarrowDepth = 4;  // channels of the image in a stage
constexpr int kNarrowThreads = 128;
constexpr int kNarrowQuads = 4;  // limit of a group; a quad is up to four filters

struct NarrowProblem {
  ConvImage image;      // all channels are summed
  ConvFilters filters;  // one for each channel of a group of the output
  int p, q;
  int first_h, first_w;
  float *out;
  int64_t out_n, out_h, out_w, out_k;
  int64_t image_group, filter_group, out_group;  // distances between groups
  bool out_vectors;                              // a quad's channels are neighbours, at multiples of 16 bytes
  gpu::Divisor taps_w;
  int tiles_w, tiles;  // tiles in a row of tiles; in an image
};

struct NarrowProblems {
  static constexpr int kMost = 4;
  NarrowProblem problem[kMost];
  gpu::Divisor quads, groups;  // quads: a group's output channels
  float alpha, beta;
  int stage_floats;
  bool channels_next;  // the image's channels are neighbours
};

}  // namespace libsgemm::cuda
