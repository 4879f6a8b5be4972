// The host's side of the kernels built on gpu/tile.h: what rows for NVIDIA's architectures have in common.
#pragma once

#include "gpu/tile_row.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {

// The base of a Row of gpu/tile_row.h. The Config has min_arch, blocks and peak_fraction besides.
template <class RowConfig, Engine kEngine>
struct TileRow {
  using Config = RowConfig;
  static constexpr Engine engine = kEngine;

  static bool runs_on(int index) { return device(index).code_arch >= Config::min_arch; }
  static bool vectors(const GemmDesc &desc) { return vectors_fit(desc, engine); }

  // Operands that are copied by elements take their share, as measured on an H100.
  static Tiling tiling(const GemmDesc &desc, int) {
    constexpr double kElementsA = 0.91, kElementsB = 0.94;
    constexpr double kElementsStart = 8;  // steps of k that filling the stages costs besides
    Tiling tiling = {Config::tile_m, Config::tile_n, Config::threads, Config::blocks, Config::peak_fraction};
    if (engine != Engine::copies) {
      tiling.stall = 0.8;
      return tiling;
    }
    const double k = static_cast<double>(desc.k), start = k / (k + kElementsStart);
    if (!vectors(desc) || desc.transa != LIBSGEMM_NO_TRANS) tiling.peak_fraction *= kElementsA * start;
    if (!vectors(desc) || desc.transb == LIBSGEMM_NO_TRANS) tiling.peak_fraction *= kElementsB * start;
    return tiling;
  }
};

}  // namespace libsgemm::cuda
