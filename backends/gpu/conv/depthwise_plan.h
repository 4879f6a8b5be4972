// Host side of depthwise.h: which convolutions it computes, and how blocks share them.
#pragma once

#include "contract/backend.h"
#include "depthwise_problem.h"

namespace libsgemm::gpu {

// A launch: `width` channels a thread, `lanes` threads along channels, `places` along positions.
struct DepthwisePlan {
  DepthwiseProblem problem;
  int width, lanes, places;
  int channel_blocks, position_blocks;
  int filter_bytes;  // shared memory for the filters
};

// True if each group has one channel of the image, and all numbers fit.
bool is_depthwise(const ConvDesc &desc);

// Product `index` of conv_products().
DepthwisePlan depthwise_plan(const ConvDesc &desc, int64_t index, int device);

// Bytes of the weight gradient's sums of slices.
size_t depthwise_bytes(const ConvDesc &desc, int device);

// Predicted seconds; for the weight gradient, with the sum of its slices.
double depthwise_seconds(const ConvDesc &desc, int device);

}  // namespace libsgemm::gpu
