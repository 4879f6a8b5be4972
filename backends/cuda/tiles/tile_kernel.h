// Host side of the kernels built on gpu/tiles/tile.h.
#pragma once

#include <type_traits>

#include "figures/figures.h"
#include "gpu/tiles/split_k_kernel.h"
#include "gpu/tiles/tile_kernel.h"
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

// Base of a DeviceCode (gpu/tiles/tile_kernel.h). The Config also has min_arch, blocks (which with the threads bounds
// the registers), peak_fraction, and `fitted` if there are model parameters.
template <class CodeConfig, Engine kEngine>
struct TileCode {
  using Config = CodeConfig;
  static constexpr Engine engine = kEngine;

  static bool runs_on(int index) { return device(index).code_arch >= Config::min_arch; }
  static bool vectors(const GemmDesc &desc) { return vectors_fit(desc, engine); }

  // The constants are shares of the rate that operands copied element by element leave, measured on an H100 (kElements,
  // for copies through registers, on an H200).
  static Tiling tiling(const GemmDesc &desc, int index) {
    return tiling(desc, Config::peak_fraction, FittedOf<Config>::on(device(index).arch));
  }
  static Tiling tiling(const GemmDesc &desc, double peak_fraction, const Figures *fitted) {
    constexpr double kElements = 0.91;
    constexpr double kElementsA = 0.91, kElementsB = 0.94;
    constexpr double kElementsStart = 8;  // filling the stages takes the time of this many k
    Tiling tiling = {Config::tile_m, Config::tile_n, Config::threads, Config::blocks, {peak_fraction}};
    if (engine != Engine::copies) tiling.figures.stall = 0.8;
    if (fitted != nullptr) tiling.figures = *fitted;
    double &fraction = tiling.figures.peak_fraction;
    if (engine == Engine::registers && !vectors(desc)) fraction *= kElements;
    if (engine != Engine::copies) return tiling;
    const double k = static_cast<double>(desc.k), start = k / (k + kElementsStart);
    if (!vectors(desc) || desc.transa != LIBSGEMM_NO_TRANS) fraction *= kElementsA * start;
    if (!vectors(desc) || desc.transb == LIBSGEMM_NO_TRANS) fraction *= kElementsB * start;
    return tiling;
  }
};

// The kernel that divides k, of a Config that also has split_peak_fraction and split_fitted.
template <class DeviceCode>
struct SplitFfma : SplitTiles<DeviceCode> {
  static Tiling tiling(const GemmDesc &desc, int index) {
    using Config = typename DeviceCode::Config;
    return DeviceCode::tiling(desc, Config::split_peak_fraction,
                              fitted_figures(device(index).arch, Config::split_fitted));
  }
};

}  // namespace libsgemm::cuda

// Defines the device code `name` and DeviceCode for the file's Config.
// `bytes`: dynamic shared memory; `resident`: blocks that registers must allow.
#define LIBSGEMM_TILE_CODE(name, engine, fetching, bytes, resident)                            \
  template <Fetch KindA, Fetch KindB, typename Operands>                                       \
  __global__ void __launch_bounds__(Config::threads, resident)                                 \
      name(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) { \
    engine<Config, KindA, KindB>(operands, p);                                                 \
  }                                                                                            \
  namespace {                                                                                  \
  struct DeviceCode : TileCode<Config, fetching> {                                             \
    template <Fetch KindA, Fetch KindB, typename Operands>                                     \
    static auto kernel() {                                                                     \
      return &name<KindA, KindB, Operands>;                                                    \
    }                                                                                          \
    template <Fetch KindA, Fetch KindB>                                                        \
    static constexpr size_t shared_bytes() {                                                   \
      return bytes;                                                                            \
    }                                                                                          \
  };                                                                                           \
  }
