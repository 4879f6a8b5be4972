// Host side of the wgmma kernels for 16-bit operands, with tiles of any width. The kernel's file defines Kernels:
//
//   struct Kernels {
//     template <Number, bool XAlongK, bool YAlongK, int Cluster, int Rows> static WgmmaKernel kernel();
//   };
#pragma once

#include "gpu/tiles/split_k_kernel.h"
#include "wgmma_kernel.h"
#include "wgmma_plan.h"

namespace libsgemm::cuda {

template <Number kNumber, bool kXAlongK, bool kYAlongK, int kCluster, int kRows>
using WgmmaAnyWidth16 = WgmmaAnyWidth<kNumber, WgmmaLines<kXAlongK>, WgmmaLines<kYAlongK>, kCluster, kRows>;

template <class Shape>
WgmmaInstance wgmma_instance_of_width(WgmmaKernel kernel, int width, const WgmmaCluster &cluster) {
  WgmmaInstance i = wgmma_instance<Shape>(kernel);
  i.tile_y = width, i.stages = Shape::stages_of(width);
  i.shape = cluster, i.cluster = cluster.blocks();
  i.cluster_x = Shape::tile_x << cluster.log_x, i.cluster_y = width << cluster.log_y;
  i.x_box[1] = static_cast<uint32_t>((Shape::X::along_k ? Shape::tile_x : Shape::depth) >> cluster.log_y);
  i.y_box[1] = static_cast<uint32_t>((Shape::Y::along_k ? width : Shape::depth) >> cluster.log_x);
  return i;
}

template <class Kernels, int kCluster, int kRows>
WgmmaInstance wgmma_instance_of_width(const GemmDesc &desc, const WgmmaSides &sides, int width,
                                      const WgmmaCluster &cluster) {
  const auto of = [&](auto number, auto x, auto y) {
    constexpr Number kNumber = decltype(number)::value;
    constexpr bool kX = decltype(x)::value, kY = decltype(y)::value;
    return wgmma_instance_of_width<WgmmaAnyWidth16<kNumber, kX, kY, kCluster, kRows>>(
        Kernels::template kernel<kNumber, kX, kY, kCluster, kRows>(), width, cluster);
  };
  return desc.type == Type::f16 ? with_wgmma_sides<Number::f16>(sides, of) : with_wgmma_sides<Number::bf16>(sides, of);
}
template <class Kernels>
WgmmaInstance wgmma_instance_of_width(const GemmDesc &desc, const WgmmaSides &sides, int rows, int width,
                                      const WgmmaCluster &cluster) {
  if (rows == 64) return wgmma_instance_of_width<Kernels, 1, 64>(desc, sides, width, cluster);
  return cluster.blocks() > 1 ? wgmma_instance_of_width<Kernels, kMostCluster, kWgmmaRows>(desc, sides, width, cluster)
                              : wgmma_instance_of_width<Kernels, 1, kWgmmaRows>(desc, sides, width, cluster);
}

template <class Kernels, int kRows, int kWidth, bool kSplit>
struct WgmmaWidth {
  static Plan prepare(const GemmDesc &desc, int index) {
    if (desc.routine != Routine::gemm || desc.type == Type::f32 || !wgmma_fits(desc, kRows, kWidth, index)) return {};
    if (kSplit && desc.batch_count > kMostProducts) return {};
    return best_wgmma_plan(desc, kRows, kWidth, kSplit, index);
  }
  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    const Plan::Config &config = launch.config;
    const WgmmaSides sides(desc, config.swapped);
    const WgmmaInstance instance =
        wgmma_instance_of_width<Kernels>(desc, sides, kRows, kWidth, {config.cluster_x, config.cluster_y});
    TileProblem sum = {};
    if (kSplit) {
      sum.m = desc.m, sum.n = desc.n;
      sum.ldc = desc.ldc, sum.alpha = desc.alpha, sum.beta = desc.beta;
      sum.partial = static_cast<float *>(launch.workspace), sum.partial_ld = (desc.m + 3) / 4 * 4;
    }
    return for_strided_chunks(
        desc, most_wgmma_products(desc, config.slices), [&](const StridedOperands &operands, int64_t count) {
          const libsgemm_status_t status =
              launch_wgmma(desc, instance, sides, Stored::all, {config.slices, sum.partial, sum.partial_ld}, operands,
                           count, launch, error);
          return status != LIBSGEMM_SUCCESS || !kSplit
                     ? status
                     : launch_split_k_sum(sum, config.slices, operands, count, launch, error);
        });
  }
};

template <class Kernels, int kRows, int kWidth, bool kSplit>
Kernel wgmma_width_kernel(const char *name) {
  using Width = WgmmaWidth<Kernels, kRows, kWidth, kSplit>;
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, Width::prepare, Width::launch};
  kernel.truncates = true;
  kernel.purpose = kSplit ? kSplitPurpose : kRows < kWgmmaRows ? "small C" : "C that these tiles cover well";
  return kernel;
}

}  // namespace libsgemm::cuda
