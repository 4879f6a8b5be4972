// Convolutions in which each channel of the image has its own filters, and their data gradient (gpu/conv/depthwise.h),
// on any architecture. _weights: their weight gradient.
//
// A thread computes strips of 4 x 1 elements, of 4 neighbouring channels or of one. Shared memory: the filters of the
// block's channels, at most 48 KiB; in the weight gradient two doubles for each thread and channel.
//
// Requires: one channel of the image in each group; (k / groups) * r * s up to 96. _weights: filters of 3 x 3, 5 x 5 or
// 7 x 7, vertical dilation of 1 and vertical strides of 1 or 2, a workspace of 8 k r s bytes for each of up to 512
// slices.
#include "gpu/conv/depthwise.h"
#include "gpu/conv/depthwise_kernel.h"
#include "gpu/dynamic_shared.h"

namespace libsgemm::cuda {

using namespace gpu;

template <int Width, int Taps, int Down>
__global__ void __launch_bounds__(kDepthwiseThreads, 2)
    sm75_ffma_4x1x4_depthwise(const __grid_constant__ DepthwiseProblem p) {
  depthwise<Width, Taps, Down>(p, dynamic_shared());
}

template <int Width, int Taps, int Down>
__global__ void __launch_bounds__(kDepthwiseThreads)
    sm75_ffma_4x1x4_depthwise_weights(const __grid_constant__ DepthwiseProblem p, double *partial) {
  depthwise_weights<Width, Taps, Taps, Down>(p, partial, reinterpret_cast<double *>(dynamic_shared()));
}

namespace {

__global__ void __launch_bounds__(32 * kDepthwiseSharing)
    depthwise_weights_sum(const __grid_constant__ DepthwiseProblem p, const double *partial, int slices) {
  depthwise_sum(p, partial, slices);
}

struct DeviceCode {
  template <int Width, int Taps, int Down>
  static auto kernel() {
    return &sm75_ffma_4x1x4_depthwise<Width, Taps, Down>;
  }
  template <int Width, int Taps, int Down>
  static auto weights_kernel() {
    return &sm75_ffma_4x1x4_depthwise_weights<Width, Taps, Down>;
  }
  static constexpr auto sum_kernel = &depthwise_weights_sum;
};

}  // namespace

KernelList sm75_ffma_4x1x4_depthwise() { return depthwise_kernel<DeviceCode>("sm75_ffma_4x1x4_depthwise"); }
KernelList sm75_ffma_4x1x4_depthwise_weights() {
  return depthwise_weights_kernel<DeviceCode>("sm75_ffma_4x1x4_depthwise_weights");
}

}  // namespace libsgemm::cuda
