// Host side of the wgmma kernels for 16-bit operands, with tiles of any width. The kernel's file defines Kernels:
//
//   struct Kernels {
//     template <Number, bool XAlongK, bool YAlongK, int Cluster, int Rows> static WgmmaKernel kernel();
//   };
#pragma once

#include <algorithm>
#include <climits>

#include "gpu/tiles/split_k_row.h"
#include "wgmma_row.h"
#include "wgmma_way.h"

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
struct WgmmaWidthRow {
  static WgmmaWay way(const GemmDesc &desc, int index) { return best_wgmma_way(desc, kRows, kWidth, kSplit, index); }
  static bool supports(const GemmDesc &desc, int index) {
    return desc.routine == Routine::gemm && desc.type != Type::f32 && wgmma_fits(desc, kRows, kWidth, index) &&
           fits_wgmma_width(desc, kWidth) &&
           (!kSplit || (desc.batch_count <= kMostProducts && splits_wgmma(desc, kRows, kWidth, index)));
  }
  static double cost(const GemmDesc &desc, int index) { return way(desc, index).seconds; }
  static size_t workspace(const GemmDesc &desc, int index) {
    return split_bytes(desc, way(desc, index).slices, sizeof(float));
  }
  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    const WgmmaWay w = way(desc, launch.device);
    const WgmmaSides sides(desc, w.swapped);
    const WgmmaInstance instance = wgmma_instance_of_width<Kernels>(desc, sides, kRows, kWidth, w.cluster);
    TileProblem sum = {};
    if (kSplit) {
      sum.m = desc.m, sum.n = desc.n;
      sum.ldc = desc.ldc, sum.alpha = desc.alpha, sum.beta = desc.beta;
      sum.partial = static_cast<float *>(launch.workspace), sum.partial_ld = (desc.m + 3) / 4 * 4;
    }
    return for_strided_chunks(
        desc, most_wgmma_products(desc, w.slices), [&](const StridedOperands &operands, int64_t count) {
          const libsgemm_status_t status =
              launch_wgmma(desc, instance, sides, Stored::all, {w.slices, sum.partial, sum.partial_ld}, operands, count,
                           launch, error);
          return status != LIBSGEMM_SUCCESS || !kSplit
                     ? status
                     : launch_split_k_sum(sum, w.slices, operands, count, launch, error);
        });
  }
};

template <class Kernels, int kRows, int kWidth, bool kSplit>
Kernel wgmma_width_kernel(const char *name) {
  using Row = WgmmaWidthRow<Kernels, kRows, kWidth, kSplit>;
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, Row::supports, Row::cost, kSplit ? Row::workspace : nullptr, Row::launch};
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::cuda

// A tile has ROWS rows of x and WIDTH columns of y.
#define LIBSGEMM_WGMMA_ROW(NAME, ROWS, WIDTH) \
  Kernel NAME() { return wgmma_width_kernel<Kernels, ROWS, WIDTH, false>(#NAME); }
#define LIBSGEMM_WGMMA_SPLIT_ROW(NAME, ROWS, WIDTH) \
  Kernel NAME() { return wgmma_width_kernel<Kernels, ROWS, WIDTH, true>(#NAME); }
