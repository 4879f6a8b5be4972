// Products with promised FP64 sums (contract/finish.h) by the vector units of any GPU: every routine but trsm, and
// 16-bit inputs. Kernels on NVIDIA's FP64 tensor cores have the same order and are faster.
//
//   tile of C: 64 x 64            thread (x, y) of 16 x 16: rows x, x + 16, ..., columns y, y + 16, ...
//   k-tile: 16, as doubles in shared memory; the next one is loaded into registers meanwhile
#pragma once

#include "contract/finish.h"
#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "gpu/level3/stager.h"
#include "gpu/level3/trmm_copy.h"
#include "gpu/tiles/tile_kernel.h"

namespace libsgemm::gpu {

struct ChainTile {
  static constexpr int extent = 64, depth = 16, threads = 256, pitch = extent + 1;
  static constexpr int each = 4;  // rows and columns of a thread, and elements of an operand that it loads
};

// A thread's share of an operand's k-tile. Elements outside the matrix become zeros.
template <level3::Structure kStructure, Type kType>
struct ChainOperand {
  float staged[ChainTile::each];

  // Neighbouring threads load neighbours in memory.
  template <class Visit>
  __device__ __forceinline__ static void for_places(bool contiguous_outer, const Visit &visit) {
    const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int e = 0; e < ChainTile::each; ++e) {
      const int outer = contiguous_outer ? thread % ChainTile::extent : thread / ChainTile::depth + 16 * e;
      const int depth = contiguous_outer ? thread / ChainTile::extent + 4 * e : thread % ChainTile::depth;
      visit(e, outer, depth);
    }
  }

  __device__ __forceinline__ void load(const void *data, level3::Walk walk, const level3::StructuredProblem &p,
                                       int64_t first_outer, int64_t first_depth, int64_t outers) {
    for_places(walk.outer == 1, [&](int e, int in_tile, int in_depth) {
      const int64_t outer = first_outer + in_tile, depth = first_depth + in_depth;
      const bool stored = p.upper ? outer <= depth : outer >= depth;
      const bool mirrored = kStructure == level3::Structure::symmetric && !stored;
      const bool zero = kStructure == level3::Structure::triangular && !stored;
      if (outer >= outers || depth >= p.k || zero) {
        staged[e] = 0.0f;
      } else if (kStructure == level3::Structure::triangular && p.unit && outer == depth) {
        staged[e] = 1.0f;
      } else {
        staged[e] = level3::load_element<kType>(
            data, mirrored ? depth * walk.outer + outer * walk.depth : outer * walk.outer + depth * walk.depth);
      }
    });
  }
  __device__ __forceinline__ void store(double (*shared)[ChainTile::pitch], bool contiguous_outer) const {
    for_places(contiguous_outer,
               [&](int e, int outer, int depth) { shared[depth][outer] = static_cast<double>(staged[e]); });
  }
};

template <level3::Structure kStructure, Type kType, typename Operands>
__device__ __forceinline__ void sum_chains(const Operands &operands, const level3::StructuredProblem &p, int tiles_m) {
  constexpr int kExtent = ChainTile::extent, kDepth = ChainTile::depth, kEach = ChainTile::each;
  constexpr bool kTriangular = kStructure == level3::Structure::triangular;
  static_assert(kChainTerms % kDepth == 0, "chains end with a k-tile");
  __shared__ double tile_a[kDepth][ChainTile::pitch], tile_b[kDepth][ChainTile::pitch];

  const int64_t first_row = static_cast<int64_t>(blockIdx.x % tiles_m) * kExtent;
  const int64_t first_column = static_cast<int64_t>(blockIdx.x / tiles_m) * kExtent;
  if (p.part == Stored::lower && first_row + kExtent <= first_column) return;
  if (p.part == Stored::upper && first_column + kExtent <= first_row) return;
  const int x = static_cast<int>(threadIdx.x) % 16, y = static_cast<int>(threadIdx.x) / 16;
  const void *a = operands.a(blockIdx.z), *b = operands.b(blockIdx.z);

  const int64_t first = kTriangular && p.upper ? first_row : 0;
  const int64_t last = kTriangular && !p.upper && first_row + kExtent < p.k ? first_row + kExtent : p.k;
  const int64_t steps = (last - first + kDepth - 1) / kDepth, all_steps = steps * p.terms;
  ChainOperand<kStructure, kType> next_a;
  ChainOperand<level3::Structure::general, kType> next_b;
  // The second product, B^T A^T, exchanges the operands.
  const auto load = [&](int64_t step) {
    const bool second = step >= steps;
    const int64_t depth = first + (second ? step - steps : step) * kDepth;
    next_a.load(second ? b : a, second ? p.b : p.a, p, first_row, depth, p.m);
    next_b.load(second ? a : b, second ? p.a : p.b, p, first_column, depth, p.n);
  };

  double total[kEach][kEach] = {}, sum[kEach][kEach] = {};
  const auto end_chain = [&] {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        total[i][j] += sum[i][j];
        sum[i][j] = 0.0;
      }
    }
  };
  load(0);
  for (int64_t step = 0; step < all_steps; ++step) {
    const bool second = step >= steps;
    const int64_t depth = first + (second ? step - steps : step) * kDepth;
    if (depth % kChainTerms == 0) end_chain();
    __syncthreads();
    next_a.store(tile_a, (second ? p.b : p.a).outer == 1);
    next_b.store(tile_b, (second ? p.a : p.b).outer == 1);
    __syncthreads();
    if (step + 1 < all_steps) load(step + 1);
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      double row[kEach], column[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) row[i] = tile_a[k][x + 16 * i];
#pragma unroll
      for (int j = 0; j < kEach; ++j) column[j] = tile_b[k][y + 16 * j];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        if (kTriangular) {  // 0 * Inf would be NaN
          const int64_t from_diagonal = depth + k - (first_row + x + 16 * i);
          if (p.upper ? from_diagonal < 0 : from_diagonal > 0) continue;
        }
#pragma unroll
        for (int j = 0; j < kEach; ++j) sum[i][j] = fma(row[i], column[j], sum[i][j]);
      }
    }
  }
  end_chain();

  Global<float> *c = global(operands.c(blockIdx.z));
