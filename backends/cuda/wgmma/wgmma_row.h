// The host's side of the wgmma engine for operands that it reads as they lie. A kernel's file defines a Row:
//
//   struct Row {
//     static constexpr libsgemm_math_mode_t math_mode = ...;    // TF32: of FP32 operands; FP32: of 16-bit ones
//     static constexpr double peak_fraction = ...;              // of what the tensor cores reach
//     static constexpr int most_cluster = ...;                  // blocks of a cluster where there is more than one
//     wave template <Number, bool XAlongK, bool YAlongK, int Cluster> using Shape = WgmmaShape<...>; template <Number,
//     bool XAlongK, bool YAlongK, int Cluster> static WgmmaKernel kernel(); template <Number, bool XAlongK, bool
//     YAlongK> static WgmmaKernel sliced_kernel();  // of rows that have it
//   };
#pragma once

#include <algorithm>
#include <climits>

#include "gpu/split_k_row.h"
#include "runtime/launch.h"
#include "wgmma_engine.cuh"
#include "wgmma_launch.h"

namespace libsgemm::cuda {

template <class Shape>
WgmmaInstance wgmma_instance(WgmmaKernel kernel) {
  using X = typename Shape::X;
  using Y = typename Shape::Y;
  constexpr uint32_t kDepth = Shape::depth;
  return {kernel,
          Shape::tile_x,
          Shape::tile_y,
          Shape::cluster_x,
          Shape::cluster_y,
          Shape::cluster,
          Shape::depth,
          Shape::element_bytes,
          {X::along_k ? kDepth : 64u, X::along_k ? static_cast<uint32_t>(Shape::x_chunk) : kDepth},
          {Y::along_k ? kDepth : 64u, Y::along_k ? static_cast<uint32_t>(Shape::y_chunk) : kDepth},
          X::line,
          Y::line,
          Shape::shared_bytes,
          {Shape::has_boxes ? Shape::box_y : 0u, Shape::box_x}};
}

// Which instances of a row: its kernel for clusters of one or two blocks, or the one that slices k.
enum class WgmmaKind { alone, pairs, sliced };

template <class Row, Number kNumber, WgmmaKind kKind>
WgmmaInstance wgmma_instance_of(const WgmmaSides &sides) {
  const auto of = [](auto x, auto y) {
    constexpr bool kX = decltype(x)::value, kY = decltype(y)::value;
    constexpr int kCluster = kKind == WgmmaKind::pairs ? Row::most_cluster : 1;
    using Shape = typename Row::template Shape<kNumber, kX, kY, kCluster>;
    if constexpr (kKind == WgmmaKind::sliced) {
      WgmmaInstance instance = wgmma_instance<Shape>(Row::template sliced_kernel<kNumber, kX, kY>());
      instance.shared_bytes = kSlicedBytes<Shape>, instance.c_box[0] = 0;
      return instance;
    } else {
      return wgmma_instance<Shape>(Row::template kernel<kNumber, kX, kY, kCluster>());
    }
  };
  using Yes = std::true_type;
  using No = std::false_type;
  if constexpr (kNumber == Number::tf32) {
    return of(Yes(), Yes());
  } else {
    if (sides.x_along_k) return sides.y_along_k ? of(Yes(), Yes()) : of(Yes(), No());
    return sides.y_along_k ? of(No(), Yes()) : of(No(), No());
  }
}
template <class Row, WgmmaKind kKind>
WgmmaInstance wgmma_instance_of(const GemmDesc &desc, const WgmmaSides &sides) {
  if constexpr (Row::math_mode == LIBSGEMM_MATH_TF32) {
    return wgmma_instance_of<Row, Number::tf32, kKind>(sides);
  } else {
    return desc.type == Type::f16 ? wgmma_instance_of<Row, Number::f16, kKind>(sides)
                                  : wgmma_instance_of<Row, Number::bf16, kKind>(sides);
  }
}

// What split_kernel() asks of a kernel, and plain ones need too.
template <class Row>
struct WgmmaTiles {
  using Shape =
      typename Row::template Shape<Row::math_mode == LIBSGEMM_MATH_TF32 ? Number::tf32 : Number::f16, true, true, 1>;
  struct Config {
    static constexpr int tile_m = Shape::tile_y, tile_n = Shape::tile_x, tile_k = Shape::depth;
  };

