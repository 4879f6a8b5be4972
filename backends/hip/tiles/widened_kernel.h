// Host side of gemm and syrk of FP16 or bfloat16 matrices with FP32 accumulators and FP32 C. A kernel's file defines a
// DeviceCode:
//
//   struct DeviceCode {
//     using Config = ...;                        // tile_m, tile_n, tile_k, threads
//     static constexpr bool has_vectors = ...;   // instances that fetch four elements at once, if words_fit()
//     static constexpr bool has_elements = ...;  // instances for any operands
//     static constexpr bool chains = ...;        // an element of C is one sequential FMA order
//     static bool runs_on(int device);
//     static Tiling tiling(const GemmDesc &desc, int device);
//     template <Type kType, Fetch A, Fetch B, typename Operands> static auto vector_kernel();
//     template <Type kType, typename Operands> static auto kernel();
//     template <Type kType, Fetch Kind> static auto triangle_kernel();  // syrk
//   };
#pragma once

#include "gpu/level3/triangle_kernel.h"
#include "gpu/tiles/tile_kernel.h"
#include "hip/runtime/device.h"
#include "widened.h"

namespace libsgemm::hip {

// Fetches can take four elements, 8 bytes. Pointers of a batch may be in device memory, so their alignment is unknown.
inline bool words_fit(const GemmDesc &desc) {
  if (desc.batch == Batch::pointers) return false;
  const auto fits = [&](const void *base, int64_t ld, int64_t rows, int64_t stride) {
    const int64_t elements = ld | rows | (desc.batch == Batch::strided ? stride : 0);
    return reinterpret_cast<uintptr_t>(base) % 8 == 0 && static_cast<uint64_t>(elements) % 4 == 0;
  };
  return fits(desc.a, desc.lda, desc.transa != LIBSGEMM_NO_TRANS ? desc.k : desc.m, desc.stride_a) &&
         fits(desc.b, desc.ldb, desc.transb == LIBSGEMM_NO_TRANS ? desc.k : desc.n, desc.stride_b);
}

template <class DeviceCode, Type kType, typename Operands>
libsgemm_status_t enqueue_widened(const GemmDesc &desc, const Operands &operands, int64_t count, const Launch &launch,
                                  Error *error) {
  using Config = typename DeviceCode::Config;
  WidenedProblem p = {};
  static_cast<TileProblem &>(p) = tile_problem<Config>(desc);
  p.a_along_k = desc.transa != LIBSGEMM_NO_TRANS;
  p.b_along_k = desc.transb == LIBSGEMM_NO_TRANS;
  const dim3 grid(static_cast<unsigned>(p.tiles_m) * static_cast<unsigned>(p.tiles_n), 1, static_cast<unsigned>(count));
  if constexpr (DeviceCode::has_vectors && std::is_same_v<Operands, StridedOperands>) {
    if (words_fit(desc)) {
      return with_fetch<Engine::registers, true>(desc, [&](auto a, auto b) {
        auto *kernel = DeviceCode::template vector_kernel<kType, decltype(a)::value, decltype(b)::value, Operands>();
        return launch_kernel(kernel, grid, dim3(Config::threads), 0, launch, error, operands, p);
      });
    }
  }
  if constexpr (DeviceCode::has_elements) {
    return launch_kernel(DeviceCode::template kernel<kType, Operands>(), grid, dim3(Config::threads), 0, launch, error,
                         operands, p);
  } else {
    return LIBSGEMM_UNAVAILABLE;  // widened_supports() excludes it
  }
}

template <class DeviceCode>
libsgemm_status_t launch_widened(const GemmDesc &desc, const Launch &launch, Error *error) {
  return for_chunks(desc, launch, kMostProducts, [&](const auto &operands, int64_t count) {
    return desc.type == Type::f16 ? enqueue_widened<DeviceCode, Type::f16>(desc, operands, count, launch, error)
                                  : enqueue_widened<DeviceCode, Type::bf16>(desc, operands, count, launch, error);
  });
}

// Offsets of unit_tile.h have 32 bits, those of WidenedStream 64.
template <class DeviceCode>
bool widened_offsets_fit(const GemmDesc &desc) {
  using Config = typename DeviceCode::Config;
  return !DeviceCode::has_vectors ||
         (offsets_fit(desc.lda, desc.transa != LIBSGEMM_NO_TRANS, Config::tile_m, Config::tile_k) &&
          offsets_fit(desc.ldb, desc.transb == LIBSGEMM_NO_TRANS, Config::tile_n, Config::tile_k));
}

template <class DeviceCode>
bool widened_supports(const GemmDesc &desc, int index) {
  using Config = typename DeviceCode::Config;
  if (desc.routine != Routine::gemm || desc.type == Type::f32 || !DeviceCode::runs_on(index)) return false;
  if (!widened_offsets_fit<DeviceCode>(desc) || (!DeviceCode::has_elements && !words_fit(desc))) return false;
  const double tiles =
      tile_count(static_cast<double>(desc.m), static_cast<double>(desc.n), DeviceCode::tiling(desc, index));
  return tiles < INT_MAX / 16 && tiles <= static_cast<double>(most_blocks(Config::threads)) &&
         desc.k / Config::tile_k < INT_MAX - 1;
}

template <class DeviceCode>
Kernel widened_kernel(const char *name) {
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, prepare_fixed<widened_supports<DeviceCode>, tiles_cost<DeviceCode>>,
                   launch_widened<DeviceCode>};
  kernel.invariant = DeviceCode::chains;
  return kernel;
}

// For gpu/level3/triangle_kernel.h.
template <class WidenedCode, Type kType>
struct WidenedTriangleCode {
  struct DeviceCode : WidenedCode {
    static constexpr Engine engine = WidenedCode::has_vectors ? Engine::registers : Engine::scalar;
    static bool vectors(const GemmDesc &desc) { return words_fit(desc); }
  };
  template <Fetch Kind, Fetch>
  static auto kernel() {
    return WidenedCode::template triangle_kernel<kType, Kind>();
  }
};
template <class DeviceCode, Type kType>
using WidenedTriangle = TriangleTiles<WidenedTriangleCode<DeviceCode, kType>, kType, DeviceCode::has_elements>;

template <class DeviceCode>
bool widened_triangle_supports(const GemmDesc &desc, int index) {
  return (WidenedTriangle<DeviceCode, Type::f16>::supports(desc, index) ||
          WidenedTriangle<DeviceCode, Type::bf16>::supports(desc, index)) &&
         widened_offsets_fit<DeviceCode>(level3::as_product(desc));
}

template <class DeviceCode>
libsgemm_status_t launch_widened_triangle(const GemmDesc &desc, const Launch &launch, Error *error) {
  return desc.type == Type::f16 ? WidenedTriangle<DeviceCode, Type::f16>::launch(desc, launch, error)
                                : WidenedTriangle<DeviceCode, Type::bf16>::launch(desc, launch, error);
}

template <class DeviceCode>
Kernel widened_triangle_kernel(const char *name) {
  Kernel kernel = {name, LIBSGEMM_MATH_FP32,
                   prepare_fixed<widened_triangle_supports<DeviceCode>, WidenedTriangle<DeviceCode, Type::f16>::cost>,
                   launch_widened_triangle<DeviceCode>};
  kernel.invariant = DeviceCode::chains;
  return kernel;
}

}  // namespace libsgemm::hip
