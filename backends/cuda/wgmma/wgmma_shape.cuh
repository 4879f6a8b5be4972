#pragma once

#include "dynamic_shared.cuh"
#include "instructions.cuh"
#include "wgmma_problem.h"

namespace libsgemm::cuda {

constexpr int kConsumers = 2, kConsumerWarps = 8;  // kConsumers: warpgroups that multiply
// Shape of a wgmma kernel (wgmma_engine.cuh). Its operands are x and y: a tile has kN columns of y, a warpgroup kHalves
// times 64 rows of x, a stage kDepth elements of k.
template <Number kNumber, class XLines, class YLines, int kHalves, int kN, int kDepth, int kStages, int kCluster,
          int kPlanes = 1>
struct WgmmaShape {
  static constexpr Number number = kNumber;
  using X = XLines;
  using Y = YLines;
  static constexpr int halves = kHalves, n = kN, depth = kDepth, stages = kStages, cluster = kCluster, planes = kPlanes;
  static constexpr int tile_x = kConsumers * 64 * kHalves, tile_y = kN;
  // Blocks of a cluster share the larger operand, but y only if kN is a multiple of 128.
  static constexpr bool shares_x = tile_x > tile_y || kN % 128 != 0;
  static constexpr int cluster_x = shares_x ? tile_x : kCluster * tile_x;
  static constexpr int cluster_y = shares_x ? kCluster * tile_y : tile_y;

  static constexpr int element_bytes = kNumberBytes<kNumber>;
  static constexpr int instruction_depth = 32 / element_bytes;
  static constexpr int instructions = kDepth / instruction_depth;  // instructions of a stage

  // An MN-major y is copied in blocks of 64 columns of y.
  static constexpr int y_rows = Y::along_k ? kN : (kN + 63) / 64 * 64;
  static constexpr int x_chunk = kCluster == 2 && shares_x ? tile_x / 2 : tile_x;
  static constexpr int y_chunk = kCluster == 2 && !shares_x ? y_rows / 2 : y_rows;
  static constexpr int row_bytes = kDepth * element_bytes;
  static constexpr int x_bytes = tile_x * kPlanes * row_bytes, y_bytes = y_rows * kPlanes * row_bytes;
  static constexpr int stage_bytes = x_bytes + y_bytes;
  static constexpr int stages_bytes = kStages * stage_bytes;
  static constexpr int box_x = 16, box_y = kWgmmaBox, box_bytes = box_x * box_y * 4;
  static constexpr bool has_boxes =
      kN % box_y == 0 && stages_bytes + kConsumerWarps * 2 * box_bytes + 16 * kStages <= 227 * 1024;
  static constexpr int boxes_bytes = has_boxes ? kConsumerWarps * 2 * box_bytes : 0;
  // If x goes through registers, it is op(A) or op(B) as their layouts require, so TMA's boxes of C may run along x.
  static constexpr bool boxes_along_x = has_boxes && X::by_threads;
  static constexpr int shared_bytes = stages_bytes + boxes_bytes + 16 * kStages;
  static_assert(!X::along_k || row_bytes == X::line, "a row of k is a line");
  static_assert(!Y::along_k || row_bytes == Y::line, "a row of k is a line");
  static_assert(kPlanes == 1 || y_chunk == y_rows, "planes of y are copied whole");
  static_assert(X::along_k || x_chunk % X::box_rows == 0, "whole blocks");
  static_assert(Y::along_k || y_chunk % Y::box_rows == 0, "whole blocks");
  static_assert(!Y::by_threads && (!X::by_threads || (kHalves == 1 && kPlanes == 1)), "x by registers, of one plane");
  static_assert(stage_bytes % 1024 == 0 && shared_bytes <= 227 * 1024, "of a multiprocessor");
  static_assert(kPlanes == 1 || kPromoteDepth % kDepth == 0, "whole stages between promotions");

