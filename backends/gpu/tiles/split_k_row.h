#pragma once

#include "split_k.h"
#include "tile_row.h"

namespace libsgemm::gpu {

// Enqueues C(i) = alpha * (sum of p.partial's slices of product i) + beta * C(i). Each backend defines it with
// split_k_sum.h.
libsgemm_status_t launch_split_k_sum(const TileProblem &p, int slices, const StridedOperands &operands, int64_t count,
                                     const Launch &launch, Error *error);

// The interface of split_kernel() for a kernel built on tile.h.
template <class Row>
struct SplitTiles {
  using Config = typename Row::Config;

  static bool supports(const GemmDesc &desc, int index) { return tiles_support<Row>(desc, index); }
  static Tiling tiling(const GemmDesc &desc, int index) { return Row::tiling(desc, index); }
  static libsgemm_status_t enqueue(const GemmDesc &desc, const TileProblem &p, const StridedOperands &operands,
                                   int64_t count, const Launch &launch, Error *error) {
    return Row::vectors(desc) ? enqueue_tiles<Row, true>(desc, p, operands, count, launch, error)
                              : enqueue_tiles<Row, false>(desc, p, operands, count, launch, error);
  }
  static constexpr auto enqueue_sum = launch_split_k_sum;
};

template <class Tiles>
libsgemm_status_t launch_split(const GemmDesc &desc, const Launch &launch, Error *error) {
  using Config = typename Tiles::Config;
  const Split split = best_split(desc, Tiles::tiling(desc, launch.device), Config::tile_k, launch.device);
  TileProblem p = tile_problem<Config>(desc);
  p.slice_tiles = split.slice_tiles;
  p.partial = static_cast<float *>(launch.workspace);
  p.partial_ld = (desc.m + 3) / 4 * 4;
  return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t count) {
    const libsgemm_status_t status = Tiles::enqueue(desc, p, operands, count, launch, error);
    return status == LIBSGEMM_SUCCESS ? Tiles::enqueue_sum(p, split.slices, operands, count, launch, error) : status;
  });
}

template <class Tiles>
double split_cost(const GemmDesc &desc, int index) {
  return best_split(desc, Tiles::tiling(desc, index), Tiles::Config::tile_k, index).seconds;
}

template <class Tiles>
Kernel split_kernel(const char *name) {
  using Config = typename Tiles::Config;
  const auto supports = [](const GemmDesc &desc, int index) {
    return Tiles::supports(desc, index) && desc.batch != Batch::pointers && desc.batch_count <= kMostProducts &&
           best_split(desc, Tiles::tiling(desc, index), Config::tile_k, index).slices > 1;
  };
  const auto workspace = [](const GemmDesc &desc, int index) {
    const Tiling tiling = Tiles::tiling(desc, index);
    return split_bytes(desc, best_split(desc, tiling, Config::tile_k, index).slices, tiling.sum_bytes);
  };
  return {name, LIBSGEMM_MATH_FP32, supports, split_cost<Tiles>, workspace, launch_split<Tiles>};
}

template <class Row>
Kernel split_k_kernel(const char *name) {
  return split_kernel<SplitTiles<Row>>(name);
}

}  // namespace libsgemm::gpu
