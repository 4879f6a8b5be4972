// Host side of the thin kernels. A kernel's file defines Traits: its Shape (thin_copy.cuh) and properties for ThinTile.
#pragma once

#include "runtime/launch.h"
#include "thin.cuh"
#include "thin.h"

namespace libsgemm::cuda::thin {

using ThinKernel = void (*)(SkinnyWork);

// One plan serves all layouts: that with the largest ring.
template <typename DeviceCode>
constexpr ThinTile tile_of() {
  using Shape = typename DeviceCode::Shape;
  using Largest = Derived<Layout<Shape, true, true, true, true>>;
  constexpr auto &share = DeviceCode::ffma_share;
  return {Largest::kRows,
          Largest::kColumns,
          Shape::chunk,
          Largest::kThreads,
          Shape::resident,
          DeviceCode::narrow_most,
          DeviceCode::share_tiles,
          DeviceCode::start_seconds,
          Largest::bytes,
          {{share[0][0], share[0][1]}, {share[1][0], share[1][1]}}};
}

template <typename DeviceCode, bool kXAlongK, bool kYAlongK>
ThinKernel kernel_of(const ThinPlan &plan) {
  using Shape = typename DeviceCode::Shape;
  // If only Y can be copied in groups, both are copied by single floats.
  if (!plan.x_vectors) return DeviceCode::template kernel<Layout<Shape, kXAlongK, kYAlongK, false, false>>();
  if (!plan.y_vectors) return DeviceCode::template kernel<Layout<Shape, kXAlongK, kYAlongK, true, false>>();
  return DeviceCode::template kernel<Layout<Shape, kXAlongK, kYAlongK, true, true>>();
}

template <typename DeviceCode>
ThinKernel kernel_of(const ThinPlan &plan) {
  if (!plan.x_along_k)
    return plan.y_along_k ? kernel_of<DeviceCode, false, true>(plan) : kernel_of<DeviceCode, false, false>(plan);
  return plan.y_along_k ? kernel_of<DeviceCode, true, true>(plan) : kernel_of<DeviceCode, true, false>(plan);
}

template <typename DeviceCode>
libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
  constexpr ThinTile kTile = tile_of<DeviceCode>();
  ThinPlan plan = thin_plan(kTile, desc, launch.device);
  plan.work.partial = static_cast<float *>(launch.workspace);
  const dim3 grid(static_cast<unsigned>(plan.blocks)), block(static_cast<unsigned>(plan.threads));
  const libsgemm_status_t status =
      launch_kernel(kernel_of<DeviceCode>(plan), grid, block, plan.shared_bytes, launch, error, plan.work);
  if (status != LIBSGEMM_SUCCESS || plan.workspace_bytes == 0) return status;
  SkinnyTile tile = {};
  tile.rows = kTile.rows;
  tile.columns = kTile.columns;
  return sum_skinny_partials(tile, plan, launch, error);
}

template <typename DeviceCode>
Kernel thin_kernel(const char *name) {
  static constexpr ThinTile kTile = tile_of<DeviceCode>();
  const auto prepare = [](const GemmDesc &desc, int device) -> Plan {
    if (!thin_supports(kTile, desc, device)) return {};
    const ThinPlan plan = thin_plan(kTile, desc, device);
    return planned(measured_share<DeviceCode>(device) * plan.seconds, plan.workspace_bytes);
  };
  return {name, LIBSGEMM_MATH_FP32, prepare, launch<DeviceCode>};
}

}  // namespace libsgemm::cuda::thin

#define LIBSGEMM_THIN_CODE(name)                                                          \
  template <typename Config>                                                              \
  __global__ void __launch_bounds__(thin::Derived<Config>::kThreads,                      \
                                    thin::resident_blocks(Config::resident, thin::kArch)) \
      name(const __grid_constant__ SkinnyWork work) {                                     \
    thin::compute<Config>(work);                                                          \
  }                                                                                       \
  namespace {                                                                             \
  struct DeviceCode : Traits {                                                            \
    template <typename Config>                                                            \
    static auto kernel() {                                                                \
      return &name<Config>;                                                               \
    }                                                                                     \
  };                                                                                      \
  }
