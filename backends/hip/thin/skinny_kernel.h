// A kernel's DeviceCode derives from SkinnyCode<DeviceCode, Shape> and has kernel_for<Config>(), the instance for a
// layout. The Shape's `resident` and `fma_share` are not measured.
#pragma once

#include "gpu/aligned.h"
#include "gpu/thin/skinny_kernel.h"
#include "skinny.h"

namespace libsgemm::hip {

using namespace gpu;

template <typename DeviceCode, typename Shape>
struct SkinnyCode {
  static constexpr SkinnyTile tile = {skinny::kRows,
                                      Shape::narrow_thread,
                                      skinny::Derived<Shape>::kChunk,
                                      skinny::kWarps,
                                      Shape::resident,
                                      Shape::narrow_most,
                                      skinny::Derived<Shape>::kWarpFloats * sizeof(float),
                                      Shape::fma_share,
                                      1.0,
                                      skinny::Derived<Shape>::kChunk};

  // X can be fetched by 4 along its contiguous dimension.
  static bool x_vectors(const SkinnyPlan &plan) {
    const SkinnyWork &w = plan.work;
    return columns_aligned(w.x, w.x_ld) && static_cast<uint64_t>((plan.x_along_k ? w.k : w.wide) | w.x_stride) % 4 == 0;
  }

  static void (*kernel(const SkinnyPlan &plan))(SkinnyWork) {
    using skinny::Layout;
    if (x_vectors(plan)) {
      return plan.x_along_k ? DeviceCode::template kernel_for<Layout<Shape, true, true>>()
                            : DeviceCode::template kernel_for<Layout<Shape, false, true>>();
    }
    return plan.x_along_k ? DeviceCode::template kernel_for<Layout<Shape, true, false>>()
                          : DeviceCode::template kernel_for<Layout<Shape, false, false>>();
  }

  static size_t shared_bytes(const SkinnyPlan &) { return 0; }  // LDS is static
};

}  // namespace libsgemm::hip
