// The host's side of the skinny rows. A kernel's file defines a Row: its Shape (skinny_copy.cuh), and kernel<Config>(),
// the instance for a layout.
#pragma once

#include "launch.h"
#include "skinny.cuh"

namespace libsgemm::cuda::skinny {

// One plan serves all layouts: their largest ring counts.
template <typename Shape>
constexpr SkinnyTile tile_of() {
  using First = Derived<Layout<Shape, true, true>>;
  SkinnyTile tile = {First::kRows,       First::kColumns,        Shape::chunk,      Shape::warps,   Shape::resident,
                     Shape::narrow_most, 4 * First::kWarpFloats, Shape::ffma_share, Shape::slowdown};
  for (const size_t floats :
       {Derived<Layout<Shape, true, false>>::kWarpFloats, Derived<Layout<Shape, false, false>>::kWarpFloats,
        Derived<Layout<Shape, false, true>>::kWarpFloats}) {
    if (4 * floats > tile.warp_bytes) tile.warp_bytes = 4 * floats;
  }
  return tile;
}

using SkinnyKernel = void (*)(SkinnyWork);

template <typename Row>
SkinnyKernel kernel_of(bool x_along_k, bool y_along_k) {
  using Shape = typename Row::Shape;
  if (y_along_k) {
    return x_along_k ? Row::template kernel<Layout<Shape, true, true>>()
                     : Row::template kernel<Layout<Shape, false, true>>();
  } else {
    return x_along_k ? Row::template kernel<Layout<Shape, true, false>>()
                     : Row::template kernel<Layout<Shape, false, false>>();
  }
}

template <typename Row>
libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
  constexpr SkinnyTile kTile = tile_of<typename Row::Shape>();
  SkinnyPlan plan = skinny_plan(kTile, desc, launch.device);
  plan.work.partial = static_cast<float *>(launch.workspace);
  const dim3 grid(static_cast<unsigned>(plan.blocks)), block(static_cast<unsigned>(plan.threads));
  const libsgemm_status_t status = launch_kernel(kernel_of<Row>(plan.x_along_k, plan.y_along_k), grid, block,
                                                 plan.shared_bytes, launch, error, plan.work);
  if (status != LIBSGEMM_SUCCESS || plan.workspace_bytes == 0) return status;
  return sum_skinny_partials(kTile, plan, launch, error);
}

template <typename Row>
Kernel row(const char *name) {
  static constexpr SkinnyTile kTile = tile_of<typename Row::Shape>();
  const auto supports = [](const GemmDesc &desc, int device) { return skinny_supports(kTile, desc, device); };
  const auto cost = [](const GemmDesc &desc, int device) { return skinny_plan(kTile, desc, device).seconds; };
  const auto workspace = [](const GemmDesc &desc, int device) {
    return skinny_plan(kTile, desc, device).workspace_bytes;
  };
  return {name, LIBSGEMM_MATH_FP32, supports, cost, workspace, launch<Row>};
}

}  // namespace libsgemm::cuda::skinny