  __device__ __forceinline__ static uint64_t descriptor_y(uint32_t y, int plane) {
    return Y::descriptor(y + plane * (y_rows * row_bytes));
  }

  static constexpr bool any_width = false, any_cluster = false, any_triangle = false;
  static constexpr int most_stages = kStages;
  static constexpr bool shares_k = false;
};

// The launch sets the tile's width; the stages share the memory of four stages of width 256. kCluster: 1, or
// kMostCluster if the launch sets the cluster. With 64 rows of x the tile is at most 64 wide, and the two warpgroups
// take alternate stages. Such tiles are bound by their copies, and 64 rows take half the bytes of 128.
template <Number kNumber, class XLines, class YLines, int kCluster, int kRows>
struct WgmmaAnyWidth : WgmmaShape<kNumber, XLines, YLines, 1, 256, kWgmmaDepth, 4, 1> {
  using Widest = WgmmaShape<kNumber, XLines, YLines, 1, 256, kWgmmaDepth, 4, 1>;
  static constexpr bool any_width = true, any_cluster = kCluster > 1;
  static constexpr bool boxes_along_x = true, shares_k = kRows < kWgmmaRows;
  static constexpr int n = shares_k ? 64 : 256;
  static constexpr int tile_x = kRows, x_bytes = kRows * Widest::row_bytes, cluster = kCluster;
  static constexpr int most_stages = 12;
  // The barriers for the exchange of accumulators follow those of the stages.
  static constexpr int barriers_at = Widest::stages_bytes + Widest::boxes_bytes;
  static constexpr int sums_there = barriers_at + 16 * most_stages, sums_taken = sums_there + 8;
  static constexpr int shared_bytes = sums_taken + 8;
  // Accumulators pass through the boxes of the warpgroup that does not store.
  static constexpr int sums_at = Widest::stages_bytes + Widest::boxes_bytes / 2;
  static_assert(!shares_k || n * kRows * 4 <= Widest::boxes_bytes / 2, "room for the sums");
  static_assert(shared_bytes <= 227 * 1024 && !Widest::shares_x && Widest::row_bytes == 128, "of a multiprocessor");
  static_assert(kRows == 64 || kRows == kWgmmaRows, "rows of an instruction, or of two");
  static_assert(kCluster == 1 || kCluster == kMostCluster, "alone, or as the launch says");

  LIBSGEMM_HOST_DEVICE static constexpr int bytes_of_stage(int width) {
    const int rows = YLines::along_k ? width : (width + 63) / 64 * 64;
    return x_bytes + rows * Widest::row_bytes;
  }
  LIBSGEMM_HOST_DEVICE static constexpr int stages_of(int width, int bytes_less = 0) {
    const int fitting = Widest::stages_bytes / (bytes_of_stage(width) - bytes_less);
    return fitting < most_stages ? fitting : most_stages;
  }
};

template <Number kNumber, class Lines>
struct WgmmaAnyTriangle : WgmmaAnyWidth<kNumber, Lines, Lines, kMostCluster, kWgmmaRows> {
  static constexpr bool any_triangle = true, boxes_along_x = false;
  static_assert(Lines::along_k || kWgmmaRows % Lines::box_rows == 0, "x begins with a block of y");
};

// Calls use(std::integral_constant) with the width.
template <int kMost, class Use, int... kWidths>
__device__ __forceinline__ void with_wgmma_width(int width, const Use &use, std::integer_sequence<int, kWidths...>) {
  const auto try_width = [&](auto candidate) {
    constexpr int kWidth = decltype(candidate)::value;
    if constexpr (kWidth <= kMost) {
      if (width == kWidth) use(candidate);
      return width == kWidth;
    } else {
      return false;
    }
  };
  static_cast<void>((try_width(std::integral_constant<int, kWidths>()) || ...));
}
template <int kMost, class Use>
__device__ __forceinline__ void with_wgmma_width(int width, const Use &use) {
  with_wgmma_width<kMost>(width, use, WgmmaWidths());
}

}  // namespace libsgemm::cuda
