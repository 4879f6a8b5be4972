// A data gradient as one product of all pixels of dy with all elements of the filters,
//
//   columns[c, r, s][n, p, q] = sum over k of dy[n, k, p, q] f[k, c, r, s]
//
// and dx[n, c, h, w] as the sum of the columns that taps bring there (col2im.h). No multiplication is lost to strides,
// but few channels make many columns. The workspace holds the columns of as many images as stay in L2. Figures:
// docs/kernels/convolution.md.
//
// Requires: a data gradient whose columns of one image are at most 32 MiB; a workspace of 4 c r s ceil(images p q, 4)
// bytes, with as many images as 32 MiB hold.
#pragma once

#include <cstdint>

#include "gpu/divisor.h"

namespace libsgemm::gpu {

// Tap `tap` brings dy's place x to x stride + tap dilation - pad.
struct Col2imTaps {
  int taps, pad, dilation;
  Divisor stride;
  int next, down;  // taps to the next one of the same element; its distance in dy
  int places;
  int step;  // elements of the columns from tap to tap
};

constexpr int kCol2imChannels = 4;

struct Col2imProblem {
  const float *columns;
  int channels;
  int each;                              // kCol2imChannels or 1
  Divisor groups, parts, height, width;  // parts: a group's channels, one part for each thread
  int count;
  int image, group, channel, row;  // strides of the columns
  Col2imTaps h, w;
  float *out;
  int64_t out_n, out_c, out_h, out_w;
  float alpha, beta;
};

}  // namespace libsgemm::gpu
