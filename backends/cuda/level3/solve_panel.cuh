// trsm of a triangle of order 512 at most by one launch, with FP64 sums on the FP64 tensor cores of sm_90. A block
// solves 16 columns of X. X from the right is the transposed problem, by strides. Schedule, places of elements,
// accuracy and figures: docs/kernels/level3.md.
//
// Source: blocked substitution with inverted diagonal blocks, Du Croz and Higham, "Stability of methods for matrix
// inversion", IMA J. Numer. Anal. 12 (1992). The distribution of the rows over the warps is new.
//
//          order               16
//   +----+                   +----+   The rows of X are solved in turns of 16, in the order of substitution. Turn t
//   |inv |                   | X0 |   belongs to warp t % kWarps, which keeps its accumulators, alpha B - T X, in
//   +----+----+              +----+   registers.
//   |T10 |inv |              | X1 |
//   +----+----+----+         +----+   Once X(s) is known, the warps of all later turns subtract T(t, s) X(s). The warp
//   |T20 |T21 |inv |         | X2 |   of turn s + 1 then multiplies by the inverse of the diagonal block and posts
//   +----+----+----+         +----+   X(s + 1) in shared memory.
//
// Shared memory for t turns on w warps: inverses[2 min(t, w)], which first hold the diagonal blocks; X[t]; a block of
// right-hand sides; barriers[t].
#pragma once

#include "dynamic_shared.cuh"
#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "gpu/level3/structured_problem.h"
#include "ptx.h"
#include "resident.h"
#include "runtime/launch.h"

namespace libsgemm::cuda::level3 {

using namespace gpu::level3;

template <int Warps, int Resident>
struct SolveConfig {
  static constexpr int kWarps = Warps, kThreads = 32 * Warps, kResident = Resident;
  static constexpr int kMostOrder = 32 * Warps;
};

constexpr int kSolveRows = 16, kSolveColumns = 16;           // rows of X in a turn, columns in a block
constexpr int kBlockPitch = kSolveRows + 2;                  // doubles; avoids bank conflicts between rows
constexpr int kInversePitch = kSolveRows * kBlockPitch + 2;  // avoids them between the turns of half-warps
constexpr int kSolvedPitch = kSolveRows * kSolveColumns;
constexpr int kScratchPitch = kSolveColumns + 1;
constexpr int kScratchDoubles = kSolveRows * kScratchPitch;
constexpr float kMostGrowth = 1 << 12;      // largest row sum of |D^-1| |D| with which the inverse is used
constexpr uint32_t kOverflow = 0x47efffff;  // least high word of a double that may exceed a float

__host__ __device__ constexpr int solve_slots(int turns, int warps) { return 2 * (turns < warps ? turns : warps); }
__host__ __device__ constexpr int solve_bytes(int turns, int warps) {
  return 8 * (solve_slots(turns, warps) * kInversePitch + turns * kSolvedPitch + kScratchDoubles + turns);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // for the barriers

template <class Config, bool AlongDepth, bool Vectors>
struct PanelSolver {
  using Sums = double[2][4];  // [even or odd rows][column g: rows 4 q and 4 q + 2, then those of column g + 8]
  using Tile = float[2][4];   // [row 2 g or 2 g + 1][step 4 q + ...]

  const PanelProblem &p;
  const float *t;
  float *x;
  double *inverses, *solved, *scratch;
  uint32_t ready;  // address of the turns' barriers
  int turns, order, warp, lane, g, q;
  int columns;  // the block's columns of X

  __device__ __forceinline__ PanelSolver(const float *t_data, float *x_data, const PanelProblem &problem)
      : p(problem), t(t_data), x(x_data) {
    order = static_cast<int>(p.order);
    turns = (order + kSolveRows - 1) / kSolveRows;
    warp = static_cast<int>(threadIdx.x) / 32;
    lane = static_cast<int>(threadIdx.x) % 32;
    g = lane / 4;
    q = lane % 4;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * kSolveColumns, left = p.count - first;
    columns = static_cast<int>(left < kSolveColumns ? left : kSolveColumns);
    x += first * p.x.outer;
    inverses = reinterpret_cast<double *>(dynamic_shared());
    solved = inverses + solve_slots(turns, Config::kWarps) * kInversePitch;
    scratch = solved + turns * kSolvedPitch;
    ready = ptx::shared_address(scratch + kScratchDoubles);
  }

  // The turns of an upper triangle go backwards.
  __device__ __forceinline__ int first_row(int turn) const { return kSolveRows * (p.upper ? turns - 1 - turn : turn); }
  __device__ __forceinline__ double *inverse_of(int turn) const {
    return inverses + (2 * (turn % Config::kWarps) + turn / Config::kWarps) * kInversePitch;
  }

  __device__ __forceinline__ const float *element(int row, int depth) const {
    return AlongDepth ? t + row * p.t.outer + depth : t + depth * p.t.depth + row;
  }

  __device__ __forceinline__ void load_tile(Tile &to, int turn, int step) const {
    const int row = first_row(turn) + 2 * g, depth = first_row(step) + 4 * q;
    const float *from = element(row, depth);
    const int64_t ld = AlongDepth ? p.t.outer : p.t.depth;
    if (first_row(p.upper ? step : turn) + kSolveRows > order) {  // crosses the edge
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const int h = AlongDepth ? e / 4 : e % 2, j = AlongDepth ? e % 4 : e / 2;
        to[h][j] = row + h < order && depth + j < order ? from[AlongDepth ? j : h] : 0.0f;
        if (AlongDepth ? j == 3 : h == 1) from += ld;
      }
    } else if constexpr (Vectors && AlongDepth) {
#pragma unroll
      for (int h = 0; h < 2; ++h, from += ld) {
        const float4 v = *reinterpret_cast<const float4 *>(from);
        to[h][0] = v.x, to[h][1] = v.y, to[h][2] = v.z, to[h][3] = v.w;
      }
    } else if constexpr (Vectors) {
#pragma unroll
      for (int j = 0; j < 4; ++j, from += ld) {
        const float2 v = *reinterpret_cast<const float2 *>(from);
        to[0][j] = v.x, to[1][j] = v.y;
      }
    } else {
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        to[AlongDepth ? e / 4 : e % 2][AlongDepth ? e % 4 : e / 2] = from[AlongDepth ? e % 4 : e % 2];
        if (AlongDepth ? e % 4 == 3 : e % 2 == 1) from += ld;
      }
    }
  }

