// Host side of dmma_triangle.cuh.
#pragma once

#include "dmma_kernel.h"
#include "gpu/level3/triangle_kernel.h"

namespace libsgemm::cuda {

using level3::as_product;

// launch_split_k_sum_fp64() for a triangle.
libsgemm_status_t launch_split_k_sum_fp64_triangle(const TriangleProblem &p, int slices,
                                                   const StridedOperands &operands, int64_t count, const Launch &launch,
                                                   Error *error);

template <class TriangleCode>
struct DmmaTriangle : TriangleTiles<TriangleCode> {
  using Tiles = TriangleTiles<TriangleCode>;
  using typename Tiles::Config;
  using typename Tiles::DeviceCode;

  static Tiling tiling(const GemmDesc &desc, int index) {
    return slow_or_not(DeviceCode::tiling(as_product(desc), index), index);
  }
  static Tiling split_tiling(const GemmDesc &desc, int index) {
    return slow_or_not(DeviceCode::tiling(as_product(desc), index, Config::split_fitted), index);
  }

  static bool supports(const GemmDesc &desc, int index) {
    return Tiles::supports(desc, index) && keeps_chains<Config>(desc, index);
  }
  static double cost(const GemmDesc &desc, int index) { return gemm_seconds(model(index), desc, tiling(desc, index)); }
  static Plan prepare_split(const GemmDesc &desc, int index) {
    if (!Tiles::supports(desc, index) || desc.batch_count > kMostProducts || !keeps_order(desc, index)) return {};
    return best_split(desc, split_tiling(desc, index), Config::tile_k, index);
  }

  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    return with_instances<TriangleCode>(
        desc, [&](auto code) { return TriangleTiles<decltype(code)>::launch(desc, launch, error); });
  }
  static libsgemm_status_t launch_split(const GemmDesc &desc, const Launch &launch, Error *error) {
    TriangleProblem p = Tiles::problem(desc);
    p.product.slice_tiles = launch.config.slice_tiles;
    p.product.partial = static_cast<float *>(launch.workspace);
    p.product.partial_ld = (desc.m + 3) / 4 * 4;
    return Tiles::enqueue(desc, p, launch, error, [&](const StridedOperands &operands, int64_t count) {
      return launch_split_k_sum_fp64_triangle(p, launch.config.slices, operands, count, launch, error);
    });
  }

 private:
  // The latency is fitted at the full FP64 rate. At lower rates it would get these kernels chosen for small calls.
  static Tiling slow_or_not(Tiling tiling, int index) {
    const Device &d = device(index);
    if (d.fp64_tensor_per_clock < d.fma_per_clock) tiling.figures.latency += kTileLatency;
    return tiling;
  }
};

template <class TriangleCode>
Kernel dmma_triangle_kernel(const char *name) {
  using Triangle = DmmaTriangle<TriangleCode>;
  return in_chains({name, LIBSGEMM_MATH_FP64, prepare_fixed<Triangle::supports, Triangle::cost>, Triangle::launch});
}

template <class TriangleCode>
Kernel dmma_triangle_split_kernel(const char *name) {
  using Triangle = DmmaTriangle<TriangleCode>;
  Kernel kernel = {name, LIBSGEMM_MATH_FP64, Triangle::prepare_split, Triangle::launch_split};
  kernel.purpose = kSplitPurpose;
  return in_chains(kernel);
}

}  // namespace libsgemm::cuda

// The file must already have a DeviceCode, from LIBSGEMM_DMMA_CODE.
#define LIBSGEMM_DMMA_TRIANGLE_CODE(NAME)                                                                 \
  template <Fetch KindA, Fetch KindB, bool kCut>                                                          \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                                      \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ TriangleProblem p) { \
    if constexpr (Config::Instruction::exists) dmma_triangle<Config, KindA, KindB, kCut>(operands, p);    \
  }                                                                                                       \
  namespace {                                                                                             \
  template <bool kCut>                                                                                    \
  struct NAME##_code {                                                                                    \
    using DeviceCode = ::libsgemm::cuda::DeviceCode;                                                      \
    using Config = DeviceCode::Config;                                                                    \
    using Cut = NAME##_code<true>;                                                                        \
    template <Fetch KindA, Fetch KindB>                                                                   \
    static auto kernel() {                                                                                \
      return &NAME<KindA, KindB, kCut>;                                                                   \
    }                                                                                                     \
  };                                                                                                      \
  using TriangleCode = NAME##_code<false>;                                                                \
  }
