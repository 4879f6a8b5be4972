// C = alpha op(A) op(B) + beta C on any GPU from sm_80, asynchronous copies several k-tiles ahead (multistage.cuh):
// step 7 of the ladder (docs/kernels/ffma.md), for a large C.
//
// Source: NVIDIA, CUDA C++ Programming Guide (asynchronous copies).
//
//   tile of C: 128 x 128          warp: 64 x 64 = 4 x 8 lanes (gpu/tiles/tile.h)      thread: 16 x 8
//   +---------+---------+
//   | warp 0  | warp 2  |
//   +---------+---------+
//   | warp 1  | warp 3  |
//   +---------+---------+
//
// Requires: gemm of FP32; sm_80.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<128, 128, 16, 16, 8, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.73;
};

}  // namespace

LIBSGEMM_MULTISTAGE_CODE(sm80_ffma_128x128x16_multistage)

KernelList sm80_ffma_128x128x16_multistage() { return chain_kernel<DeviceCode>("sm80_ffma_128x128x16_multistage"); }

}  // namespace libsgemm::cuda
