// Host side of the wgmma kernels with tiles of one width (any width: wgmma_width_kernel.h). A kernel's file defines a
// DeviceCode:
//
//   struct DeviceCode {
//     static constexpr libsgemm_math_mode_t math_mode = ...;    // TF32: FP32 operands; FP32: 16-bit ones
//     static constexpr Fitted fitted = ...;                     // model parameters, shares of the tensor cores' rate
//     static constexpr int most_cluster = ...;                  // blocks of the largest cluster
//     template <Number, bool XAlongK, bool YAlongK, int Cluster> using Shape = WgmmaShape<...>;
//     template <Number, bool XAlongK, bool YAlongK, int Cluster> static WgmmaKernel kernel();
//   };
#pragma once

#include <algorithm>
#include <climits>

#include "figures/figures.h"
#include "gpu/tiles/tile_kernel.h"
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
          Shape::most_stages,
          Shape::element_bytes,
          {X::along_k ? kDepth : X::box_rows, X::along_k ? static_cast<uint32_t>(Shape::x_chunk) : kDepth},
          {Y::along_k ? kDepth : Y::box_rows, Y::along_k ? static_cast<uint32_t>(Shape::y_chunk) : kDepth},
          X::line,
          Y::line,
          Shape::shared_bytes,
          {Shape::has_boxes ? Shape::box_y : 0u, Shape::box_x},
          Shape::boxes_along_x,
          {},
          TriangleTiles::squares};
}

// Returns use(number, x, y) with the instance's integral constants.
template <Number kNumber, class Use>
auto with_wgmma_sides(const WgmmaSides &sides, const Use &use) {
  using Yes = std::true_type;
  using No = std::false_type;
  constexpr std::integral_constant<Number, kNumber> number;
  if constexpr (kNumber == Number::tf32) {
    return sides.x_along_k ? use(number, Yes(), Yes()) : use(number, No(), Yes());
  } else {
    if (sides.x_along_k) return sides.y_along_k ? use(number, Yes(), Yes()) : use(number, Yes(), No());
    return sides.y_along_k ? use(number, No(), Yes()) : use(number, No(), No());
  }
}
template <class DeviceCode, class Use>
auto with_wgmma_instance(const GemmDesc &desc, const WgmmaSides &sides, const Use &use) {
  if constexpr (DeviceCode::math_mode == LIBSGEMM_MATH_TF32) {
    return with_wgmma_sides<Number::tf32>(sides, use);
  } else {
    return desc.type == Type::f16 ? with_wgmma_sides<Number::f16>(sides, use)
                                  : with_wgmma_sides<Number::bf16>(sides, use);
  }
}
template <class DeviceCode, int kCluster>
WgmmaInstance wgmma_instance_of(const GemmDesc &desc, const WgmmaSides &sides) {
  return with_wgmma_instance<DeviceCode>(desc, sides, [](auto number, auto x, auto y) {
    constexpr Number kNumber = decltype(number)::value;
    constexpr bool kX = decltype(x)::value, kY = decltype(y)::value;
    return wgmma_instance<typename DeviceCode::template Shape<kNumber, kX, kY, kCluster>>(
        DeviceCode::template kernel<kNumber, kX, kY, kCluster>());
  });
}

// kN and kStages are those of WgmmaShape.
template <bool kAlongK>
using WgmmaLines = std::conditional_t<kAlongK, ptx::AlongK<128>, ptx::AlongOuter<64>>;
template <Number kNumber, bool kXAlongK, bool kYAlongK, int kN, int kStages, int kCluster>
using WgmmaShape16 = WgmmaShape<kNumber, WgmmaLines<kXAlongK>, WgmmaLines<kYAlongK>, 1, kN, 64, kStages, kCluster>;

// Least k at which pairs, which start later, pay for blocks with one tile each.
constexpr int kPairDepth = 1024;

template <class DeviceCode>
struct WgmmaTiles {
  using Shape =
      typename DeviceCode::template Shape<DeviceCode::math_mode == LIBSGEMM_MATH_TF32 ? Number::tf32 : Number::f16,
                                          true, true, 1>;
  static constexpr bool floats = DeviceCode::math_mode == LIBSGEMM_MATH_TF32;

