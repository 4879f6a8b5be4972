// Host side of dmma_grouped.cuh. A single gemm takes these kernels only if they are forced (LIBSGEMM_KERNEL).
#pragma once

#include <limits>

#include "cuda/fp64/dmma_kernel.h"
#include "dmma_grouped.h"

namespace libsgemm::cuda {

constexpr double kLookUpSeconds = 0.5e-6;  // about ten dependent reads before a tile's first load

// `DeviceCode`: a DmmaCode with GroupedKernel's enqueue().
template <class DeviceCode>
struct DmmaGrouped {
  using Config = typename DeviceCode::Config;
  static constexpr GroupedKernel kernel = {Config::tile_m, Config::tile_n, Config::tile_k, DeviceCode::enqueue};

  static bool supports_group(const GemmDesc &desc, int index) {
    return desc.routine == Routine::gemm && desc.type == Type::f32 && DeviceCode::runs_on(index) &&
           device(index).parameter_bytes >= kLargeParameterBytes && fits_grouped(desc, kernel) &&
           keeps_chains<Config>(desc, index);
  }
  // The host must read pointers, but arrays of them may be in device memory.
  static bool supports(const GemmDesc &desc, int index) {
    return desc.batch != Batch::pointers && supports_group(desc, index);
  }

  static Tiling tiling(const GemmDesc &product, int index) {
    Tiling tiling = DeviceCode::tiling(product, index);
    tiling.figures.latency += kLookUpSeconds;
    return tiling;
  }
  static double cost(const GemmDesc &desc, int index) {
    return kForcedOnly + gemm_seconds(model(index), desc, tiling(desc, index));
  }

  // Launches of different instances (transposition, vectors) run one after the other.
  static double cost_of_groups(const GemmDesc *groups, int64_t count, int index) {
    struct Sum {
      double tiles = 0, depth = 0, bytes = 0, products = 0;
      Tiling tiling = {};
    };
    Sum sums[GroupedInstance::kCount];
    for (int64_t g = 0; g < count; ++g) {
      if (!supports_group(groups[g], index)) return std::numeric_limits<double>::infinity();
      const GemmDesc product = batch_item(groups[g], 0);
      Sum &sum = sums[GroupedInstance::of(product).index()];
      if (sum.tiles == 0) sum.tiling = tiling(product, index);
      const double products = static_cast<double>(groups[g].batch_count);
      const double tiles = product_tiles(product, sum.tiling) * products;
      sum.tiles += tiles;
      sum.depth += tiles * product_depth(product);
      sum.bytes += gemm_bytes(groups[g]);
      sum.products += products;
    }
    double seconds = 0;
    for (const Sum &sum : sums) {
      if (sum.tiles == 0) continue;
      seconds += kLaunchSeconds * std::ceil(sum.products / GroupedProducts::kMost) +
                 overlapped(tiles_seconds(model(index), sum.tiling, sum.tiles, sum.depth / sum.tiles),
                            memory_seconds(model(index), sum.bytes));
    }
    return seconds;
  }

  static libsgemm_status_t launch_groups(const GemmDesc *groups, int64_t count, const Launch &launch, Error *error) {
    return launch_grouped(kernel, groups, count, launch, error);
  }
  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    return launch_grouped(kernel, &desc, 1, launch, error);
  }
};

template <class DeviceCode>
Kernel dmma_grouped_kernel(const char *name) {
  using Grouped = DmmaGrouped<DeviceCode>;
  static constexpr GroupedLaunch groups = {Grouped::cost_of_groups, Grouped::launch_groups};
  Kernel kernel = {name, LIBSGEMM_MATH_FP64, prepare_fixed<Grouped::supports, Grouped::cost>, Grouped::launch};
  kernel.invariant = true;
  kernel.groups = &groups;
  return kernel;
}

}  // namespace libsgemm::cuda

#define LIBSGEMM_DMMA_GROUPED_CODE(NAME)                                                                              \
  template <Fetch KindA, Fetch KindB, bool kCut>                                                                      \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                                                  \
      NAME(const __grid_constant__ GroupedProducts products) {                                                        \
    if constexpr (Config::Instruction::exists) dmma_grouped<Config, KindA, KindB, kCut>(products);                    \
  }                                                                                                                   \
  namespace {                                                                                                         \
  struct DeviceCode : DmmaCode<Config> {                                                                              \
    static libsgemm_status_t enqueue(GroupedInstance instance, const GroupedProducts &products, const Launch &launch, \
                                     Error *error) {                                                                  \
      GemmDesc transposed = {};                                                                                       \
      transposed.transa = instance.transa ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;                                       \
      transposed.transb = instance.transb ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;                                       \
      const auto run = [&](auto a, auto b) {                                                                          \
        constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;                                             \
        const dim3 grid(static_cast<unsigned>(products.first[products.count]));                                       \
        auto *kernel = products.chain_tiles != 0 ? &NAME<kA, kB, true> : &NAME<kA, kB, false>;                        \
        return launch_kernel(kernel, grid, dim3(Config::threads), DmmaLayout<Config, kA, kB>::bytes, launch, error,   \
                             products);                                                                               \
      };                                                                                                              \
      return instance.vectors ? with_fetch<engine, true>(transposed, run)                                             \
                              : with_fetch<engine, false>(transposed, run);                                           \
    }                                                                                                                 \
  };                                                                                                                  \
  }
