// Host side of the skinny kernels. A kernel's file defines its Shape (skinny_copy.cuh).
#pragma once

#include "gpu/thin/skinny_kernel.h"
#include "runtime/launch.h"
#include "skinny.cuh"
#include "thin.h"

namespace libsgemm::cuda {

namespace skinny {

// One plan serves all layouts: that with the largest ring.
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

template <typename DeviceCode, typename Shape>
Plan prepare(const GemmDesc &desc, int index) {
  Plan plan = prepare_skinny<DeviceCode>(desc, index);
  plan.seconds *= thin::measured_share<Shape>(index);
  return plan;
}

template <typename DeviceCode, typename Shape>
Kernel measured_kernel(const char *name) {
  Kernel kernel = skinny_kernel<DeviceCode>(name);
  kernel.prepare = prepare<DeviceCode, Shape>;
  return kernel;
}

}  // namespace skinny

template <typename DeviceCode, typename Shape>
struct SkinnyCode {
  static constexpr SkinnyTile tile = skinny::tile_of<Shape>();

  static void (*kernel(const SkinnyPlan &plan))(SkinnyWork) {
    using skinny::Layout;
    if (plan.y_along_k) {
      return plan.x_along_k ? DeviceCode::template kernel_for<Layout<Shape, true, true>>()
                            : DeviceCode::template kernel_for<Layout<Shape, false, true>>();
    }
    return plan.x_along_k ? DeviceCode::template kernel_for<Layout<Shape, true, false>>()
                          : DeviceCode::template kernel_for<Layout<Shape, false, false>>();
  }

  static size_t shared_bytes(const SkinnyPlan &plan) { return plan.shared_bytes; }
};

}  // namespace libsgemm::cuda

#define LIBSGEMM_SKINNY_CODE(name)                                        \
  template <typename Config>                                              \
  __global__ void __launch_bounds__(32 * Config::warps, Config::resident) \
      name(const __grid_constant__ SkinnyWork work) {                     \
    skinny::compute<Config>(work);                                        \
  }                                                                       \
  namespace {                                                             \
  struct DeviceCode : SkinnyCode<DeviceCode, Shape> {                     \
    template <typename Config>                                            \
    static auto kernel_for() {                                            \
      return &name<Config>;                                               \
    }                                                                     \
  };                                                                      \
  }
