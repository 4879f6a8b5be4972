#pragma once

#include "gpu/conv/conv_kernel.h"
#include "tiles/tile_kernel.h"

namespace libsgemm::cuda {

template <class CodeConfig>
struct FfmaConv {
  using Config = CodeConfig;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;

  static bool runs_on(int index) { return device(index).code_arch >= Config::min_arch; }

  static Tiling tiling(const GemmDesc &product, const ConvAccess &access, bool, int index) {
    GemmDesc as_fetched = product;
    as_fetched.transa = access.fetch.a_along_k ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
    as_fetched.transb = access.fetch.b_along_k ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
    Tiling tiling = TileCode<Config, Engine::copies>::tiling(as_fetched, index);
    // Fitted to an H100 (docs/kernels/convolution.md).
    constexpr double kGathering = 0.77;
    tiling.figures.peak_fraction *= kGathering;
    if (!access.vectors) tiling.figures.steps += Config::by_floats;
    return tiling;
  }

  template <typename Run>
  static libsgemm_status_t with_fetch(const ConvFetch &fetch, const Run &run) {
    const auto with_b = [&](auto a) {
      if (fetch.b_along_k) return run(a, FetchConstant<Fetch::inner>());
      return fetch.b_vectors ? run(a, FetchConstant<Fetch::outer_x4>()) : run(a, FetchConstant<Fetch::outer>());
    };
    if (fetch.a_along_k) return with_b(FetchConstant<Fetch::inner>());
    return fetch.a_vectors ? with_b(FetchConstant<Fetch::outer_x4>()) : with_b(FetchConstant<Fetch::outer>());
  }

  static constexpr auto enqueue_sum = launch_conv_split_k_sum;
};

}  // namespace libsgemm::cuda

#define LIBSGEMM_FFMA_CONV_CODE(NAME) \
  LIBSGEMM_CONV_TILE_CODE(NAME, FfmaConv, FfmaConvLayout, (ffma_conv<Config, KindA, KindB>))
