// What the thin rows share on the host: a product with one long side and one of about 17 to 128, seen as in
// gpu/skinny.h.
//
// Work is counted in units: one tile of R times one k-tile. The blocks stay for the whole product. They take whole
// tiles, or, where that would leave multiprocessors idle, equal shares of all units (stream-K: Osama et al., PPoPP
// 2023); then skinny_sum adds what shared tiles leave in the workspace, in the order of k.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/backend.h"
#include "figures/figures.h"
#include "gpu/skinny.h"
#include "runtime/device.h"

namespace libsgemm::cuda::thin {

using namespace gpu;

// What a row takes of the time that its plan says, which was fitted to an H100 with operands in its cache: of 180
// random shapes with cold operands on an H200. Its traits say which it is as `shared`.
template <class Traits>
double measured_share(int index) {
  return fitted_share(device(index).arch, Traits::shared);
}

// Blocks of a multiprocessor: from sm_100 on the compiler needs more registers than three blocks leave.
constexpr int resident_blocks(int blocks, int arch) { return blocks == 3 && arch >= 100 ? 2 : blocks; }

#if defined(__CUDA_ARCH__)
constexpr int kArch = __CUDA_ARCH__ / 10;
#else
constexpr int kArch = 0;
#endif

// Of a row, from its Config.
struct ThinTile {
  int rows, columns;  // of R
  int chunk;          // k of a unit
  int threads;
  int resident;             // blocks of a multiprocessor, where shared memory allows
  int narrow_most;          // the longest short side that the row takes
  bool share_tiles;         // whether blocks may share tiles
  double start_seconds;     // of a tile, and its end: what they keep a multiprocessor from arithmetic
  size_t bytes;             // shared memory, of the layout that needs most
  double ffma_share[2][2];  // of the FFMA peak, with full multiprocessors, measured: X, Y contiguous along k
};

struct ThinPlan : SkinnyPlan {
  bool x_vectors, y_vectors;  // in aligned groups of 4 floats
};

bool thin_supports(const ThinTile &tile, const GemmDesc &desc, int device);
ThinPlan thin_plan(const ThinTile &tile, const GemmDesc &desc, int device);

}  // namespace libsgemm::cuda::thin
