// A data gradient as one product, of all pixels of dy with all elements of the filters,
//
//   columns[c, r, s][n, p, q] = sum over k of dy[n, k, p, q] f[k, c, r, s]
//
// and dx[n, c, h, w] as the sum of those that taps bring there: nothing is multiplied that has no part in it, whatever
// the strides, and few channels make many columns. The product takes its operands from the tensors as any other
// convolution (conv_row.h); the columns are floats in the workspace, of as many images at a time as stay in the L2
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
// What a launch of the second kernel, col2im.h, computes. Host and device.
#pragma once

#include <cstdint>

#include "divisor.h"

namespace libsgemm::gpu {

// Along rows or columns of the image: the tap `tap` brings dy's place x to x stride + tap dilation - pad.
struct Col2imTaps {
  int taps, pad, dilation;
  Divisor stride;
  int next, down;  // from a tap that meets an element to the next one; places back with it
  int places;      // of dy
  int step;        // elements of the columns from tap to tap
};

constexpr int kCol2imChannels = 4;  // of a group, that a thread has, or else one

struct Col2imProblem {
  const float *columns;
  int channels;                          // of a group
  int each;                              // kCol2imChannels or 1
  Divisor groups, parts, height, width;  // of dx; parts: of a group's channels, of a thread each
  int count;                             // of threads
  int image, group, channel, row;        // elements of the columns for a step of each
  Col2imTaps h, w;
  float *out;
  int64_t out_n, out_c, out_h, out_w;
  float alpha, beta;
};

}  // namespace libsgemm::gpu
