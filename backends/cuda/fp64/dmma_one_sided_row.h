// The host's side of dmma_one_sided.cuh: what the rows of symm and trmm have in common.
#pragma once

#include <algorithm>

#include "dmma_one_sided.h"
#include "dmma_row.h"
#include "level3/level3.h"
#include "level3/trmm_copy.h"

namespace libsgemm::cuda {

// The gemm that a symm, or a trmm with a copy as B, would be with all of A.
inline GemmDesc as_gemm(const GemmDesc &desc) {
  GemmDesc d = desc;
  const bool left = desc.side == LIBSGEMM_LEFT, outer = level3::tile_problem(desc).a.outer == 1;
  d.routine = Routine::gemm;
  d.transa = left && !outer ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  d.transb = !left && outer ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  if (!left) {
    std::swap(d.a, d.b);
    std::swap(d.lda, d.ldb);
    std::swap(d.stride_a, d.stride_b);
  }
  return d;
}

// Of a row of dmma_row.h, which computes tiles of the same Config: OneSidedRow has kernel<left, A, B>() as well, and
// says for which routine it is.
template <class OneSidedRow>
struct DmmaOneSided {
  using Row = typename OneSidedRow::Row;
  using Config = typename Row::Config;
  static constexpr bool triangular = OneSidedRow::routine == Routine::trmm;

  static bool supports(const GemmDesc &desc, int index) {
    if (desc.routine != OneSidedRow::routine || desc.batch == Batch::pointers || !Row::runs_on(index)) return false;
    if (triangular && !level3::copy_fits(desc)) return false;
    return tiles(desc) < INT_MAX / 16 && desc.k / Config::tile_k < INT_MAX - 1 && desc.k < INT_MAX;
  }

  static double cost(const GemmDesc &desc, int index) {
    const double tile = Config::tile_m, k = static_cast<double>(desc.k), batch = static_cast<double>(desc.batch_count);
    const GemmDesc gemm = as_gemm(triangular ? level3::with_copy(desc, nullptr) : desc);
    const double depth = triangular ? std::min(k, 0.5 * (k + tile)) : k;
    const double seconds = tiles_seconds(model(index), Row::tiling(gemm, index), tiles(desc) * batch, depth);
    const double product = kLaunchSeconds + overlapped(seconds, memory_seconds(model(index), gemm_bytes(gemm)));
    return product + (triangular ? level3::copy_seconds(desc, index) : 0);
  }

  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    if constexpr (!triangular) return enqueue(desc, launch, error);
    const libsgemm_status_t status = level3::launch_copy(desc, launch, error);
    return status == LIBSGEMM_SUCCESS ? enqueue(level3::with_copy(desc, launch.workspace), launch, error) : status;
  }

 private:
  static double tiles(const GemmDesc &desc) {
    return static_cast<double>(ceil_div(desc.m, Config::tile_m)) *
           static_cast<double>(ceil_div(desc.n, Config::tile_n));
  }

  static libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
    const GemmDesc gemm = as_gemm(desc);
    const level3::TileProblem structure = level3::tile_problem(desc);
    const OneSidedProblem p = {tile_problem<Config>(gemm), structure.upper, structure.unit};
    const unsigned blocks = static_cast<unsigned>(p.product.tiles_m) * static_cast<unsigned>(p.product.tiles_n);
    const bool vectors = Row::vectors(gemm);
    // The operands of `desc`: A is the one with the structure on either side.
    return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t count) {
      const dim3 grid(blocks, 1, static_cast<unsigned>(count));
      const auto run = [&](auto left, auto a, auto b) {
        constexpr bool kLeft = decltype(left)::value;
        constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
        // The other matrix is not transposed.
        constexpr Fetch kOther = kLeft ? kB : kA;
        if constexpr (kLeft == (kOther == Fetch::inner || kOther == Fetch::inner_x4)) {
          return launch_kernel(OneSidedRow::template kernel<kLeft, kA, kB>(), grid, dim3(Config::threads),
                               Row::template shared_bytes<kA, kB>(), launch, error, operands, p);
        } else {
          return LIBSGEMM_EXECUTION_FAILED;
        }
      };
      const auto on_side = [&](auto left) {
        const auto fetch = [&](auto a, auto b) { return run(left, a, b); };
        return vectors ? with_fetch<Row::engine, true>(gemm, fetch) : with_fetch<Row::engine, false>(gemm, fetch);
      };
      return desc.side == LIBSGEMM_LEFT ? on_side(std::true_type()) : on_side(std::false_type());
    });
  }
};

template <class OneSidedRow>
Kernel dmma_one_sided_kernel(const char *name) {
  using OneSided = DmmaOneSided<OneSidedRow>;
  return {name,
          LIBSGEMM_MATH_FP64,
          OneSided::supports,
          OneSided::cost,
          OneSided::triangular ? level3::copy_bytes : nullptr,
          OneSided::launch};
}

}  // namespace libsgemm::cuda

// Defines the row `NAME` of the file's Config, for ROUTINE, symm or trmm, whose A is STORED so: its kernel and
// `Kernel NAME()`.
#define LIBSGEMM_DMMA_ONE_SIDED_ROW(NAME, ROUTINE, STORED)                                                \
  template <bool kLeft, Fetch KindA, Fetch KindB>                                                         \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                                      \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ OneSidedProblem p) { \
    if constexpr (Config::Instruction::exists) {                                                          \
      dmma_one_sided<HalfStored::STORED, Config, kLeft, KindA, KindB>(operands, p);                       \
    }                                                                                                     \
  }                                                                                                       \
  namespace {                                                                                             \
  struct NAME##_row {                                                                                     \
    using Row = ::libsgemm::cuda::Row;                                                                    \
    static constexpr Routine routine = Routine::ROUTINE;                                                  \
    template <bool kLeft, Fetch KindA, Fetch KindB>                                                       \
    static auto kernel() {                                                                                \
      return &NAME<kLeft, KindA, KindB>;                                                                  \
    }                                                                                                     \
  };                                                                                                      \
  }                                                                                                       \
  Kernel NAME() { return dmma_one_sided_kernel<NAME##_row>(#NAME); }
