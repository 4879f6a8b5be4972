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
  // Assumed. Chips with waves of 64 have at least a quarter of the FP32 rate, others 1/16 to 1/64.
  static double fraction(int index) { return model(index).wave == 64 ? 0.2 : 0.01; }
};

}  // namespace

KernelList gfx_dfma_64x64x16_chains() { return chain_sums_kernel<Code>("gfx_dfma_64x64x16_chains"); }

}  // namespace libsgemm::hip