  static WgmmaSides sides(const GemmDesc &desc) { return {desc, wgmma_swaps(desc, Shape::tile_x, Shape::tile_y)}; }
  static bool supports(const GemmDesc &desc, int index) {
    constexpr bool kFloats = Row::math_mode == LIBSGEMM_MATH_TF32;
    return desc.routine == Routine::gemm && (desc.type == Type::f32) == kFloats &&
           wgmma_fits(desc, Shape::tile_x, Shape::tile_y, index) && (!kFloats || (along_k_a(desc) && along_k_b(desc)));
  }
  static Tiling tiling(const GemmDesc &desc, int index) {
    const Device &d = device(index);
    const double rate = static_cast<double>(d.wgmma_per_clock) / d.fma_per_clock;
    const bool swapped = sides(desc).swapped;
    Tiling tiling = {swapped ? Shape::tile_x : Shape::tile_y,
                     swapped ? Shape::tile_y : Shape::tile_x,
                     kWgmmaThreads,
                     1,
                     {Row::peak_fraction * rate}};
    tiling.figures.steps *= rate;  // a tile's start and end take as long as without tensor cores
    return tiling;
  }
  static libsgemm_status_t enqueue(const GemmDesc &desc, const TileProblem &p, const StridedOperands &operands,
                                   int64_t count, const Launch &launch, Error *error) {
    const WgmmaSides s = sides(desc);
    const WgmmaSlices slices = {(p.k_tiles - 1) / p.slice_tiles + 1, p.partial, p.partial_ld, false};
    // Pairs save reads of the L2 cache; where every block has one tile they only start later.
    const int64_t tiles =
        ceil_div(s.x(desc), Shape::tile_x) * ceil_div(s.y(desc), Shape::tile_y) * slices.count * count;
    const bool pairs = Row::most_cluster > 1 && tiles > device(launch.device).compute_units;
    const WgmmaInstance instance =
        pairs ? wgmma_instance_of<Row, WgmmaKind::pairs>(desc, s) : wgmma_instance_of<Row, WgmmaKind::alone>(desc, s);
    return launch_wgmma(desc, instance, s, slices, operands, count, launch, error);
  }
  static constexpr auto enqueue_sum = launch_split_k_sum;
};

template <class Row>
Kernel wgmma_kernel(const char *name) {
  using Tiles = WgmmaTiles<Row>;
  const auto cost = [](const GemmDesc &desc, int index) {
    return gemm_seconds(device(index), desc, Tiles::tiling(desc, index));
  };
  const auto launch_all = [](const GemmDesc &desc, const Launch &launch, Error *error) {
    const TileProblem p = tile_problem<typename Tiles::Config>(desc);
    const int64_t tiles = ceil_div(desc.m, 8) * ceil_div(desc.n, 8);  // at least as many as there are
    const int64_t most = std::clamp<int64_t>(INT_MAX / 4 / tiles, 1, kMostProducts);
    return for_strided_chunks(desc, most, [&](const StridedOperands &operands, int64_t count) {
      return Tiles::enqueue(desc, p, operands, count, launch, error);
    });
  };
  Kernel kernel = {name, Row::math_mode, Tiles::supports, cost, nullptr, launch_all};
  kernel.truncates = true;
  return kernel;
}

// The same kernel with k in slices.
template <class Row>
Kernel wgmma_split_kernel(const char *name) {
  Kernel kernel = split_kernel<WgmmaTiles<Row>>(name);
  kernel.math_mode = Row::math_mode;
  kernel.truncates = true;
  return kernel;
}

// The same with the slices of k in a cluster: one launch, of fewer tiles than the device has multiprocessors.
template <class Row>
struct WgmmaSliced {
  using Tiles = WgmmaTiles<Row>;
  using Shape = typename Tiles::Shape;

  // 8, 4 or 2 slices, whose clusters are all resident at once; 0: there are too many tiles, or k is too short.
  static int slices(const GemmDesc &desc, int index) {
    const WgmmaSides s = Tiles::sides(desc);
    const int64_t tiles = ceil_div(s.x(desc), Shape::tile_x) * ceil_div(s.y(desc), Shape::tile_y) * desc.batch_count;
    for (const int count : {8, 4, 2}) {
      if (tiles <= device(index).compute_units / (2 * kClusterRoom) * (2 * kClusterRoom) / count &&
          ceil_div(desc.k, Shape::depth) >= 2 * count) {
        return count;
      }
    }
    return 0;
  }
  static bool supports(const GemmDesc &desc, int index) {
    return Tiles::supports(desc, index) && slices(desc, index) > 0;
  }
  static double cost(const GemmDesc &desc, int index) {
    const Device &d = device(index);
    const Tiling tiling = Tiles::tiling(desc, index);
    const int count = slices(desc, index);
    const double tiles = product_tiles(desc, tiling) * static_cast<double>(desc.batch_count);
    const double seconds = tiles_seconds(d, tiling, tiles * count, static_cast<double>(desc.k) / count);
    return kLaunchSeconds + kMeetSeconds + overlapped(seconds, memory_seconds(d, gemm_bytes(desc)));
  }
  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    const WgmmaSides s = Tiles::sides(desc);
    const WgmmaInstance instance = wgmma_instance_of<Row, WgmmaKind::sliced>(desc, s);
    const WgmmaSlices cut = {slices(desc, launch.device), nullptr, 0, true};
    return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t count) {
      return launch_wgmma(desc, instance, s, cut, operands, count, launch, error);
    });
  }

 private:
  static constexpr int kClusterRoom = 8;  // blocks: clusters of 8 go into parts of 16 multiprocessors of the chip
  static constexpr double kMeetSeconds = 1.5e-6;  // of the cluster, at its start and its end
};