  // Element of a turn's diagonal block in the order of substitution, in which it is a lower triangle. Outside of the
  // matrix it is that of the identity.
  __device__ __forceinline__ float diagonal_element(int turn, int row, int column) const {
    const int last = kSolveRows - 1, first = first_row(turn);
    const int i = first + (p.upper ? last - row : row), l = first + (p.upper ? last - column : column);
    const bool inside = i < order && l < order && (row == column ? !p.unit : row > column);
    return inside ? *element(i, l) : row == column ? 1.0f : 0.0f;
  }

  // A half-warp inverts the block of one of the warp's two turns.
  __device__ __forceinline__ int inverted_turn() const { return warp + lane / 16 * Config::kWarps; }

  // Loads the lane's row or column of that block, whichever lets neighbouring lanes read neighbours.
  __device__ __forceinline__ void load_diagonal(float (&line)[kSolveRows]) const {
    const int turn = inverted_turn(), own = lane % 16;
#pragma unroll
    for (int l = 0; l < kSolveRows; ++l) {
      const float identity = l == own ? 1.0f : 0.0f;
      line[l] = turn >= turns ? identity : AlongDepth ? diagonal_element(turn, l, own) : diagonal_element(turn, own, l);
    }
  }

  // Inverts the block, one column for each lane. The inverse is NaN if it must not be used.
  __device__ __forceinline__ void invert(const float (&line)[kSolveRows]) const {
    const int turn = inverted_turn(), own = lane % 16;
    double *block = inverse_of(turn);
    float row[kSolveRows];
    if constexpr (AlongDepth) {
#pragma unroll
      for (int l = 0; l < kSolveRows; ++l) block[l * kBlockPitch + own] = static_cast<double>(line[l]);
      sync_warp();
#pragma unroll
      for (int l = 0; l < kSolveRows; l += 2) {
        const double2 pair = *reinterpret_cast<const double2 *>(block + own * kBlockPitch + l);
        row[l] = static_cast<float>(pair.x), row[l + 1] = static_cast<float>(pair.y);
      }
    } else {
#pragma unroll
      for (int l = 0; l < kSolveRows; l += 2) {
        row[l] = line[l], row[l + 1] = line[l + 1];
        *reinterpret_cast<double2 *>(block + own * kBlockPitch + l) =
            make_double2(static_cast<double>(row[l]), static_cast<double>(row[l + 1]));
      }
      sync_warp();
    }
    float magnitude = 0, pivot = 0;
#pragma unroll
    for (int l = 0; l < kSolveRows; ++l) {
      magnitude += fabsf(row[l]);
      if (l == own) pivot = row[l];
    }
    // Upper bound of |D^-1| |D| times a vector of ones, for all lanes of the half-warp.
    float growth = 0, most = 0;
    const float reciprocal = 1.0f / fabsf(pivot);
#pragma unroll
    for (int l = 0; l < kSolveRows; ++l) {
      growth = __shfl_sync(~0u, magnitude * reciprocal, lane / 16 * 16 + l);
      most = growth <= kMostGrowth ? fmaxf(most, growth) : INFINITY;  // also if NaN
      magnitude += fabsf(row[l]) * growth;
    }
    const double column_pivot = 1.0 / static_cast<double>(pivot);
    double z[kSolveRows];
#pragma unroll
    for (int i = 0; i < kSolveRows; ++i) {
      double sum = i == own ? 1.0 : 0.0, other = 0.0;
#pragma unroll
      for (int l = 0; l + 1 < i; l += 2) {
        const double2 pair = *reinterpret_cast<const double2 *>(block + i * kBlockPitch + l);
        sum -= pair.x * z[l];
        other -= pair.y * z[l + 1];
      }
      if (i % 2 == 1) sum -= block[i * kBlockPitch + i - 1] * z[i - 1];
      z[i] = (sum + other) * __shfl_sync(~0u, column_pivot, lane / 16 * 16 + i);
    }
    sync_warp();
    if (turn >= turns) return;
    const int column = p.upper ? kSolveRows - 1 - own : own;
#pragma unroll
    for (int i = 0; i < kSolveRows; ++i) {
      const int at = p.upper ? kSolveRows - 1 - i : i;
      const double value = most <= kMostGrowth ? z[i] : static_cast<double>(NAN);
      block[operand_place(at, column)] = value;
    }
  }

