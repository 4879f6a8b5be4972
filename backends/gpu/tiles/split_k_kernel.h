#pragma once

#include "split_k.h"
#include "tile_kernel.h"

namespace libsgemm::gpu {

// Enqueues C(i) = alpha * (sum of p.partial's slices of product i) + beta * C(i). Each backend defines it with
// split_k_sum.h.
libsgemm_status_t launch_split_k_sum(const TileProblem &p, int slices, const StridedOperands &operands, int64_t count,
                                     const Launch &launch, Error *error);

// The interface of split_kernel() for a kernel built on tile.h.
template <class DeviceCode>
struct SplitTiles {
  using Config = typename DeviceCode::Config;

  static bool supports(const GemmDesc &desc, int index) { return tiles_support<DeviceCode>(desc, index); }
  static Tiling tiling(const GemmDesc &desc, int index) { return DeviceCode::tiling(desc, index); }
  static libsgemm_status_t enqueue(const GemmDesc &desc, const TileProblem &p, const StridedOperands &operands,
                                   int64_t count, const Launch &launch, Error *error) {
    return DeviceCode::vectors(desc) ? enqueue_tiles<DeviceCode, true>(desc, p, operands, count, launch, error)
                                     : enqueue_tiles<DeviceCode, false>(desc, p, operands, count, launch, error);
  }
  static constexpr auto enqueue_sum = launch_split_k_sum;
};

template <class Tiles>
Plan prepare_split(const GemmDesc &desc, int index) {
  if (!Tiles::supports(desc, index) || desc.batch == Batch::pointers || desc.batch_count > kMostProducts) return {};
  return best_split(desc, Tiles::tiling(desc, index), Tiles::Config::tile_k, index);
}

template <class Tiles>
libsgemm_status_t launch_split(const GemmDesc &desc, const Launch &launch, Error *error) {
  TileProblem p = tile_problem<typename Tiles::Config>(desc);
  p.slice_tiles = launch.config.slice_tiles;
  p.partial = static_cast<float *>(launch.workspace);
  p.partial_ld = (desc.m + 3) / 4 * 4;
  return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t count) {
    const libsgemm_status_t status = Tiles::enqueue(desc, p, operands, count, launch, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    return Tiles::enqueue_sum(p, launch.config.slices, operands, count, launch, error);
  });
}

template <class Tiles>
Kernel split_kernel(const char *name) {
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, prepare_split<Tiles>, launch_split<Tiles>};
  kernel.purpose = kSplitPurpose;
  return kernel;
}

template <class DeviceCode>
Kernel split_k_kernel(const char *name) {
  return split_kernel<SplitTiles<DeviceCode>>(name);
}

}  // namespace libsgemm::gpu
