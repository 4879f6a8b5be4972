// Host side of triangles by wgmma: op(A) op(A)^T of 16-bit operands. The kernel's file defines Kernels:
//
//   struct Kernels {
//     template <Number, bool AlongK> static void (*kernel())(WgmmaTriangle);
//   };
#pragma once

#include <algorithm>
#include <climits>

#include "wgmma_triangle.h"
#include "wgmma_width_kernel.h"

namespace libsgemm::cuda {

template <class Kernels, int kWidth>
struct WgmmaTriangleWidth {
  using Function = void (*)(WgmmaTriangle);
  static constexpr bool kParts = kWidth == 2 * kWgmmaRows;  // squares off the diagonal, halves and quarters on it

  static GemmDesc product(const GemmDesc &desc) {
    GemmDesc d = desc;
    d.routine = Routine::gemm;
    d.b = desc.a, d.ldb = desc.lda, d.stride_b = desc.stride_a;
    d.transb = desc.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
    return d;
  }
  static WgmmaTrianglePlan plan(const GemmDesc &desc, int index) {
    return wgmma_triangle_plan(product(desc), desc.uplo == LIBSGEMM_LOWER, kWidth, index);
  }
  static bool divides(const GemmDesc &desc, int index) {
    if (kParts) return desc.n > kWidth && device(index).compute_units >= 4;
    return kWidth == kWgmmaRows || ceil_div(desc.n, kWgmmaRows) <= kMostTriangleLines;
  }
  static bool supports(const GemmDesc &desc, int index) {
    return desc.routine == Routine::syrk && desc.type != Type::f32 && desc.batch != Batch::pointers &&
           wgmma_fits(product(desc), kWgmmaRows, kWidth, index) && divides(desc, index);
  }
  static double cost(const GemmDesc &desc, int index) { return plan(desc, index).seconds; }

  static WgmmaInstance instance(const GemmDesc &d, const WgmmaTrianglePlan::Part &part, Function *kernel) {
    const auto of = [&](auto number, auto x, auto) {
      constexpr Number kNumber = decltype(number)::value;
      constexpr bool kAlongK = decltype(x)::value;
      *kernel = Kernels::template kernel<kNumber, kAlongK>();
      using Shape = WgmmaAnyTriangle<kNumber, WgmmaLines<kAlongK>>;
      WgmmaInstance i = wgmma_instance_of_width<Shape>(nullptr, part.width, part.cluster);
      i.triangle = part.tiles;
      if (y_has_x(part.tiles)) i.stages = Shape::stages_of(part.width, Shape::x_bytes);
      return i;
    };
    const WgmmaSides sides(d, false);
    return d.type == Type::f16 ? with_wgmma_sides<Number::f16>(sides, of) : with_wgmma_sides<Number::bf16>(sides, of);
  }

  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    const GemmDesc d = product(desc);
    const int64_t order = ceil_div(desc.n, kWgmmaRows);  // upper bound on tiles along a side
    const int64_t most = std::clamp<int64_t>(INT_MAX / 4 / (order * (order + 1)), 1, kMostProducts);
    const Stored::Part stored = desc.uplo == LIBSGEMM_LOWER ? Stored::lower : Stored::upper;
    return for_strided_chunks(d, most, [&](const StridedOperands &operands, int64_t count) {
      GemmDesc chunk = desc;
      chunk.batch_count = count;
      const WgmmaTrianglePlan w = plan(chunk, launch.device);
      WgmmaTriangle triangle = {};
      WgmmaInstance first = {};
      Function kernel = nullptr;
      int blocks = 0;
      for (int p = 0; p < kTriangleParts; ++p) {
        if (w.parts[p].at_once > 0) {
          const WgmmaInstance i = instance(d, w.parts[p], &kernel);
          const libsgemm_status_t status =
              describe_wgmma(d, i, WgmmaSides(d, false), stored, {1, nullptr, 0}, operands, count, launch,
                             &triangle.maps[p], &triangle.problem[p], error);
          if (status != LIBSGEMM_SUCCESS) return status;
          if (p == 0) first = i;
          blocks += w.parts[p].at_once * i.cluster;
        }
        triangle.end[p] = blocks;
      }
      // Blocks without work complete the last cluster.
      triangle.end[kTriangleParts - 1] = blocks = static_cast<int>(ceil_div(blocks, first.cluster)) * first.cluster;
      return launch_after(kernel, static_cast<unsigned>(first.cluster), dim3(static_cast<unsigned>(blocks)),
                          dim3(kWgmmaThreads), first.shared_bytes, launch, error, triangle);
    });
  }
};

template <class Kernels, int kWidth>
Kernel wgmma_triangle_kernel(const char *name) {
  using Width = WgmmaTriangleWidth<Kernels, kWidth>;
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, prepare_fixed<Width::supports, Width::cost>, Width::launch};
  kernel.truncates = true;
  kernel.purpose = "triangle that these tiles cover well";
  return kernel;
}

}  // namespace libsgemm::cuda
