// Tile loop of level 3 (docs/kernels/level3.md).
//
// Source: Volkov and Demmel, "Benchmarking GPUs to tune dense linear algebra", SC 2008 (outer products from shared
// memory); Nath, Tomov and Dongarra, "An improved MAGMA GEMM for Fermi GPUs", IJHPCA 2010 (double buffering).
//
// Thread (x, y) has 4 rows from 4 x and 4 from kM / 2 + 4 x on, 4 columns from 4 y and 4 from kN / 2 + 4 y on. Two
// buffers hold a[kK][kM + 4] and b[kK][kN + 4]; the padding keeps quads aligned and spreads transposed stores over
// banks. Each element of C is summed over increasing k.
#pragma once

#include "contract/finish.h"
#include "gpu/kernels.h"
#include "gpu/level3/stager.h"
#include "resident.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda::level3 {

using namespace gpu::level3;

template <int M, int N, int K, int RESIDENT>
struct TileConfig {
  static constexpr int kM = M, kN = N, kK = K;        // tile of C; depth of the shared tiles
  static constexpr int kThreads = (M / 8) * (N / 8);  // each has 8 x 8 elements of C
  static constexpr int kResident = RESIDENT;          // blocks per multiprocessor, which bounds the registers
};

// Fetches a tile of A. If the diagonal does not cross it, it is plain, or, if A is symmetric and the other side is
// stored, a mirror image.
template <Structure STRUCTURE, typename Stage>
__device__ __forceinline__ void fetch_a(Stage *stage, const void *data, const StructuredProblem &p, int64_t first_outer,
                                        int outers, int64_t first_depth, int depths) {
  if (STRUCTURE == Structure::general) {
    stage->fetch(data, p.a, first_outer, first_depth, p.m, p.k);
    return;
  }
  const bool above = first_outer + outers <= first_depth, below = first_depth + depths <= first_outer;
  if (!above && !below) {
    stage->template fetch_diagonal<STRUCTURE>(data, p.a, first_outer, first_depth, p.k, p.upper, p.unit);
  } else {
    const bool mirrored = STRUCTURE == Structure::symmetric && above != p.upper;
    const Walk walk = mirrored ? Walk{p.a.depth, p.a.outer} : p.a;
    stage->fetch(data, walk, first_outer, first_depth, p.m, p.k);
  }
}

struct TilePosition {
  int64_t row, col;
};

// Groups of eight columns share rows of A and columns of B in L2. A lower triangle is counted row by row, an upper one
// as its transpose.
template <typename Config>
__device__ __forceinline__ TilePosition tile_position(const StructuredProblem &p, int64_t index) {
  if (p.part == Stored::all) {
    constexpr int64_t kGroup = 8;
    const int64_t rows = (p.m + Config::kM - 1) / Config::kM, cols = (p.n + Config::kN - 1) / Config::kN;
    const int64_t first = index / (kGroup * rows) * kGroup, within = index % (kGroup * rows);
    const int64_t width = cols - first < kGroup ? cols - first : kGroup;
    return {within / width, first + within % width};
  }
  static_assert(Config::kM == Config::kN, "a triangle of square tiles");
  int64_t row = static_cast<int64_t>((sqrtf(8.0f * static_cast<float>(index) + 1.0f) - 1.0f) * 0.5f);
  while (row * (row + 1) / 2 > index) --row;
  while ((row + 1) * (row + 2) / 2 <= index) ++row;
  const int64_t col = index - row * (row + 1) / 2;
  return p.part == Stored::lower ? TilePosition{row, col} : TilePosition{col, row};
}

// `MASKED`: the diagonal crosses a triangular A; terms outside are left out, since 0 * Inf would be NaN. `diagonal`:
// the k, in the tile, of row 0's diagonal element.
template <typename Config, bool MASKED>
__device__ __forceinline__ void multiply(const float *a, const float *b, int x, int y, float (&sum)[8][8], int diagonal,
                                         bool upper) {
#pragma unroll
  for (int step = 0; step < Config::kK; ++step) {
    const float4 *a_quads = reinterpret_cast<const float4 *>(a + step * (Config::kM + 4));
    const float4 *b_quads = reinterpret_cast<const float4 *>(b + step * (Config::kN + 4));
    const float4 a0 = a_quads[x], a1 = a_quads[x + Config::kM / 8];
    const float4 b0 = b_quads[y], b1 = b_quads[y + Config::kN / 8];
    const float rows[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    const float cols[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (MASKED) {
        const int from_diagonal = step - diagonal - (4 * x + i % 4 + i / 4 * (Config::kM / 2));
        if (upper ? from_diagonal < 0 : from_diagonal > 0) continue;
      }
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const int at = i % 2 == 0 ? j : 7 - j;  // consecutive FMAs share an operand
        sum[i][at] = fmaf(rows[i], cols[at], sum[i][at]);
      }
    }
  }
}

