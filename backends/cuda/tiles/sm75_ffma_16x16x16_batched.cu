// As sm75_ffma_32x32x16_batched, for m and n of at most 16.
//
//   product: 16 x 16, k advances by 16      lanes: 4 x 8                thread: 4 x 2
//   block: 8 warps, 8 products              first row 4 r, column 2 c   r = lane / 2 % 4, c = 2 (lane / 8) + lane % 2
//
// Shared memory, bytes: 2560 a product (rows of 20 floats).
//
// Its speed has not been measured.
#include "batched.cuh"
#include "gpu/kernels.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<16, 16, 16, 4, 2, 4, 1> {
  static constexpr int products = 8;  // per block, one a warp
  static constexpr int blocks = 4;    // resident on a multiprocessor
  static constexpr double peak_fraction = 0.2;
};

}  // namespace

LIBSGEMM_BATCHED_ROW(sm75_ffma_16x16x16_batched)

}  // namespace libsgemm::cuda