template <class Row>
Kernel wgmma_sliced_kernel(const char *name) {
  using Sliced = WgmmaSliced<Row>;
  Kernel kernel = {name, Row::math_mode, Sliced::supports, Sliced::cost, nullptr, Sliced::launch};
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::cuda

// Defines the kernel `NAME` of 16-bit operands and its Row, in namespace libsgemm::cuda: N and STAGES as of WgmmaShape,
// CLUSTER its most_cluster, FRACTION its peak_fraction.
#define LIBSGEMM_WGMMA_ROW(NAME, N, STAGES, CLUSTER, FRACTION)                                     \
  namespace {                                                                                      \
  template <bool AlongK>                                                                           \
  using Lines = std::conditional_t<AlongK, ptx::AlongK<128>, ptx::AlongOuter<64>>;                 \
  template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster>                              \
  using ShapeOf = WgmmaShape<kNumber, Lines<XAlongK>, Lines<YAlongK>, 1, N, 64, STAGES, kCluster>; \
  }                                                                                                \
  template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster>                              \
  __global__ void __launch_bounds__(kWgmmaThreads, 1)                                              \
      NAME(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaProblem p) {       \
    wgmma_product<ShapeOf<kNumber, XAlongK, YAlongK, kCluster>>(maps, p, PlainFinish());           \
  }                                                                                                \
  namespace {                                                                                      \
  struct Row {                                                                                     \
    static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;                          \
    static constexpr double peak_fraction = FRACTION;                                              \
    static constexpr int most_cluster = CLUSTER;                                                   \
    template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster>                            \
    using Shape = ShapeOf<kNumber, XAlongK, YAlongK, kCluster>;                                    \
    template <Number kNumber, bool XAlongK, bool YAlongK, int kCluster>                            \
    static WgmmaKernel kernel() {                                                                  \
      return &NAME<kNumber, XAlongK, YAlongK, kCluster>;                                           \
    }                                                                                              \
  };                                                                                               \
  }                                                                                                \
  Kernel NAME() { return wgmma_kernel<Row>(#NAME); }

// The same with a second kernel, `NAME`, which slices k in clusters, of a ROW with that name's own stages.
#define LIBSGEMM_WGMMA_SLICED_ROW(NAME, N, STAGES)                                                \
  namespace {                                                                                     \
  template <Number kNumber, bool XAlongK, bool YAlongK>                                           \
  using SlicedShapeOf = WgmmaShape<kNumber, Lines<XAlongK>, Lines<YAlongK>, 1, N, 64, STAGES, 1>; \
  }                                                                                               \
  template <Number kNumber, bool XAlongK, bool YAlongK>                                           \
  __global__ void __launch_bounds__(kWgmmaThreads, 1)                                             \
      NAME(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaProblem p) {      \
    wgmma_sliced_product<SlicedShapeOf<kNumber, XAlongK, YAlongK>>(maps, p);                      \
  }                                                                                               \
  namespace {                                                                                     \
  struct SlicedRow : Row {                                                                        \
    template <Number kNumber, bool XAlongK, bool YAlongK, int>                                    \
    using Shape = SlicedShapeOf<kNumber, XAlongK, YAlongK>;                                       \
    template <Number kNumber, bool XAlongK, bool YAlongK>                                         \
    static WgmmaKernel sliced_kernel() {                                                          \
      return &NAME<kNumber, XAlongK, YAlongK>;                                                    \
    }                                                                                             \
  };                                                                                              \
  }                                                                                               \
  Kernel NAME() { return wgmma_sliced_kernel<SlicedRow>(#NAME); }
