// Promised FP64 sums by v_fma_f64 (gpu/fp64/chains.h). The order in which matrix cores add FP64 products is not
// published.
#include "gpu/fp64/chains.h"
#include "runtime/device.h"

namespace libsgemm::hip {

using namespace gpu;

template <level3::Structure kStructure, Type kType, typename Operands>
__global__ void __launch_bounds__(ChainTile::threads)
    gfx_dfma_64x64x16_chains(const __grid_constant__ Operands operands,
                             const __grid_constant__ level3::StructuredProblem p, int tiles_m) {
  sum_chains<kStructure, kType>(operands, p, tiles_m);
}

namespace {

struct Code {
  template <level3::Structure kStructure, Type kType, typename Operands>
  static auto kernel() {
    return &gfx_dfma_64x64x16_chains<kStructure, kType, Operands>;
  }
  static double fraction(int) { return 0.1; }  // assumed
};

}  // namespace

KernelList gfx_dfma_64x64x16_chains() { return chain_sums_kernel<Code>("gfx_dfma_64x64x16_chains"); }

}  // namespace libsgemm::hip