#pragma unroll
  for (int j = 0; j < kEach; ++j) {
    const int64_t column = first_column + y + 16 * j;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int64_t row = first_row + x + 16 * i;
      const bool outside = (p.part == Stored::upper && row > column) || (p.part == Stored::lower && row < column);
      if (row >= p.m || column >= p.n || outside) continue;
      Global<float> *to = c + row * p.c_row + column * p.c_col;
      *to = p.beta == 0.0f ? finished(p.alpha, total[i][j]) : finished(p.alpha, total[i][j], p.beta, *to);
    }
  }
}

// Code: kernel<structure, type, Operands>(), a function pointer, and fraction(device): the share of the FP32 peak.
template <class Code>
struct ChainKernel {
  static bool supports(const GemmDesc &desc, int) {
    const bool pointers = desc.batch == Batch::pointers;
    if (desc.routine == Routine::trsm || (pointers && desc.routine != Routine::gemm)) return false;
    if (desc.type != Type::f32 && !invariant(desc)) return false;  // math modes are for FP32 inputs
    if (desc.routine == Routine::trmm && !level3::copy_fits(desc)) return false;
    const level3::StructuredProblem p = level3::structured_problem(with_operands(desc, nullptr));
    const double tiles = static_cast<double>(ceil_div(p.m, int64_t{ChainTile::extent})) *
                         static_cast<double>(ceil_div(p.n, int64_t{ChainTile::extent}));
    return tiles < INT32_MAX / 16 && tiles <= static_cast<double>(most_blocks(ChainTile::threads));
  }

  static double cost(const GemmDesc &desc, int index) {
    const Tiling tiling = {ChainTile::extent, ChainTile::extent, ChainTile::threads, 2, {Code::fraction(index)}};
    const double seconds = level3::tiles_seconds(with_operands(desc, nullptr), model(index), tiling);
    return seconds + (desc.routine == Routine::trmm ? level3::copy_seconds(desc, index) : 0) +
           (desc.math_mode == LIBSGEMM_MATH_FP64 ? 0 : kForcedOnly);
  }

  static size_t workspace(const GemmDesc &desc, int index) {
    return desc.routine == Routine::trmm ? level3::copy_bytes(desc, index) : 0;
  }

  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    if (desc.routine == Routine::trmm) {
      const libsgemm_status_t status = level3::launch_copy(desc, launch, error);
      if (status != LIBSGEMM_SUCCESS) return status;
    }
    const GemmDesc d = with_operands(desc, launch.workspace);
    const level3::StructuredProblem p = level3::structured_problem(d);
    const auto tiles_m = static_cast<unsigned>(ceil_div(p.m, int64_t{ChainTile::extent}));
    const auto tiles_n = static_cast<unsigned>(ceil_div(p.n, int64_t{ChainTile::extent}));
    return for_chunks(d, launch, kMostProducts, [&](const auto &operands, int64_t count) {
      return launch_kernel(kernel_for<std::decay_t<decltype(operands)>>(d),
                           dim3(tiles_m * tiles_n, 1, static_cast<unsigned>(count)), dim3(ChainTile::threads), 0,
                           launch, error, operands, p, static_cast<int>(tiles_m));
    });
  }

 private:
  static GemmDesc with_operands(const GemmDesc &desc, const void *copy) {
    return desc.routine == Routine::trmm ? level3::with_copy(desc, copy) : level3::with_b(desc);
  }

  template <typename Operands>
  static auto kernel_for(const GemmDesc &desc) {
    using level3::Structure;
    if constexpr (std::is_same_v<Operands, StridedOperands>) {
      if (desc.routine == Routine::symm) return Code::template kernel<Structure::symmetric, Type::f32, Operands>();
      if (desc.routine == Routine::trmm) return Code::template kernel<Structure::triangular, Type::f32, Operands>();
    }
    if (desc.type == Type::f16) return Code::template kernel<Structure::general, Type::f16, Operands>();
    if (desc.type == Type::bf16) return Code::template kernel<Structure::general, Type::bf16, Operands>();
    return Code::template kernel<Structure::general, Type::f32, Operands>();
  }
};

template <class Code>
Kernel chain_sums_kernel(const char *name) {
  using Chains = ChainKernel<Code>;
  Kernel kernel = {name, LIBSGEMM_MATH_FP64, prepare_fixed<Chains::supports, Chains::cost, Chains::workspace>,
                   Chains::launch};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::gpu
