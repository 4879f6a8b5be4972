// Host code of the thin kernels (gpu/thin/skinny.h). A unit of work is one tile of R times one k-tile. Persistent
// blocks take whole tiles, or, if that would leave multiprocessors idle, equal shares of all units (stream-K: Osama et
// al., PPoPP 2023), whose partial sums skinny_sum adds in the order of k.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/backend.h"
#include "figures/figures.h"
#include "gpu/thin/skinny.h"
#include "runtime/device.h"

namespace libsgemm::cuda::thin {

using namespace gpu;

// Time measured for 180 random shapes with cold operands on an H200, relative to the plan's, which was fitted to an
// H100 with cached operands.
template <class Traits>
double measured_share(int index) {
  return fitted_share(device(index).arch, Traits::shared);
}

// From sm_100 on the compiler needs more registers than three blocks leave.
constexpr int resident_blocks(int blocks, int arch) { return blocks == 3 && arch >= 100 ? 2 : blocks; }

#if defined(__CUDA_ARCH__)
constexpr int kArch = __CUDA_ARCH__ / 10;
#else
constexpr int kArch = 0;
#endif

struct ThinTile {
  int rows, columns;  // a block's part of R
  int chunk;          // k of a unit
  int threads;
  int resident;     // blocks of a multiprocessor, if shared memory allows
  int narrow_most;  // longest short side
  bool share_tiles;
  double start_seconds;     // time at the start and end of a tile
  size_t bytes;             // shared memory of the largest layout
  double ffma_share[2][2];  // measured share of the FFMA peak: [X][Y], K-major or not
};

struct ThinPlan : SkinnyPlan {
  bool x_vectors, y_vectors;  // copied in aligned groups of 4 floats
};

bool thin_supports(const ThinTile &tile, const GemmDesc &desc, int device);
ThinPlan thin_plan(const ThinTile &tile, const GemmDesc &desc, int device);

}  // namespace libsgemm::cuda::thin
