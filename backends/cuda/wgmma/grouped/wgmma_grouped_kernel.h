// Host side of the kernels for groups of 16-bit products by wgmma. They compute a single gemm only if forced.
#pragma once

#include <cmath>
#include <limits>

#include "cuda/wgmma/wgmma_kernel.h"
#include "wgmma_grouped.cuh"

namespace libsgemm::cuda {

// `DeviceCode`: as in wgmma_kernel.h, always with most_cluster blocks a cluster, and instead of kernel()
//
//   template <Number, bool XAlongK, bool YAlongK> static void (*group_kernel())(WgmmaGroup);
template <class DeviceCode>
struct WgmmaGrouped {
  static constexpr int kCluster = DeviceCode::most_cluster;
  template <Number kNumber, bool kX, bool kY>
  using ShapeOf = typename DeviceCode::template Shape<kNumber, kX, kY, kCluster>;
  using Shape = ShapeOf<Number::f16, true, true>;

  static WgmmaInstance instance(const GemmDesc &product, const WgmmaSides &sides) {
    return with_wgmma_instance<DeviceCode>(product, sides, [](auto number, auto x, auto y) {
      return wgmma_instance<ShapeOf<decltype(number)::value, decltype(x)::value, decltype(y)::value>>(nullptr);
    });
  }
  static libsgemm_status_t enqueue(const GemmDesc &product, const WgmmaSides &sides, const WgmmaGroup &group,
                                   const Launch &launch, Error *error) {
    const WgmmaInstance numbers = instance(product, sides);
    return with_wgmma_instance<DeviceCode>(product, sides, [&](auto number, auto x, auto y) {
      const auto kernel =
          DeviceCode::template group_kernel<decltype(number)::value, decltype(x)::value, decltype(y)::value>();
      return launch_wgmma_tiles(kernel, numbers, group.first[group.count], launch, error, group);
    });
  }
  static constexpr WgmmaGroupedKernel kernel = {Shape::tile_x,    Shape::tile_y, Shape::cluster_x,
                                                Shape::cluster_y, instance,      enqueue};

  static bool supports_group(const GemmDesc &desc, int index) {
    return desc.routine == Routine::gemm && desc.type != Type::f32 &&
           device(index).parameter_bytes >= kLargeParameterBytes && fits_wgmma_group(desc, kernel, index);
  }
  // Not for arrays of pointers: they may be in device memory.
  static bool supports(const GemmDesc &desc, int index) {
    return desc.batch != Batch::pointers && supports_group(desc, index);
  }

  static double cost(const GemmDesc &desc, int index) {
    return kForcedOnly + gemm_seconds(device(index), desc, WgmmaTiles<DeviceCode>::tiling(desc, index));
  }

  // Launches of different transpositions run one after the other.
  static double cost_of_groups(const GemmDesc *groups, int64_t count, int index) {
    struct Sum {
      double plain = 0, swapped = 0, depth = 0, bytes = 0, products = 0;
      Tiling tiling = {};
    };
    Sum sums[Transpositions::kCount];
    for (int64_t g = 0; g < count; ++g) {
      const GemmDesc &d = groups[g];
      if (!supports_group(d, index)) return std::numeric_limits<double>::infinity();
      Sum &sum = sums[Transpositions::of(d)];
      if (sum.products == 0) sum.tiling = WgmmaTiles<DeviceCode>::tiling(d, index);
      const auto products = static_cast<double>(d.batch_count);
      const double plain = static_cast<double>(wgmma_tiles(d, kernel, false)) * products;
      sum.plain += plain;
      sum.swapped += static_cast<double>(wgmma_tiles(d, kernel, true)) * products;
      sum.depth += plain * static_cast<double>(d.k);
      sum.bytes += gemm_bytes(d);
      sum.products += products;
    }
    double seconds = 0;
    for (const Sum &sum : sums) {
      if (sum.products == 0) continue;
      const double tiles = kCluster * std::min(sum.plain, sum.swapped);
      seconds += kLaunchSeconds * std::ceil(sum.products / WgmmaGroup::kMost) +
                 overlapped(tiles_seconds(device(index), sum.tiling, tiles, sum.depth / sum.plain),
                            memory_seconds(device(index), sum.bytes));
    }
    return seconds;
  }

  static libsgemm_status_t launch_groups(const GemmDesc *groups, int64_t count, const Launch &launch, Error *error) {
    return launch_wgmma_groups(kernel, groups, count, launch, error);
  }
  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    return launch_wgmma_groups(kernel, &desc, 1, launch, error);
  }
};

template <class DeviceCode>
Kernel wgmma_grouped_kernel(const char *name) {
  using Grouped = WgmmaGrouped<DeviceCode>;
  static constexpr GroupedLaunch groups = {Grouped::cost_of_groups, Grouped::launch_groups};
  Kernel kernel = {name, DeviceCode::math_mode, prepare_fixed<Grouped::supports, Grouped::cost>, Grouped::launch};
  kernel.truncates = true;
  kernel.groups = &groups;
  return kernel;
}

}  // namespace libsgemm::cuda

// N and STAGES are those of WgmmaShape; CLUSTER is most_cluster.
#define LIBSGEMM_WGMMA_GROUPED_CODE(NAME, N, STAGES, CLUSTER)                                          \
  template <Number kNumber, bool XAlongK, bool YAlongK>                                                \
  __global__ void __launch_bounds__(kWgmmaThreads, 1) NAME(const __grid_constant__ WgmmaGroup group) { \
    const WgmmaGroupWork work(group, static_cast<int>(blockIdx.x) / CLUSTER);                          \
    wgmma_products<WgmmaShape16<kNumber, XAlongK, YAlongK, N, STAGES, CLUSTER>>(work, PlainFinish());  \
  }                                                                                                    \
  namespace {                                                                                          \
  struct DeviceCode {                                                                                  \
    static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;                              \
    static constexpr Fitted fitted = Fitted::NAME;                                                     \
    static constexpr int most_cluster = CLUSTER;                                                       \
    template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster>                                \
    using Shape = WgmmaShape16<kNumber, XAlongK, YAlongK, N, STAGES, kCluster>;                        \
    template <Number kNumber, bool XAlongK, bool YAlongK>                                              \
    static auto group_kernel() {                                                                       \
      return &NAME<kNumber, XAlongK, YAlongK>;                                                         \
    }                                                                                                  \
  };                                                                                                   \
  }