  // Place of an inverse's element. A lane loads pairs, next to those of its neighbours.
  __device__ __forceinline__ static int operand_place(int row, int step) {
    const int of_lane = row / 2 * 4 + step / 4, j = step % 4;
    return ((row % 2 * 2 + j / 2) * 32 + of_lane) * 2 + j % 2;
  }

  // Calls visit(element of X, row % 2, place in Sums) for the lane's elements inside the matrix.
  template <class Visit>
  __device__ __forceinline__ void for_elements(int turn, const Visit &visit) const {
    const int row = first_row(turn) + 4 * q;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (row + j < order && g + 8 * c < columns) {
          visit(x + (row + j) * p.x.depth + (g + 8 * c) * p.x.outer, j % 2, 2 * c + j / 2);
        }
      }
    }
  }
  // Calls visit(four elements of X, place of the first two in Sums). Requires by_vectors().
  template <class Visit>
  __device__ __forceinline__ void for_vectors(int turn, const Visit &visit) const {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      if (g + 8 * c < columns) {
        visit(reinterpret_cast<float4 *>(x + first_row(turn) + 4 * q + (g + 8 * c) * p.x.outer), 2 * c);
      }
    }
  }
  __device__ __forceinline__ bool by_vectors(int turn) const {
    return p.x.depth == 1 && (reinterpret_cast<uintptr_t>(x) % 16 | static_cast<uint64_t>(p.x.outer) % 4) == 0 &&
           first_row(turn) + kSolveRows <= order;
  }

  __device__ __forceinline__ void load_right_side(float (&b)[2][4], int turn) const {
    if (by_vectors(turn)) {
      for_vectors(turn, [&](const float4 *from, int e) {
        const float4 v = *from;
        b[0][e] = v.x, b[1][e] = v.y, b[0][e + 1] = v.z, b[1][e + 1] = v.w;
      });
    } else {
      for_elements(turn, [&](const float *from, int h, int e) { b[h][e] = *from; });
    }
  }
  __device__ __forceinline__ void begin(Sums &sum, const float (&b)[2][4]) const {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      sum[e / 4][e % 4] = static_cast<double>(p.alpha) * static_cast<double>(b[e / 4][e % 4]);
    }
  }

  __device__ __forceinline__ void store(const Sums &result, int turn) const {
    float b[2][4];
#pragma unroll
    for (int e = 0; e < 8; ++e) b[e / 4][e % 4] = static_cast<float>(result[e / 4][e % 4]);
    if (by_vectors(turn)) {
      for_vectors(turn, [&](float4 *to, int e) { *to = make_float4(b[0][e], b[1][e], b[0][e + 1], b[1][e + 1]); });
    } else {
      for_elements(turn, [&](float *to, int h, int e) { *to = b[h][e]; });
    }
  }

  // A lane's accumulators are the elements that it supplies as an operand.
  __device__ __forceinline__ static void as_operand(double (&to)[8], const Sums &sum) {
#pragma unroll
    for (int e = 0; e < 8; ++e) to[e] = sum[e / 2 % 2][e % 2 * 2 + e / 4];
  }

  // -T, converted while warps wait for X.
  using Operand = double[2][4];
  __device__ __forceinline__ static void negate(Operand &to, const Tile &tile) {
#pragma unroll
    for (int e = 0; e < 8; ++e) to[e / 4][e % 4] = static_cast<double>(-tile[e / 4][e % 4]);
  }
  // sum -= T(turn, step) X(step).
  __device__ __forceinline__ static void subtract(Sums &sum, const double (&solution)[8], const Operand &negated) {
#pragma unroll
    for (int h = 0; h < 2; ++h) ptx::mma_f64(sum[h], solution, negated[h]);
  }
  __device__ __forceinline__ static void subtract(Sums &sum, const double (&solution)[8], const Tile &tile) {
    Operand negated;
    negate(negated, tile);
    subtract(sum, solution, negated);
  }

  __device__ __forceinline__ void load_solution(double (&to)[8], int turn) const {
    const double2 *from = reinterpret_cast<const double2 *>(solved + turn * kSolvedPitch) + lane;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const double2 pair = from[32 * j];
      to[2 * j] = pair.x, to[2 * j + 1] = pair.y;
    }
  }

  // Replaces the right-hand sides of a turn by its X, rounded row by row. Only one warp at a time runs this, so all
  // share `scratch`.
  __device__ __forceinline__ void substitute(Sums &sum, int turn) const {
    const auto place = [&](int h, int e) {
      const int row = 4 * q + h + e % 2 * 2;
      return scratch + (p.upper ? kSolveRows - 1 - row : row) * kScratchPitch + g + e / 2 * 8;
    };
#pragma unroll
    for (int e = 0; e < 8; ++e) *place(e / 4, e % 4) = sum[e / 4][e % 4];
    sync_warp();
    if (lane < kSolveColumns) {
#pragma unroll 1
      for (int i = 0; i < kSolveRows; ++i) {
        double value = scratch[i * kScratchPitch + lane];
#pragma unroll 1
        for (int l = 0; l < i; ++l) {
          value -= static_cast<double>(diagonal_element(turn, i, l)) * scratch[l * kScratchPitch + lane];
        }
        const float rounded = static_cast<float>(value / static_cast<double>(diagonal_element(turn, i, i)));
        scratch[i * kScratchPitch + lane] = static_cast<double>(rounded);
      }
    }
    sync_warp();
#pragma unroll
    for (int e = 0; e < 8; ++e) sum[e / 4][e % 4] = *place(e / 4, e % 4);
    sync_warp();
  }

  __device__ __forceinline__ void finish(Sums &sum, int turn) const {
    double right[8];
    as_operand(right, sum);
    Sums result = {};
    const double2 *inverse = reinterpret_cast<const double2 *>(inverse_of(turn)) + lane;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const double2 low = inverse[64 * h], high = inverse[64 * h + 32];
      const double y[4] = {low.x, low.y, high.x, high.y};
      ptx::mma_f64(result[h], right, y);
    }
    uint32_t largest = 0;  // high word, without the sign
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      largest = max(largest, static_cast<uint32_t>(__double2hiint(result[e / 4][e % 4])) & 0x7fffffffu);
    }
    if (__any_sync(~0u, largest >= kOverflow)) {
#pragma unroll
      for (int e = 0; e < 8; ++e) result[e / 4][e % 4] = sum[e / 4][e % 4];
      substitute(result, turn);
    }
    double post[8];
    as_operand(post, result);
    double2 *to = reinterpret_cast<double2 *>(solved + turn * kSolvedPitch) + lane;
