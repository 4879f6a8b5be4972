// A data gradient as one product, of all pixels of dy with all elements of the filters,
//
//   columns[c, r, s][n, p, q] = sum over k of dy[n, k, p, q] f[k, c, r, s]
//
// and dx[n, c, h, w] as the sum of the columns that taps bring there (col2im.h). Every multiplication contributes to
// dx, whatever the strides, and few channels make many columns. The columns are in the workspace, of as many images at
// a time as stay in L2. Figures: docs/kernels/convolution.md.
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
  int next, down;  // taps to the next one of the same element; places of dy back with it
  int places;      // of dy
  int step;        // elements of the columns from tap to tap
};

constexpr int kCol2imChannels = 4;  // channels of a thread, unless it has one

struct Col2imProblem {
  const float *columns;
  int channels;                          // of a group
  int each;                              // kCol2imChannels or 1
  Divisor groups, parts, height, width;  // of dx; parts: of a group's channels, one for each thread
  int count;                             // threads
  int image, group, channel, row;        // strides of the columns
  Col2imTaps h, w;
  float *out;
  int64_t out_n, out_c, out_h, out_w;
  float alpha, beta;
};

}  // namespace libsgemm::gpu