  // An MN-major operand of TF32 must be x, to go through registers.
  static WgmmaSides sides(const GemmDesc &desc) {
    if (floats && !(along_k_a(desc) && along_k_b(desc))) return {desc, along_k_b(desc)};
    return {desc, wgmma_swaps(desc, Shape::tile_x, Shape::tile_y)};
  }
  static bool supports(const GemmDesc &desc, int index) {
    return desc.routine == Routine::gemm && (desc.type == Type::f32) == floats &&
           wgmma_fits(desc, Shape::tile_x, Shape::tile_y, index) && (!floats || along_k_a(desc) || along_k_b(desc));
  }
  static Tiling tiling(const GemmDesc &desc, int index) {
    const Device &d = device(index);
    const double rate = static_cast<double>(d.wgmma_per_clock) / d.fma_per_clock;
    const bool swapped = sides(desc).swapped;
    Tiling tiling = {swapped ? Shape::tile_x : Shape::tile_y, swapped ? Shape::tile_y : Shape::tile_x, kWgmmaThreads, 1,
                     figures_or_sm90(d.arch, DeviceCode::fitted)};
    tiling.figures.peak_fraction *= rate, tiling.figures.steps *= rate;
    return tiling;
  }
  static libsgemm_status_t enqueue(const GemmDesc &desc, const StridedOperands &operands, int64_t count,
                                   const Launch &launch, Error *error) {
    const WgmmaSides s = sides(desc);
    // If every block of a pair has one tile, the device must hold them all.
    const auto blocks = [&](int cluster_x, int cluster_y) {
      return ceil_div(s.x(desc), cluster_x) * ceil_div(s.y(desc), cluster_y) * count;
    };
    using Pair =
        typename DeviceCode::template Shape<floats ? Number::tf32 : Number::f16, true, true, DeviceCode::most_cluster>;
    const int64_t all = device(launch.device).compute_units;
    const bool fit = desc.k >= kPairDepth && DeviceCode::most_cluster * blocks(Pair::cluster_x, Pair::cluster_y) <= all;
    const bool pairs = DeviceCode::most_cluster > 1 && (fit || blocks(Shape::tile_x, Shape::tile_y) > all);
    const WgmmaInstance instance = pairs ? wgmma_instance_of<DeviceCode, DeviceCode::most_cluster>(desc, s)
                                         : wgmma_instance_of<DeviceCode, 1>(desc, s);
    return launch_wgmma(desc, instance, s, Stored::all, {1, nullptr, 0}, operands, count, launch, error);
  }
};

inline int64_t most_wgmma_products(const GemmDesc &desc, int slices) {
  const int64_t tiles = ceil_div(desc.m, 8) * ceil_div(desc.n, 8) * slices;  // upper bound
  return std::clamp<int64_t>(INT_MAX / 4 / tiles, 1, kMostProducts);
}

// Extra seconds for a C that TMA cannot store, fitted by eye to k below 50 on an H100.
inline double wgmma_row_stores(const GemmDesc &desc, bool may_box, bool swapped, int width, int index) {
  const double elements = static_cast<double>(desc.m) * static_cast<double>(desc.n);
  return may_box && wgmma_boxes_fit(desc, swapped, width)
             ? 0
             : 1.2 * memory_seconds(device(index), 4 * elements * static_cast<double>(desc.batch_count));
}

template <class DeviceCode>
Plan prepare_wgmma(const GemmDesc &desc, int index) {
  using Tiles = WgmmaTiles<DeviceCode>;
  if (!Tiles::supports(desc, index)) return {};
  const WgmmaSides sides = Tiles::sides(desc);
  const bool may_box = !sides.swapped || (Tiles::floats && !sides.x_along_k);
  return planned(gemm_seconds(device(index), desc, Tiles::tiling(desc, index)) +
                 wgmma_row_stores(desc, may_box, sides.swapped, Tiles::Shape::n, index));
}

template <class DeviceCode>
Kernel wgmma_kernel(const char *name) {
  using Tiles = WgmmaTiles<DeviceCode>;
  const auto launch_all = [](const GemmDesc &desc, const Launch &launch, Error *error) {
    return for_strided_chunks(desc, most_wgmma_products(desc, 1), [&](const StridedOperands &operands, int64_t count) {
      return Tiles::enqueue(desc, operands, count, launch, error);
    });
  };
  Kernel kernel = {name, DeviceCode::math_mode, prepare_wgmma<DeviceCode>, launch_all};
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::cuda
