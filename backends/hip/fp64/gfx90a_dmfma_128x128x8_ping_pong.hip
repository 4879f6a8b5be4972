// This kernel is gfx908_mfma_128x128x16_ping_pong.hip with FP64 accumulators (mode fp64), for AMD GPUs with FP64 matrix
// cores (gfx90a, 942, 950): waves of 64 multiply 4 x 4 blocks of 16 x 16 by v_mfma_f64_16x16x4f64. _split_k: 8 bytes of
// workspace instead of 4. Why operands become doubles in LDS: docs/kernels/amd.md.
#include "dmfma_128x128x8.h"
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_kernel.h"
#include "hip/tensor/matrix.h"

namespace libsgemm::hip {

namespace {

using Config = DmfmaConfig;

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_DMFMA_BOUNDS gfx90a_dmfma_128x128x8_ping_pong(const __grid_constant__ Operands operands,
                                                                       const __grid_constant__ TileProblem p) {
  if constexpr (Config::Core::available) matrix_floats<Config, KindA, KindB>(operands, p);
}

namespace {

struct DeviceCode : Fp64Code<Config> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &gfx90a_dmfma_128x128x8_ping_pong<KindA, KindB, Operands>;
  }
};

struct SplitCode : SplitTiles<DeviceCode> {
  static constexpr auto enqueue_sum = launch_split_k_sum_fp64;
};

Kernel in_fp64(Kernel kernel) {
  kernel.math_mode = LIBSGEMM_MATH_FP64;
  return kernel;
}

}  // namespace

KernelList gfx90a_dmfma_128x128x8_ping_pong() {
  return {in_fp64(tile_kernel<DeviceCode>("gfx90a_dmfma_128x128x8_ping_pong")),
          in_fp64(split_kernel<SplitCode>("gfx90a_dmfma_128x128x8_split_k"))};
}
}  // namespace libsgemm::hip
