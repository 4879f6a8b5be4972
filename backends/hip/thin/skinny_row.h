// A kernel's Row derives from SkinnyRow<Row, Shape> and has kernel_for<Config>(), the instance for a layout. The
// Shape's `resident` and `fma_share` are not measured.
#pragma once

#include "gpu/aligned.h"
#include "gpu/thin/skinny_row.h"
#include "skinny.h"

namespace libsgemm::hip {

using namespace gpu;

template <typename Row, typename Shape>
struct SkinnyRow {
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
      return plan.x_along_k ? Row::template kernel_for<Layout<Shape, true, true>>()
                            : Row::template kernel_for<Layout<Shape, false, true>>();
    }
    return plan.x_along_k ? Row::template kernel_for<Layout<Shape, true, false>>()
                          : Row::template kernel_for<Layout<Shape, false, false>>();
  }

  static size_t shared_bytes(const SkinnyPlan &) { return 0; }  // LDS is static
};

}  // namespace libsgemm::hip
