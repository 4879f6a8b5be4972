// Parameters of wgmma_conv.cuh. Host and device.
#pragma once

#include "cuda/conv/splits/conv_splits.h"
#include "cuda/wgmma/wgmma_problem.h"

namespace libsgemm::cuda {

using namespace gpu;

// Maps pixels of the output and taps of the filters to the image.
struct ConvWindows {
  Divisor pixels, width;   // pixels: those of an output's image
  Divisor blocks, taps_w;  // blocks: k-steps of a tap
  int taps;
  int images, channels;  // those of a split
  int first_h, first_w;  // place in the image of pixel 0, tap 0
  int stride_h, stride_w;
  int dilation_h, dilation_w;
  // Elements of the output to the next image, row, pixel.
  int64_t out_n, out_h, out_w;
};

struct WgmmaConvProblem {
  WgmmaProblem product;
  ConvWindows windows;
  const uint32_t *filter_most;
  ConvGuard guard;
};

}  // namespace libsgemm::cuda
