// As sm80_ffma_64x64x16_multistage, for small matrices, alone or in batches. The time of one tile matters most, so
// k-tiles of 32 halve the barriers. A warp has 16 x 16 of C; a thread has 4 rows from 4 r on and 2 columns from 2 c on.
//
// Shared memory, bytes: 3 stages of up to 9216 (rows of 32 floats; 36 if contiguous along k).
//
// Measured (H100): 512 x 512 x 512 15 to 22 TFLOP/s, cuBLAS 17 to 18.
#include "gpu/kernels.h"
#include "multistage.cuh"
#include "tile_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<32, 32, 32, 4, 2, 4, 2> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 6;
  static constexpr double peak_fraction = 0.48;
  static constexpr Fitted fitted = Fitted::sm80_ffma_32x32x32_multistage;
};

}  // namespace

LIBSGEMM_MULTISTAGE_ROW(sm80_ffma_32x32x32_multistage, chain_kernel)

}  // namespace libsgemm::cuda
