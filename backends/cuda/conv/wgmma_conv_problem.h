// What a launch of a convolution by wgmma (wgmma_conv.cuh) computes. Host and device.
#pragma once

#include "conv_splits.h"
#include "wgmma/wgmma_problem.h"

namespace libsgemm::cuda {

using namespace gpu;

// Where pixels and taps are.
struct ConvWindows {
  Divisor pixels, width;       // of the output, of an image; of a row
  Divisor blocks, taps_w;      // steps of a tap; taps of a row
  int taps;                    // all
  int images, channels;        // of a split
  int first_h, first_w;        // of pixel 0, tap 0
  int stride_h, stride_w;      // from pixel to pixel
  int dilation_h, dilation_w;  // from tap to tap
  // Elements of the output from image to image, row to row, pixel to pixel.
  int64_t out_n, out_h, out_w;
};

struct WgmmaConvProblem {
  WgmmaProblem product;
  ConvWindows windows;
  const uint32_t *filter_most;
  ConvGuard guard;
};

}  // namespace libsgemm::cuda
