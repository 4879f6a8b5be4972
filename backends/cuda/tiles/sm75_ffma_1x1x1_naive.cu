// C = alpha op(A) op(B) + beta C on any GPU, one thread for each element of C: step 1 of the ladder
// (docs/kernels/ffma.md). Threads and requirements: gpu/tiles/naive.h.
//
// Source: Kirk and Hwu, "Programming Massively Parallel Processors", chapter 3.
#include "gpu/tiles/naive.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;

template <typename Operands>
__global__ void __launch_bounds__(kNaiveThreads)
    sm75_ffma_1x1x1_naive_kernel(const __grid_constant__ Operands operands, const __grid_constant__ NaiveProblem p,
                                 int64_t products) {
  naive_tiles(operands, p, products);
}

struct DeviceCode {
  template <typename Operands>
  static auto kernel() {
    return &sm75_ffma_1x1x1_naive_kernel<Operands>;
  }
};

}  // namespace

KernelList sm75_ffma_1x1x1_naive() { return naive_kernel<DeviceCode>("sm75_ffma_1x1x1_naive"); }

}  // namespace libsgemm::cuda