#pragma unroll
    for (int j = 0; j < 4; ++j) to[32 * j] = make_double2(post[2 * j], post[2 * j + 1]);
    sync_warp();
    if (lane == 0) ptx::barrier_arrive(ready + 8 * static_cast<uint32_t>(turn));
    store(result, turn);
  }

  // Prefetches a block's share of the triangle to L2, since tiles of T are loaded only one step ahead.
  __device__ __forceinline__ void prefetch() const {
    constexpr int kLine = 32;  // floats; 16 lines cover a row or column
    const int along = lane % 16 * kLine;
    const bool before = AlongDepth != p.upper;  // a line of the triangle ends at the diagonal
#pragma unroll 1
    for (unsigned across = 2 * (blockIdx.x * Config::kWarps + threadIdx.x / 32) + threadIdx.x % 32 / 16;
         across < static_cast<unsigned>(order); across += 2 * Config::kWarps * gridDim.x) {
      const int at = static_cast<int>(across);
      if (along < order && (before ? along <= at : along + kLine > at)) {
        ptx::prefetch_to_l2(AlongDepth ? element(at, along) : element(along, at));
      }
    }
  }

  __device__ __forceinline__ void solve() const {
    prefetch();
    float line[kSolveRows];
    load_diagonal(line);
    if (static_cast<int>(threadIdx.x) < turns) ptx::barrier_init(ready + 8 * threadIdx.x, 1);
    ptx::barrier_init_done();
    __syncthreads();
    const int early = warp, late = warp + Config::kWarps;  // the warp's turns
    if (early >= turns) return;
    const bool two = late < turns;

    float b[2][2][4] = {};
    Tile tile = {}, next = {}, of_late = {};
    load_right_side(b[0], early);
    if (early > 0) load_tile(tile, early, 0);
    if (two) load_right_side(b[1], late);
    invert(line);
    sync_warp();
    Sums sum[2];
    begin(sum[0], b[0]);
    begin(sum[1], b[1]);
    double solution[8];

    // Each step updates the early turn first, then the late one; the last step finishes the early turn between them.
#pragma unroll 1
    for (int step = 0; step < early; ++step) {
      const bool last = step + 1 == early;
      if (!last) load_tile(next, early, step + 1);
      if (two) load_tile(of_late, late, step);
      wait_and_subtract(sum[0], solution, step, tile);
      if (two && !last) subtract(sum[1], solution, of_late);
      copy(tile, next);
    }
    finish(sum[0], early);
    if (!two) return;
    load_tile(tile, late, early);
    if (early > 0) {
      load_solution(solution, early - 1);
      subtract(sum[1], solution, of_late);
    }
#pragma unroll 1
    for (int step = early; step < late; ++step) {
      if (step + 1 < late) load_tile(next, late, step + 1);
      wait_and_subtract(sum[1], solution, step, tile);
      copy(tile, next);
    }
    finish(sum[1], late);
  }

 private:
  __device__ __forceinline__ static void copy(Tile &to, const Tile &from) {
#pragma unroll
    for (int e = 0; e < 8; ++e) to[e / 4][e % 4] = from[e / 4][e % 4];
  }
  __device__ __forceinline__ void wait_and_subtract(Sums &sum, double (&solution)[8], int step,
                                                    const Tile &tile) const {
    double y[2][4];
    negate(y, tile);
    ptx::barrier_wait(ready + 8 * static_cast<uint32_t>(step), 0);
    load_solution(solution, step);
    subtract(sum, solution, y);
  }
};

#endif

}  // namespace libsgemm::cuda::level3
