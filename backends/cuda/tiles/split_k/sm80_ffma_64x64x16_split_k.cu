// sm80_ffma_64x64x16_multistage for few tiles of C and a deep k: blocks store the sums of slices of k to the workspace;
// split_k_sum() adds them in order. The number of slices depends on the cost model (gpu/tiles/split_k.h) and the shape
// alone, so results are repeatable.
//
// Source: slicing k is folklore; Osama et al., "Stream-K" (PPoPP 2023), discuss the partial wave that it fills.
//
// Requires: gemm of FP32; sm_80; one product or a strided batch; two slices or more by the cost model; workspace.
#include "cuda/tiles/multistage.cuh"
#include "cuda/tiles/tile_row.h"
#include "gpu/kernels.h"
#include "gpu/tiles/split_k_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<64, 64, 16, 8, 4, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 4;
  static constexpr double peak_fraction = 0.66;
  static constexpr Fitted fitted = Fitted::sm80_ffma_64x64x16_split_k;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_64x64x16_split_k, split_k_kernel)

}  // namespace libsgemm::cuda
