// Host side of gemm and syrk of FP16 or bfloat16 matrices with FP32 accumulators and FP32 C. A kernel's file defines a
// Row:
//
//   struct Row {
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

#include "gpu/level3/triangle_row.h"
#include "gpu/tiles/tile_row.h"
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

template <class Row, Type kType, typename Operands>
libsgemm_status_t enqueue_widened(const GemmDesc &desc, const Operands &operands, int64_t count, const Launch &launch,
                                  Error *error) {
  using Config = typename Row::Config;
  WidenedProblem p = {};
  static_cast<TileProblem &>(p) = tile_problem<Config>(desc);
  p.a_along_k = desc.transa != LIBSGEMM_NO_TRANS;
  p.b_along_k = desc.transb == LIBSGEMM_NO_TRANS;
  const dim3 grid(static_cast<unsigned>(p.tiles_m) * static_cast<unsigned>(p.tiles_n), 1, static_cast<unsigned>(count));
  if constexpr (Row::has_vectors && std::is_same_v<Operands, StridedOperands>) {
    if (words_fit(desc)) {
      return with_fetch<Engine::registers, true>(desc, [&](auto a, auto b) {
        auto *kernel = Row::template vector_kernel<kType, decltype(a)::value, decltype(b)::value, Operands>();
        return launch_kernel(kernel, grid, dim3(Config::threads), 0, launch, error, operands, p);
      });
    }
  }
  if constexpr (Row::has_elements) {
    return launch_kernel(Row::template kernel<kType, Operands>(), grid, dim3(Config::threads), 0, launch, error,
                         operands, p);
  } else {
    return LIBSGEMM_UNAVAILABLE;  // widened_supports() excludes it
  }
}

template <class Row>
libsgemm_status_t launch_widened(const GemmDesc &desc, const Launch &launch, Error *error) {
  return for_chunks(desc, launch, kMostProducts, [&](const auto &operands, int64_t count) {
    return desc.type == Type::f16 ? enqueue_widened<Row, Type::f16>(desc, operands, count, launch, error)
                                  : enqueue_widened<Row, Type::bf16>(desc, operands, count, launch, error);
  });
}

// Offsets of unit_tile.h have 32 bits, those of WidenedStream 64.
template <class Row>
bool widened_offsets_fit(const GemmDesc &desc) {
  using Config = typename Row::Config;
  return !Row::has_vectors ||
         (offsets_fit(desc.lda, desc.transa != LIBSGEMM_NO_TRANS, Config::tile_m, Config::tile_k) &&
          offsets_fit(desc.ldb, desc.transb == LIBSGEMM_NO_TRANS, Config::tile_n, Config::tile_k));
}

template <class Row>
bool widened_supports(const GemmDesc &desc, int index) {
  using Config = typename Row::Config;
  if (desc.routine != Routine::gemm || desc.type == Type::f32 || !Row::runs_on(index)) return false;
  if (!widened_offsets_fit<Row>(desc) || (!Row::has_elements && !words_fit(desc))) return false;
  const double tiles = tile_count(static_cast<double>(desc.m), static_cast<double>(desc.n), Row::tiling(desc, index));
  return tiles < INT_MAX / 16 && tiles <= static_cast<double>(most_blocks(Config::threads)) &&
         desc.k / Config::tile_k < INT_MAX - 1;
}

template <class Row>
Kernel widened_kernel(const char *name) {
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, prepare_one<widened_supports<Row>, tiles_cost<Row>>, launch_widened<Row>};
  kernel.invariant = Row::chains;
  return kernel;
}

// For gpu/level3/triangle_row.h.
template <class WidenedRow, Type kType>
struct WidenedTriangleRow {
  struct Row : WidenedRow {
    static constexpr Engine engine = WidenedRow::has_vectors ? Engine::registers : Engine::scalar;
    static bool vectors(const GemmDesc &desc) { return words_fit(desc); }
  };
  template <Fetch Kind, Fetch>
  static auto kernel() {
    return WidenedRow::template triangle_kernel<kType, Kind>();
  }
};
template <class Row, Type kType>
using WidenedTriangle = TriangleTiles<WidenedTriangleRow<Row, kType>, kType, Row::has_elements>;

template <class Row>
bool widened_triangle_supports(const GemmDesc &desc, int index) {
  return (WidenedTriangle<Row, Type::f16>::supports(desc, index) ||
          WidenedTriangle<Row, Type::bf16>::supports(desc, index)) &&
         widened_offsets_fit<Row>(level3::as_product(desc));
}

template <class Row>
libsgemm_status_t launch_widened_triangle(const GemmDesc &desc, const Launch &launch, Error *error) {
  return desc.type == Type::f16 ? WidenedTriangle<Row, Type::f16>::launch(desc, launch, error)
                                : WidenedTriangle<Row, Type::bf16>::launch(desc, launch, error);
}

template <class Row>
Kernel widened_triangle_kernel(const char *name) {
  Kernel kernel = {name, LIBSGEMM_MATH_FP32,
                   prepare_one<widened_triangle_supports<Row>, WidenedTriangle<Row, Type::f16>::cost>,
                   launch_widened_triangle<Row>};
  kernel.invariant = Row::chains;
  return kernel;
}

}  // namespace libsgemm::hip
