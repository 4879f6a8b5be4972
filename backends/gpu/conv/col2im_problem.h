// A data gradient as one product, of all pixels of dy with all elements of the filters,
//
//   columns[c, r, s][n, p, q] = sum over k of dy[n, k, p, q] f[k, c, r, s]
//
// and dx[n, c, h, w] as the sum of the columns that taps bring there. Every multiplication contributes to dx, whatever
// the strides, and few channels make many columns of the product. The product reads its operands from the tensors like
// any other convolution (conv_row.h). The columns are floats in the workspace, of as many images at a time as stay in
// the L2 cache.
//
// Requires: a data gradient whose columns of one image are at most 32 MiB; a workspace of 4 c r s ceil(images p q, 4)
// bytes, with as many images as 32 MiB hold.
//
// Measured (H100, NCHW): 32 x 3 x 95 x 95, 3 x 3 with strides of 2, 512 filters, 88 us; by a product for each remainder
// 480. More: docs/kernels/convolution.md.
//
// Parameters of a launch of the second kernel, col2im.h. Host and device code.
#pragma once

#include <cstdint>

#include "gpu/divisor.h"

namespace libsgemm::gpu {

// Taps along rows or columns of the image: tap `tap` brings dy's place x to x stride + tap dilation - pad.
struct Col2imTaps {
  int taps, pad, dilation;
  Divisor stride;
  int next, down;  // taps to the next one that contributes to the same element; places of dy back with it
  int places;      // number of places of dy
  int step;        // elements of the columns from tap to tap
};

constexpr int kCol2imChannels = 4;  // channels of a group that a thread computes, unless it is one

struct Col2imProblem {
  const float *columns;
  int channels;                          // channels of a group
  int each;                              // kCol2imChannels or 1
  Divisor groups, parts, height, width;  // extents of dx; parts: of a group's channels, one for each thread
  int count;                             // number of threads
  int image, group, channel, row;        // strides of the columns, in elements
  Col2imTaps h, w;
  float *out;
  int64_t out_n, out_c, out_h, out_w;
  float alpha, beta;
};

}  // namespace libsgemm::gpu
