// Host side of gathered.h and matrix_gathered.h.
#pragma once

#include "gathered.h"
#include "gpu/conv/conv_kernel.h"
#include "gpu/kernels.h"
#include "hip/tiles/valu_kernel.h"

namespace libsgemm::hip {

// Base of a DeviceCode of ConvTiles. ProductCode: the DeviceCode of products.
template <class ProductCode>
struct GatheredCode : ProductCode {
  using typename ProductCode::Config;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;

  static Tiling tiling(const GemmDesc &product, const ConvAccess &access, bool, int index) {
    Tiling tiling = ProductCode::tiling(product, index);
    // Assumed cost of the lookups relative to a k-tile; with vectors it is a fourth.
    constexpr double kElements = 0.12;
    const double lookups =
        (access.fetch.a_vectors ? 0.25 : 1) / Config::tile_n + (access.fetch.b_vectors ? 0.25 : 1) / Config::tile_m;
    tiling.figures.peak_fraction /= 1 + kElements * 64 * lookups;
    return tiling;
  }

  template <typename Run>
  static libsgemm_status_t with_fetch(const ConvFetch &fetch, const Run &run) {
    return with_conv_fetch(fetch, run);
  }

  static constexpr auto enqueue_sum = launch_conv_split_k_sum;
};

}  // namespace libsgemm::hip

// Defines the device code `NAME` and ConvCode for the file's ProductCode, by ENGINE of gathered.h or matrix_gathered.h.
#define LIBSGEMM_HIP_CONV_CODE(NAME, ENGINE)                                      \
  template <Fetch KindA, Fetch KindB>                                             \
  __global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)         \
      NAME(const __grid_constant__ ConvProblems problems) {                       \
    if constexpr (ProductCode::available) ENGINE<Config, KindA, KindB>(problems); \
  }                                                                               \
  namespace {                                                                     \
  struct ConvCode : GatheredCode<ProductCode> {                                   \
    template <Fetch KindA, Fetch KindB>                                           \
    static auto kernel() {                                                        \
      return &NAME<KindA, KindB>;                                                 \
    }                                                                             \
  };                                                                              \
  }
