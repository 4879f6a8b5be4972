// Argument and launch of the kernels that multiply splits by mma.sync or MFMA.
#pragma once

#include "gpu/tiles/tile_kernel.h"
#include "splits.h"

namespace libsgemm::gpu {

struct SplitProblem {
  TileProblem tile;  // lda and ldb are not used
  Splits a, b;
  Guard guard;  // tiles to leave out
};

// SplitProduct::enqueue.
template <class Config, int kSharedBytes, void (*kKernel)(StridedOperands, SplitProblem)>
libsgemm_status_t enqueue_split_product(const GemmDesc &panel, const Splits &a, const Splits &b, const Guard &guard,
                                        const Launch &launch, Error *error) {
  const SplitProblem p = {tile_problem<Config>(panel), a, b, guard};
  StridedOperands operands = {};
  operands.c_base = panel.c, operands.c_elements = panel.stride_c;
  const dim3 grid(static_cast<unsigned>(p.tile.tiles_m) * static_cast<unsigned>(p.tile.tiles_n), 1,
                  static_cast<unsigned>(panel.batch_count));
  return launch_kernel(kKernel, grid, dim3(Config::threads), kSharedBytes, launch, error, operands, p);
}

}  // namespace libsgemm::gpu
