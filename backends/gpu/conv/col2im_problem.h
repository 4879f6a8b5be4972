// A data gradient as one product, of all pixels of dy with all elements of the filters,
//
//   columns[c, r, s][n, p, q] = sum over k of dy[n, k, p, q] f[k, c, r, s]
//
// and dx[n, c, h, w] as the sum of the columns that taps bring there. All products contribute to dx, whatever the
// strides, and few channels make many columns. The product reads its operands from the tensors like any other
// convolution (conv_row.h). The columns are floats in the workspace, of as many images at a time as stay in the L2
// cache.
//
// Requires: a data gradient whose columns of one image are at most 32 MiB; a workspace of 4 c r s ceil(images p q, 4)
// bytes, with as many images as 32 MiB hold.
//
// Measured (H100, us, NCHW; in brackets by a product for each remainder of the strides): 32 x 3 x 95 x 95, 3 x 3 by two
// of 512 filters 88 (480; narrow row 510); 8 x 16 x 76 x 76, 3 x 3 of 512 164 (334); 32 x 3 x 224 x 224, 7 x 7 by two
// of 64 445 (1786; narrow row 497, NHWC 793 for 450); one image of 192 x 28 x 28, 5 x 5 by two of 192 23 (38); 32 x 128
// x 56 x 56, 3 x 3 by two of 128 270 (255), of which the product is 183. In parts of 16 MiB it takes 10 to 15 % more,
// since each part waits for the one before it. The cost was fitted to 20 such layers in both layouts: to 10 % (rms).
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
