// Host side of the kernels built on gpu/tiles/tile.h.
#pragma once

#include <type_traits>

#include "figures/figures.h"
#include "gpu/tiles/split_k_row.h"
#include "gpu/tiles/tile_row.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {

// Model parameters of a Config, null if there are none.
template <class Config, class = void>
struct FittedOf {
  static const Figures *on(int) { return nullptr; }
};
template <class Config>
struct FittedOf<Config, std::void_t<decltype(Config::fitted)>> {
  static const Figures *on(int arch) { return fitted_figures(arch, Config::fitted); }
};

// Base of a Row (gpu/tiles/tile_row.h). The Config also has min_arch, blocks (which with the threads bounds the
// registers), peak_fraction, and `fitted` if there are model parameters.
template <class RowConfig, Engine kEngine>
struct TileRow {
  using Config = RowConfig;
  static constexpr Engine engine = kEngine;

  static bool runs_on(int index) { return device(index).code_arch >= Config::min_arch; }
  static bool vectors(const GemmDesc &desc) { return vectors_fit(desc, engine); }

  // The constants are shares of the rate that operands copied element by element leave, measured on an H100 (kElements,
  // for copies through registers, on an H200).
  static Tiling tiling(const GemmDesc &desc, int index) {
    constexpr double kElements = 0.91;
    constexpr double kElementsA = 0.91, kElementsB = 0.94;
    constexpr double kElementsStart = 8;  // filling the stages takes the time of this many k
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

// Row with the model parameters of its kernel that divides k.
template <class Row>
struct SplitTileRow : Row {
  struct Config : Row::Config {
    static constexpr double peak_fraction = Row::Config::split_peak_fraction;
    static constexpr Fitted fitted = Row::Config::split_fitted;
  };
  static Tiling tiling(const GemmDesc &desc, int index) { return TileRow<Config, Row::engine>::tiling(desc, index); }
};

// Both kernels of a Config that also has split_name, split_peak_fraction and split_fitted.
template <class Row>
KernelList chain_and_split(const char *name) {
  return {chain_kernel<Row>(name), split_k_kernel<SplitTileRow<Row>>(Row::Config::split_name)};
}

}  // namespace libsgemm::cuda

// Defines the kernel `name` for the file's Config, and name(), which returns it by make() of gpu/tiles/tile_row.h.
// `bytes`: dynamic shared memory; `resident`: blocks that registers must allow.
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
  KernelList name() { return make<Row>(#name); }
