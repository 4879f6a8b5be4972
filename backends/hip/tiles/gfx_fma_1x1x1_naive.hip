// C = alpha op(A) op(B) + beta C, on any AMD GPU, one thread for each element: first step of the ladder, and reference
// on the device. Every factor is loaded each time, 8 bytes for 2 flops. Threads and requirements: gpu/tiles/naive.h.
//
// Source: the definition; Kirk and Hwu, "Programming Massively Parallel Processors", chapter 3.
#include "gpu/tiles/naive.h"

namespace libsgemm::hip {
namespace {

using namespace gpu;

template <typename Operands>
__global__ void __launch_bounds__(kNaiveThreads)
    gfx_fma_1x1x1_naive_kernel(const __grid_constant__ Operands operands, const __grid_constant__ NaiveProblem p,
                               int64_t products) {
  naive_tiles(operands, p, products);
}

struct DeviceCode {
  template <typename Operands>
  static auto kernel() {
    return &gfx_fma_1x1x1_naive_kernel<Operands>;
  }
};

}  // namespace

KernelList gfx_fma_1x1x1_naive() { return naive_kernel<DeviceCode>("gfx_fma_1x1x1_naive"); }

}  // namespace libsgemm::hip
