// Promised FP64 sums on the FP64 units of any GPU (gpu/fp64/chains.h): a third of the speed of the FP64 tensor cores on
// an H100, and less where a GPU has few FP64 units.
#include "gpu/fp64/chains.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {

using namespace gpu;

template <level3::Structure kStructure, Type kType, typename Operands>
__global__ void __launch_bounds__(ChainTile::threads, 2)
    sm75_dfma_64x64x16_chains(const __grid_constant__ Operands operands,
                              const __grid_constant__ level3::StructuredProblem p, int tiles_m) {
  sum_chains<kStructure, kType>(operands, p, tiles_m);
}

namespace {

struct Code {
  template <level3::Structure kStructure, Type kType, typename Operands>
  static auto kernel() {
    return &sm75_dfma_64x64x16_chains<kStructure, kType, Operands>;
  }
  // Compute capabilities x.0 from 8 on have half of the FP32 rate, others 1/32 or 1/64.
  static double fraction(int index) {
    const int arch = device(index).arch;
    return arch >= 80 && arch < 110 && arch % 10 == 0 ? 0.3 : 0.015;
  }
};

}  // namespace

KernelList sm75_dfma_64x64x16_chains() { return chain_sums_kernel<Code>("sm75_dfma_64x64x16_chains"); }

}  // namespace libsgemm::cuda
