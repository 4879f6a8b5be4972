// Host side of depthwise.h.
#pragma once

#include "contract/backend.h"
#include "depthwise_problem.h"

namespace libsgemm::gpu {

// `width`: channels of a thread; threads: `lanes` along channels, `places` along positions.
struct DepthwisePlan {
  DepthwiseProblem problem;
  int width, lanes, places;
  int channel_blocks, position_blocks;
  int filter_bytes;  // shared memory
};

// True if each group has one channel of the image, and all numbers fit.
bool is_depthwise(const ConvDesc &desc);

DepthwisePlan depthwise_plan(const ConvDesc &desc, int64_t index, int device);

// Bytes of the weight gradient's slices.
size_t depthwise_bytes(const ConvDesc &desc, int device);

double depthwise_seconds(const ConvDesc &desc, int device);

}  // namespace libsgemm::gpu
