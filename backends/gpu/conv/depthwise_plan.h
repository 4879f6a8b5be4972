// Host side of the depthwise convolutions.
#pragma once

#include "contract/backend.h"
#include "depthwise_problem.h"

namespace libsgemm::gpu {

// `width`: channels of a thread; `lanes` x `places` threads along channels and positions.
struct DepthwisePlan {
  DepthwiseProblem problem;
  int width, lanes, places;
  int channel_blocks, position_blocks;
  int filter_bytes;  // shared memory
};

// True if each group has one channel of the image, and all numbers fit.
bool is_depthwise(const ConvDesc &desc);

DepthwisePlan depthwise_plan(const ConvDesc &desc, int64_t index, int device);

size_t depthwise_bytes(const ConvDesc &desc, int device);

double depthwise_seconds(const ConvDesc &desc, int device);

}  // namespace libsgemm::gpu
