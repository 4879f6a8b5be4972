// Host side of dmma_conv.cuh.
#pragma once

#include "fp64/dmma_kernel.h"
#include "gpu/conv/conv_kernel.h"

namespace libsgemm::cuda {

template <class CodeConfig>
struct DmmaConv {
  using Config = CodeConfig;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP64;

  static bool runs_on(int index) { return DmmaCode<Config>::runs_on(index); }

  static Tiling tiling(const GemmDesc &product, const ConvAccess &access, bool split, int index) {
    Tiling tiling = DmmaCode<Config>::tiling(product, index, split ? Config::split_fitted : Config::fitted);
    // Time that copies of single elements add, in columns (kElementsA) or rows of C (measured on an H100: 3 x 3 of 128
    // channels, NCHW). If strides leave out taps, each element is in a sector of its own.
    constexpr double kElementsA = 6, kElementsB = 10, kElementsApart = 35;
    double time = 1;
    if (!access.fetch.a_vectors || !access.fetch.b_vectors) time += kElementsA / Config::tile_n;
    if (!access.fetch.b_vectors) time += (access.strided ? kElementsApart : kElementsB) / Config::tile_m;
    tiling.figures.peak_fraction /= time;
    if (!access.vectors) tiling.figures.steps += Config::by_floats;
    return tiling;
  }

  template <typename Run>
  static libsgemm_status_t with_fetch(const ConvFetch &fetch, const Run &run) {
    return with_conv_fetch(fetch, run);
  }

  static constexpr auto enqueue_sum = launch_conv_split_k_sum_fp64;
};

}  // namespace libsgemm::cuda

#define LIBSGEMM_DMMA_CONV_CODE(NAME) \
  LIBSGEMM_CONV_TILE_CODE(NAME, DmmaConv, DmmaConvLayout, (dmma_conv<Config, KindA, KindB>))