// The range of k that a tile needs; it starts at a multiple of kK.
template <typename Config, Structure STRUCTURE>
__device__ __forceinline__ void depth_range(const StructuredProblem &p, int64_t first_row, int64_t *first,
                                            int64_t *last) {
  *first = 0;
  *last = p.k;
  if (STRUCTURE == Structure::triangular) {
    if (p.upper) {
      *first = first_row;
    } else if (first_row + Config::kM < p.k) {
      *last = first_row + Config::kM;
    }
  }
}

template <typename Config>
__device__ __forceinline__ void write_tile(const StructuredProblem &p, float *c, int64_t first_row, int64_t first_col,
                                           int x, int y, const float (&sum)[8][8]) {
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int64_t col = first_col + 4 * y + j % 4 + j / 4 * (Config::kN / 2);
    if (col >= p.n) continue;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int64_t row = first_row + 4 * x + i % 4 + i / 4 * (Config::kM / 2);
      const bool outside = (p.part == Stored::upper && row > col) || (p.part == Stored::lower && row < col);
      if (row >= p.m || outside) continue;
      float *at = c + row * p.c_row + col * p.c_col;
      const float scaled_sum = scaled(p.alpha, sum[i][j]);
      *at = p.beta == 0.0f ? scaled_sum : accumulated(scaled_sum, p.beta, *at);
    }
  }
}

template <typename Config, Structure STRUCTURE, Type TYPE, typename Operands>
__device__ __forceinline__ void compute_tile(const Operands &operands, const StructuredProblem &p, unsigned tiles) {
  using StageA = Stager<Config::kM, Config::kK, Config::kThreads, TYPE>;
  using StageB = Stager<Config::kN, Config::kK, Config::kThreads, TYPE>;
  __shared__ __align__(16) float shared_a[2][Config::kK * StageA::kStride];
  __shared__ __align__(16) float shared_b[2][Config::kK * StageB::kStride];

  const int64_t item = blockIdx.x / tiles;
  TilePosition position = tile_position<Config>(p, blockIdx.x % tiles);
  // The longest rows come first.
  if (STRUCTURE == Structure::triangular && !p.upper)
    position.row = (p.m + Config::kM - 1) / Config::kM - 1 - position.row;
  const int64_t first_row = position.row * Config::kM, first_col = position.col * Config::kN;
  const int x = static_cast<int>(threadIdx.x) % (Config::kM / 8), y = static_cast<int>(threadIdx.x) / (Config::kM / 8);
  const void *a = operands.a(item), *b = operands.b(item);

  int64_t first, last;
  depth_range<Config, STRUCTURE>(p, first_row, &first, &last);
  const int64_t steps = (last - first + Config::kK - 1) / Config::kK, all_steps = steps * p.terms;
  StageA stage_a;
  StageB stage_b;
  // The second term, B^T A^T, exchanges the operands.
  const auto fetch = [&](int64_t step) {
    const bool second = step >= steps;
    const int64_t depth = first + (second ? step - steps : step) * Config::kK;
    if (STRUCTURE == Structure::general) {
      stage_a.fetch(second ? b : a, second ? p.b : p.a, first_row, depth, p.m, p.k);
    } else {
      fetch_a<STRUCTURE>(&stage_a, a, p, first_row, Config::kM, depth, Config::kK);
    }
    stage_b.fetch(second ? a : b, second ? p.a : p.b, first_col, depth, p.n, p.k);
  };

  float sum[8][8] = {};
  fetch(0);
  stage_a.store(shared_a[0]);
  stage_b.store(shared_b[0]);
  __syncthreads();
  for (int64_t step = 0; step < all_steps; ++step) {
    const int now = static_cast<int>(step & 1);
    const bool more = step + 1 < all_steps;
    if (more) fetch(step + 1);
    const int64_t depth = first + step * Config::kK;
    const bool crossing =
        STRUCTURE == Structure::triangular && depth < first_row + Config::kM && first_row < depth + Config::kK;
    if (crossing) {
      multiply<Config, true>(shared_a[now], shared_b[now], x, y, sum, static_cast<int>(first_row - depth), p.upper);
    } else {
      multiply<Config, false>(shared_a[now], shared_b[now], x, y, sum, 0, false);
    }
    if (more) {
      stage_a.store(shared_a[1 - now]);
      stage_b.store(shared_b[1 - now]);
    }
    __syncthreads();
  }
  write_tile<Config>(p, operands.c(item), first_row, first_col, x, y, sum);
}

// Requires: no arrays of pointers in host memory.
template <typename Config>
libsgemm_status_t launch_tiles(const GemmDesc &desc, const Launch &launch, Error *error,
                               void (*kernel)(StridedOperands, StructuredProblem, unsigned)) {
  const GemmDesc d = with_b(desc);
  const StructuredProblem problem = structured_problem(d);
  const int64_t tiles = tile_count(problem, Config::kM, Config::kN);
  return for_strided_chunks(d, INT32_MAX / tiles, [&](const StridedOperands &operands, int64_t count) {
    return launch_kernel(kernel, dim3(static_cast<unsigned>(tiles * count)), dim3(Config::kThreads), 0, launch, error,
                         operands, problem, static_cast<unsigned>(tiles));
  });
}

}  // namespace libsgemm::cuda::level3
