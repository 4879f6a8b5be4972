// C = alpha op(A) op(B) + beta C, on any GPU: the definition, one thread for each element of C.
//
// First step of the ladder. Every factor is read from global memory each time that it is needed, 8 bytes for 2 flops;
// reuse between the threads of a block is left to the caches. gpu/tiles/naive.h describes the tile, threads and
// requirements.
//
// Source: the definition; Kirk and Hwu, "Programming Massively Parallel Processors", chapter 3.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0, TFLOP/s): 4096 x 4096 x 4096 NT 4.4; cuBLAS 13.1 (FP32, the same run)
// 52.2.
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

struct Row {
  template <typename Operands>
  static auto kernel() {
    return &sm75_ffma_1x1x1_naive_kernel<Operands>;
  }
};

}  // namespace

Kernel sm75_ffma_1x1x1_naive() { return naive_kernel<Row>("sm75_ffma_1x1x1_naive"); }

}  // namespace libsgemm::cuda
