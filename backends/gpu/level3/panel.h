// The panel loop of trmm and trsm: T X in place, or T^-1 X, with T triangular of order n. A block has kCols columns of
// X to itself. X from the right is the transposed problem, by strides. Why: docs/kernels/level3.md.
//
// Source: blocked substitution, Golub and Van Loan, Matrix Computations, 4th ed., section 3.1.
//
//          n                 kCols
//   +-------------+         +-----+    for each tile of X, kRows x kCols:
//   | \           |         |     |      sum = T outside its diagonal block * the rows of X that belong to it;
//   |   \         |         |     |            for trmm also the diagonal block, where it is not zero
//   |=======\     |  kRows  |#####|      trmm: X = alpha * sum
//   |         \   |         |     |      trsm: X = alpha * X - sum, then substitution with the diagonal block:
//   |           \ |         |     |            half of the rows; subtract their product from the other half; solve that
//   +-------------+         +-----+
//
// Thread (x, y) of 16 x 8 has 4 x 4 sums. In a substitution each of 32 threads has a column of X in registers and
// divides by the diagonal, as the reference does. Shared memory, 26 KiB, holds two tiles of T and X, or trsm's diagonal
// block and solution.
#pragma once

#include "contract/finish.h"
#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "stager.h"

namespace libsgemm::gpu::level3 {

struct PanelConfig {
  static constexpr int kRows = 64, kCols = 32, kDepth = 32, kThreads = 128;
  static constexpr int kHalf = kRows / 2;  // rows that a substitution keeps in registers
  static constexpr int kResident = 3;
  static constexpr int kSolutionStride = kCols + 1;                                   // avoids bank conflicts
  static constexpr int kTileT = kDepth * (kRows + 4), kTileX = kDepth * (kCols + 4);  // floats of a shared tile
};

// docs/kernels/level3.md says why.
#if defined(__HIP__)
constexpr int kUnrolledSteps = 4;
#else
constexpr int kUnrolledSteps = PanelConfig::kDepth;
#endif

// MASKED: skips steps outside the triangle, since 0 * Inf would be NaN.
template <bool MASKED>
__device__ __forceinline__ void multiply_panel(const float *t, const float *x, int row, int col, float (&sum)[4][4],
                                               int diagonal, bool upper) {
#pragma unroll kUnrolledSteps
  for (int step = 0; step < PanelConfig::kDepth; ++step) {
    const Vec4 a = *reinterpret_cast<const Vec4 *>(t + step * (PanelConfig::kRows + 4) + row);
    const Vec4 b = *reinterpret_cast<const Vec4 *>(x + step * (PanelConfig::kCols + 4) + col);
    const float rows[4] = {a.x, a.y, a.z, a.w}, cols[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (MASKED) {
        const int from_diagonal = step - diagonal - (row + i);
        if (upper ? from_diagonal < 0 : from_diagonal > 0) continue;
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[i][j] = fmaf(rows[i], cols[j], sum[i][j]);
    }
  }
}

// Rows [first_row, ...) of T times X, over steps [first, last) of its order.
template <bool TRIANGLE>
__device__ __forceinline__ void sum_panel(const StridedOperands &operands, const PanelProblem &problem, const void *t,
                                          const void *x, int64_t first_row, int64_t first_col, int64_t first,
                                          int64_t last, float *shared_t, float *shared_x, float (&sum)[4][4]) {
  using Config = PanelConfig;
  Stager<Config::kRows, Config::kDepth, Config::kThreads, Type::f32> stage_t;
  Stager<Config::kCols, Config::kDepth, Config::kThreads, Type::f32> stage_x;
  const int thread = pinned_thread(), row = thread % 16 * 4, col = thread / 16 * 4;
  const auto crosses = [&](int64_t depth) {
    return TRIANGLE && depth < first_row + Config::kRows && first_row < depth + Config::kDepth;
  };
  const auto fetch = [&](int64_t depth) {
    const PanelProblem &p = read_anew(operands, problem).second;
    if (crosses(depth)) {
      stage_t.template fetch_diagonal<Structure::triangular>(t, p.t, first_row, depth, p.order, p.upper, p.unit);
    } else {
      stage_t.fetch(t, p.t, first_row, depth, p.order, last);
    }
    stage_x.fetch(x, p.x, first_col, depth, p.count, last);
  };
  if (first >= last) return;
  fetch(first);
  stage_t.store(shared_t);
  stage_x.store(shared_x);
  __syncthreads();
  int now = 0;
  for (int64_t depth = first; depth < last; depth += Config::kDepth, now = 1 - now) {
    const bool more = depth + Config::kDepth < last;
    if (more) fetch(depth + Config::kDepth);
    if (crosses(depth)) {
      multiply_panel<true>(shared_t + now * Config::kTileT, shared_x + now * Config::kTileX, row, col, sum,
                           static_cast<int>(first_row - depth), problem.upper);
    } else {
      multiply_panel<false>(shared_t + now * Config::kTileT, shared_x + now * Config::kTileX, row, col, sum, 0, false);
    }
    if (more) {
      stage_t.store(shared_t + (1 - now) * Config::kTileT);
      stage_x.store(shared_x + (1 - now) * Config::kTileX);
    }
    __syncthreads();
  }
}

// Calls visit(row, col, element) for a tile of X inside the matrix; neighbouring threads have contiguous elements.
template <typename Visit>
__device__ __forceinline__ void for_tile(const PanelProblem &p, float *x, int64_t first_row, int64_t first_col,
                                         const Visit &visit) {
  using Config = PanelConfig;
  const int thread = pinned_thread();
  const bool along_rows = p.x.depth == 1;
#pragma unroll 4
  for (int e = 0; e < Config::kRows * Config::kCols / Config::kThreads; ++e) {
    const int index = thread + e * Config::kThreads;
    const int row = along_rows ? index % Config::kRows : index / Config::kCols;
    const int col = along_rows ? index / Config::kRows : index % Config::kCols;
    if (first_row + row >= p.order || first_col + col >= p.count) continue;
    visit(row, col, global(x) + (first_row + row) * p.x.depth + (first_col + col) * p.x.outer);
  }
}

// Place of a row of a diagonal block in the order of substitution; rows beyond `rows` come last.
__device__ __forceinline__ int turn(const PanelProblem &p, int row, int rows) {
  return p.upper && row < rows ? rows - 1 - row : row;
}

// Stores block[from][to] in the order of turn(); the identity outside of the triangle.
__device__ __forceinline__ void load_block(const PanelProblem &p, const void *t, int64_t first_row, int rows,
                                           float *block) {
  using Config = PanelConfig;
#pragma unroll 4
  for (int index = pinned_thread(); index < Config::kRows * Config::kRows; index += Config::kThreads) {
    const int i = p.t.outer == 1 ? index % Config::kRows : index / Config::kRows;
    const int l = p.t.outer == 1 ? index / Config::kRows : index % Config::kRows;
    const bool inside = i < rows && l < rows && (i == l ? !p.unit : (i < l) == p.upper);
    const float identity = i == l ? 1.0f : 0.0f;
    const int64_t at = (first_row + i) * p.t.outer + (first_row + l) * p.t.depth;
    block[turn(p, l, rows) * (Config::kRows + 4) + turn(p, i, rows)] =
        inside ? load_element<Type::f32>(t, at) : identity;
  }
}

// Solves kHalf rows in the order of turn(), from `first`, in one thread's registers.
__device__ __forceinline__ void substitute(const float *block, float *solution, int first, int col, bool unit) {
  using Config = PanelConfig;
  float x[Config::kHalf];
#pragma unroll
  for (int i = 0; i < Config::kHalf; ++i) x[i] = solution[(first + i) * Config::kSolutionStride + col];
#pragma unroll
  for (int i = 0; i < Config::kHalf; ++i) {
    const float *column = block + (first + i) * (Config::kRows + 4) + first;
    if (!unit) x[i] = x[i] / column[i];
    solution[(first + i) * Config::kSolutionStride + col] = x[i];
#pragma unroll
    for (int quad = 0; quad < Config::kHalf / 4; ++quad) {
      if (quad < i / 4) continue;
      const Vec4 t = reinterpret_cast<const Vec4 *>(column)[quad];
      const float factors[4] = {t.x, t.y, t.z, t.w};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        if (4 * quad + r > i) x[4 * quad + r] -= factors[r] * x[i];
        pin(x[4 * quad + r]);  // docs/kernels/level3.md says why
      }
    }
    keep_order();
  }
}

// Subtracts the product of the first half from the second one; each thread has 8 rows of one column.
__device__ __forceinline__ void eliminate(const float *block, float *solution) {
  using Config = PanelConfig;
  constexpr int kTurns = Config::kHalf * Config::kCols / Config::kThreads;
  static_assert(kTurns == 8, "two quads");
  const int col = static_cast<int>(threadIdx.x) % Config::kCols;
  const int first = Config::kHalf + static_cast<int>(threadIdx.x) / Config::kCols * kTurns;
  float x[kTurns];
#pragma unroll
  for (int r = 0; r < kTurns; ++r) x[r] = solution[(first + r) * Config::kSolutionStride + col];
#pragma unroll 8
  for (int i = 0; i < Config::kHalf; ++i) {
    const Vec4 *quads = reinterpret_cast<const Vec4 *>(block + i * (Config::kRows + 4) + first);
    const Vec4 low = quads[0], high = quads[1];
    const float factors[kTurns] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const float solved = solution[i * Config::kSolutionStride + col];
#pragma unroll
    for (int r = 0; r < kTurns; ++r) x[r] -= factors[r] * solved;
  }
#pragma unroll
  for (int r = 0; r < kTurns; ++r) solution[(first + r) * Config::kSolutionStride + col] = x[r];
}

// Block b has columns b % panels * kCols ... of X number b / panels.
template <bool SOLVE>
__device__ __forceinline__ void compute_panel(const StridedOperands &operands, const PanelProblem &problem,
                                              unsigned panels) {
  using Config = PanelConfig;
  __shared__ Vec4 quads_t[2 * Config::kTileT / 4], quads_x[2 * Config::kTileX / 4];
  float *shared_t = reinterpret_cast<float *>(quads_t), *shared_x = reinterpret_cast<float *>(quads_x);
  static_assert(Config::kRows * Config::kSolutionStride <= 2 * Config::kTileX, "it takes the place of the tiles of X");
  float *solution = shared_x;
  static_assert(2 * Config::kDepth == Config::kRows, "the diagonal block takes the place of the tiles of T");
  float *block = shared_t;
  const int64_t item = blockIdx.x / panels, first_col = static_cast<int64_t>(blockIdx.x % panels) * Config::kCols;
  const void *t = operands.a(item);
  float *x = operands.c(item);
  const int64_t tiles = (problem.order + Config::kRows - 1) / Config::kRows;
  const bool descending = problem.upper == SOLVE;

  for (int64_t step = 0; step < tiles; ++step) {
    const int64_t first_row = (descending ? tiles - 1 - step : step) * Config::kRows;
    const PanelProblem &of_sums = read_anew(operands, problem).second;
    const int64_t order = of_sums.order;
    const int64_t end_row = first_row + Config::kRows < order ? first_row + Config::kRows : order;
    const int rows = static_cast<int>(end_row - first_row);
    const int64_t first = !of_sums.upper ? 0 : SOLVE ? end_row : first_row;
    const int64_t last = of_sums.upper ? order : SOLVE ? first_row : end_row;
    float sum[4][4] = {};
    sum_panel<!SOLVE>(operands, problem, t, x, first_row, first_col, first, last, shared_t, shared_x, sum);
    const PanelProblem &p = read_anew(operands, problem).second;
    if (SOLVE) load_block(p, t, first_row, rows, block);
    const int thread = pinned_thread(), row = thread % 16 * 4, col = thread / 16 * 4;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int at = SOLVE ? turn(p, row + i, rows) : row + i;
        solution[at * Config::kSolutionStride + col + j] = sum[i][j];
      }
    }
    __syncthreads();
    if (SOLVE) {
      const float alpha = p.alpha;
      for_tile(p, x, first_row, first_col, [&](int i, int j, const Global<float> *element) {
        float *at = solution + turn(p, i, rows) * Config::kSolutionStride + j;
        *at = alpha * *element - *at;
      });
      __syncthreads();
      if (threadIdx.x < Config::kCols) substitute(block, solution, 0, static_cast<int>(threadIdx.x), p.unit);
      __syncthreads();
      eliminate(block, solution);
      __syncthreads();
      if (threadIdx.x < Config::kCols) {
        substitute(block, solution, Config::kHalf, static_cast<int>(threadIdx.x), p.unit);
      }
      __syncthreads();
    }
    for_tile(p, x, first_row, first_col, [&](int i, int j, Global<float> *element) {
      const float value = solution[(SOLVE ? turn(p, i, rows) : i) * Config::kSolutionStride + j];
      *element = SOLVE ? value : scaled(p.alpha, value);
    });
    __syncthreads();
  }
}

// Not for arrays of pointers in host memory.
inline libsgemm_status_t launch_panels(const GemmDesc &desc, const Launch &launch, Error *error,
                                       void (*kernel)(StridedOperands, PanelProblem, unsigned)) {
  const PanelProblem problem = panel_problem(desc);
  const int64_t panels = (problem.count + PanelConfig::kCols - 1) / PanelConfig::kCols;
  return for_strided_chunks(desc, INT32_MAX / panels, [&](const StridedOperands &operands, int64_t count) {
    return launch_kernel(kernel, dim3(static_cast<unsigned>(panels * count)), dim3(PanelConfig::kThreads), 0, launch,
                         error, operands, problem, static_cast<unsigned>(panels));
  });
}

}  // namespace libsgemm::gpu::level3
