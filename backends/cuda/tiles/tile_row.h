// The host's side of the kernels built on gpu/tile.h: what rows for NVIDIA's architectures have in common.
#pragma once

#include <type_traits>

#include "figures/figures.h"
#include "gpu/tile_row.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {

// Figures of a Config on an architecture: null where it has none, or the Config no `fitted`.
template <class Config, class = void>
struct FittedOf {
  static const Figures *on(int) { return nullptr; }
};
template <class Config>
struct FittedOf<Config, std::void_t<decltype(Config::fitted)>> {
  static const Figures *on(int arch) { return fitted_figures(arch, Config::fitted); }
};

// The base of a Row of gpu/tile_row.h. The Config has min_arch, blocks and peak_fraction besides; and `fitted` where
// there are figures for some architectures.
template <class RowConfig, Engine kEngine>
struct TileRow {
  using Config = RowConfig;
  static constexpr Engine engine = kEngine;

  static bool runs_on(int index) { return device(index).code_arch >= Config::min_arch; }
  static bool vectors(const GemmDesc &desc) { return vectors_fit(desc, engine); }

  // Operands that are copied by elements take their share, as measured on an H100; of those that pass through
  // registers, on an H200.
  static Tiling tiling(const GemmDesc &desc, int index) {
    constexpr double kElements = 0.91;
    constexpr double kElementsA = 0.91, kElementsB = 0.94;
    constexpr double kElementsStart = 8;  // steps of k that filling the stages costs besides
    Tiling tiling = {Config::tile_m, Config::tile_n, Config::threads, Config::blocks, {Config::peak_fraction}};
    if (engine != Engine::copies) tiling.figures.stall = 0.8;
    if (const Figures *fitted = FittedOf<Config>::on(device(index).arch)) tiling.figures = *fitted;
    double &fraction = tiling.figures.peak_fraction;
    if (engine == Engine::registers && !vectors(desc)) fraction *= kElements;
    if (engine != Engine::copies) return tiling;
    const double k = static_cast<double>(desc.k), start = k / (k + kElementsStart);
    if (!vectors(desc) || desc.transa != LIBSGEMM_NO_TRANS) fraction *= kElementsA * start;
    if (!vectors(desc) || desc.transb == LIBSGEMM_NO_TRANS) fraction *= kElementsB * start;
    return tiling;
  }
};

}  // namespace libsgemm::cuda

// Defines the row `name` by make<Row>(name), a function of gpu/tile_row.h: its kernel, which runs
// engine<Config, KindA, KindB>() for every way of fetching the operands with `bytes` of shared memory, and at least
// `resident` blocks of which a multiprocessor has registers for. Config is the file's.
#define LIBSGEMM_TILE_ROW(name, make, engine, fetching, bytes, resident)                       \
  template <Fetch KindA, Fetch KindB, typename Operands>                                       \
  __global__ void __launch_bounds__(Config::threads, resident)                                 \
      name(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) { \
    engine<Config, KindA, KindB>(operands, p);                                                 \
  }                                                                                            \
  namespace {                                                                                  \
  struct Row : TileRow<Config, fetching> {                                                     \
    template <Fetch KindA, Fetch KindB, typename Operands>                                     \
    static auto kernel() {                                                                     \
      return &name<KindA, KindB, Operands>;                                                    \
    }                                                                                          \
    template <Fetch KindA, Fetch KindB>                                                        \
    static constexpr size_t shared_bytes() {                                                   \
      return bytes;                                                                            \
    }                                                                                          \
  };                                                                                           \
  }                                                                                            \
  Kernel name() { return make<Row>(#name); }
