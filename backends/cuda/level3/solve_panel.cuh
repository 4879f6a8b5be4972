// trsm of a triangle of order 512 at most by one launch, with sums in FP64 on the FP64 tensor cores of sm_90: the solve
// of sm90_dmma_512x16x16_trsm. A block has 16 columns of X to itself from the first row to the last; X from the right
// is the transposed problem, X and T being walked by strides.
//
// Source of the scheme: blocked substitution with inverted diagonal blocks, Du Croz and Higham, "Stability of methods
// for matrix inversion", IMA J. Numer. Anal. 12 (1992); its order here, each row to the warp whose turn it is, is new.
//
//          order               16
//   +----+                   +----+   Rows of X go in blocks of 16, in the order of substitution: turn 0, 1, ...
//   |inv |                   | X0 |   Turn t belongs to warp t % kWarps, which keeps its sums, alpha B - T X, in
//   +----+----+              +----+   registers from the first to the last.
//   |T10 |inv |              | X1 |
//   +----+----+----+         +----+   Once X(s) is known, all warps of later turns subtract T(t, s) X(s), that of turn
//   |T20 |T21 |inv |         | X2 |   s + 1 first of its two. Then that one multiplies its sums by the inverse of its
//   +----+----+----+         +----+   block on the diagonal, which makes X(s + 1), and posts it in shared memory.
//
//   warp of turn s + 1:   wait for X(s) | T X (2 DMMAs) | inverse (2 DMMAs) | post X(s + 1) | its other turn, T from L2
//   the other warps:      wait for X(s) | T X, T X      | T of step s + 1 is loaded | wait for X(s + 1) ...
//
// Nobody waits but for X: each turn has a barrier of its own, by which its warp alone arrives, and X stays where it is.
//
// An instruction computes D = X Y + D, 16 x 8 (k 16), as in fp64/dmma.cuh: the 16 are columns of X, the 8 every second
// row of a block of 16. Lane 4 g + q has columns g and g + 8. Of rows, D's two halves are even and odd, so that a lane
// gets rows 4 q to 4 q + 3 of the block; and as the order of k is free, what it got is at once its operand of the next
// product, without any exchange: steps q, q + 4, q + 8 and q + 12 of the instruction are rows 4 q to 4 q + 3. Of T a
// lane then needs rows 2 g and 2 g + 1 at steps 4 q to 4 q + 3, which are whole sectors of memory in either order of T.
// Each element of T serves one warp of a block, so it goes from L2 to registers.
//
// Accuracy. X is not rounded before all of the solve is done: it is posted as doubles, and its floats are stored
// beside. The inverse of a block D of the diagonal, by substitution in FP64, gives X with a residual of at most 16
// 2^-53 |D| |D^-1| |D| |X|. |D^-1| |D| is bounded by a substitution with magnitudes: where this bound passes 2^20 the
// inverse is not used. So |op(A) X - alpha B| <= 2^-24 |op(A)| |X| (1 + 2^-4), the first part for the rounding of X.
// Where the inverse is not used, or gives what no float can hold (NaN and Inf of B, a diagonal of zeros, an overflow),
// the block is solved once more by substitution, each row divided by the diagonal and rounded, as BLAS does it: so a
// NaN does not reach rows before its own.
//
// T is read in its triangle only, the diagonal only where it is not said to be one.
//
// Shared memory, in bytes, for t turns on w warps: inverses[2 min(t, w)][258] doubles at 0, which hold the blocks of
// the diagonal first; X[t][256] doubles; one block of right-hand sides[16][17] doubles; barriers[t] of 8 bytes. With 32
// turns on 16 warps 134016, with 16 on 8 67072.
#pragma once

#include "dynamic_shared.cuh"
#include "gpu/gpu.h"
#include "level3.h"
#include "ptx.h"
#include "resident.h"
#include "runtime/launch.h"

namespace libsgemm::cuda::level3 {

// `Warps` warps for orders of 32 Warps at most.
template <int Warps, int Resident>
struct SolveConfig {
  static constexpr int kWarps = Warps, kThreads = 32 * Warps, kResident = Resident;
  static constexpr int kMostOrder = 32 * Warps;
};

constexpr int kSolveRows = 16, kSolveColumns = 16;           // of X: of a turn, of a block of threads
constexpr int kInversePitch = 258;                           // doubles; the lanes of two turns have other banks
constexpr int kSolvedPitch = kSolveRows * kSolveColumns;     // doubles
constexpr int kScratchPitch = kSolveColumns + 1;             // doubles
constexpr int kScratchDoubles = kSolveRows * kScratchPitch;  //
constexpr float kMostGrowth = 1 << 20;                       // of |D^-1| |D|
constexpr uint32_t kOverflow = 0x47efffff;                   // high word of doubles that may not fit a float

__host__ __device__ constexpr int solve_slots(int turns, int warps) { return 2 * (turns < warps ? turns : warps); }
// Bytes of shared memory.
__host__ __device__ constexpr int solve_bytes(int turns, int warps) {
  return 8 * (solve_slots(turns, warps) * kInversePitch + turns * kSolvedPitch + kScratchDoubles + turns);
}

// What a thread knows of the problem.
template <class Config, bool AlongDepth, bool Vectors>
struct PanelSolver {
  using Sums = double[2][4];  // [even or odd rows][column g: rows 4 q and 4 q + 2, then those of column g + 8]
  using Tile = float[2][4];   // [row 2 g or 2 g + 1][step 4 q + ...]

  const PanelProblem &p;
  const float *t;
  float *x;
  double *inverses, *solved, *scratch;
  uint32_t ready;  // the barriers
  int turns, order, warp, lane, g, q;
  int columns;  // of X from the block's first on

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

  // The first row of a turn: backwards in an upper triangle.
  __device__ __forceinline__ int first_row(int turn) const { return kSolveRows * (p.upper ? turns - 1 - turn : turn); }
  __device__ __forceinline__ double *inverse_of(int turn) const {
    return inverses + (2 * (turn % Config::kWarps) + turn / Config::kWarps) * kInversePitch;
  }

  // One dimension has steps of 1, which the compiler is to know.
  __device__ __forceinline__ const float *element(int row, int depth) const {
    return AlongDepth ? t + row * p.t.outer + depth : t + depth * p.t.depth + row;
  }

  // The lane's part of T(turn, step).
  __device__ __forceinline__ void load_tile(Tile &to, int turn, int step) const {
    const int row = first_row(turn) + 2 * g, depth = first_row(step) + 4 * q;
    const bool whole = first_row(p.upper ? step : turn) + kSolveRows <= order;
    if (!whole) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          to[h][j] = row + h < order && depth + j < order ? *element(row + h, depth + j) : 0.0f;
        }
      }
    } else if constexpr (Vectors && AlongDepth) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float4 v = *reinterpret_cast<const float4 *>(element(row + h, depth));
        to[h][0] = v.x, to[h][1] = v.y, to[h][2] = v.z, to[h][3] = v.w;
      }
    } else if constexpr (Vectors) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float2 v = *reinterpret_cast<const float2 *>(element(row, depth + j));
        to[0][j] = v.x, to[1][j] = v.y;
      }
    } else {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
#pragma unroll
        for (int j = 0; j < 4; ++j) to[h][j] = *element(row + h, depth + j);
      }
    }
  }

  // Element (row, column) of a turn's block on the diagonal, counted in the order of substitution: a lower triangle.
  // Rows beyond the matrix are the identity's.
  __device__ __forceinline__ float diagonal_element(int turn, int row, int column) const {
    const int last = kSolveRows - 1, first = first_row(turn);
    const int i = first + (p.upper ? last - row : row), l = first + (p.upper ? last - column : column);
    const bool inside = i < order && l < order && (row == column ? !p.unit : row > column);
    return inside ? *element(i, l) : row == column ? 1.0f : 0.0f;
  }

  // The turn whose block on the diagonal the lane helps to invert: one of the warp's two by each half of its lanes.
  __device__ __forceinline__ int inverted_turn() const { return warp + lane / 16 * Config::kWarps; }

  // The lane's row of that block.
  __device__ __forceinline__ void load_diagonal(float (&row)[kSolveRows]) const {
    const int turn = inverted_turn(), own = lane % 16;
#pragma unroll
    for (int l = 0; l < kSolveRows; ++l) {
      row[l] = turn < turns ? diagonal_element(turn, own, l) : l == own ? 1.0f : 0.0f;
    }
  }

  // Inverts it, a column by each lane. Where the inverse would be of no use it is NaN.
  __device__ __forceinline__ void invert(const float (&row)[kSolveRows]) const {
    const int turn = inverted_turn(), own = lane % 16;
    const bool exists = turn < turns;
    double *block = inverse_of(turn);
    float magnitude = 0, pivot = 0;
#pragma unroll
    for (int l = 0; l < kSolveRows; ++l) {
      magnitude += fabsf(row[l]);
      if (l == own) pivot = row[l];
    }
    if (exists) {
#pragma unroll
      for (int l = 0; l < kSolveRows; l += 2) {
        *reinterpret_cast<double2 *>(block + own * kSolveRows + l) =
            make_double2(static_cast<double>(row[l]), static_cast<double>(row[l + 1]));
      }
    }
    sync_warp();
    // |D^-1| |D| of a vector of ones, or more. In the half warp each lane gets the same.
    float growth = 0, most = 0;
    const float reciprocal = 1.0f / fabsf(pivot);
#pragma unroll
    for (int l = 0; l < kSolveRows; ++l) {
      growth = __shfl_sync(~0u, magnitude * reciprocal, lane / 16 * 16 + l);
      most = growth <= kMostGrowth ? fmaxf(most, growth) : INFINITY;  // also of NaN
      magnitude += fabsf(row[l]) * growth;                            // of rows before l it is used no more
    }
    const double column_pivot = 1.0 / static_cast<double>(pivot);
    double z[kSolveRows];
#pragma unroll
    for (int i = 0; i < kSolveRows; ++i) {
      double sum = i == own ? 1.0 : 0.0, other = 0.0;
#pragma unroll
      for (int l = 0; l + 1 < i; l += 2) {
        const double2 pair = *reinterpret_cast<const double2 *>(block + i * kSolveRows + l);
        sum -= pair.x * z[l];
        other -= pair.y * z[l + 1];
      }
      if (i % 2 == 1) sum -= block[i * kSolveRows + i - 1] * z[i - 1];
      z[i] = (sum + other) * __shfl_sync(~0u, column_pivot, lane / 16 * 16 + i);
    }
    sync_warp();
    if (!exists) return;
    const int column = p.upper ? kSolveRows - 1 - own : own;
#pragma unroll
    for (int i = 0; i < kSolveRows; ++i) {
      const int at = p.upper ? kSolveRows - 1 - i : i;
      const double value = most <= kMostGrowth ? z[i] : static_cast<double>(NAN);
      block[operand_place(at, column)] = value;
    }
  }

  // Where element (row, step) of an inverse lies, so that a lane loads its own by pairs, neighbours side by side.
  __device__ __forceinline__ static int operand_place(int row, int step) {
    const int of_lane = row / 2 * 4 + step / 4, j = step % 4;
    return ((row % 2 * 2 + j / 2) * 32 + of_lane) * 2 + j % 2;
  }

  // Calls visit(element of X, even or odd rows, place in Sums) for what a lane has of a turn, if it is inside.
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

  // sum = alpha B.
  __device__ __forceinline__ void load_right_side(Sums &sum, int turn) const {
    float b[2][4] = {};
    for_elements(turn, [&](const float *from, int h, int e) { b[h][e] = *from; });
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      sum[e / 4][e % 4] = static_cast<double>(p.alpha) * static_cast<double>(b[e / 4][e % 4]);
    }
  }

  // A lane's sums as its operand of a product.
  __device__ __forceinline__ static void as_operand(double (&to)[8], const Sums &sum) {
#pragma unroll
    for (int e = 0; e < 8; ++e) to[e] = sum[e / 2 % 2][e % 2 * 2 + e / 4];
  }

  // sum -= T(turn, step) X(step).
  __device__ __forceinline__ static void subtract(Sums &sum, const double (&solution)[8], const Tile &tile) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      double y[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) y[j] = static_cast<double>(-tile[h][j]);
      ptx::mma_f64(sum[h], solution, y);
    }
  }

  __device__ __forceinline__ void load_solution(double (&to)[8], int turn) const {
    const double2 *from = reinterpret_cast<const double2 *>(solved + turn * kSolvedPitch) + lane;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const double2 pair = from[32 * j];
      to[2 * j] = pair.x, to[2 * j + 1] = pair.y;
    }
  }

  // The right-hand sides `sum` of a turn become its X by substitution, rounded row by row. One warp at a time comes
  // here.
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

  // All that a turn's X takes part in has been subtracted from its sums: solves, posts and stores it.
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
    uint32_t largest = 0;  // of the high words
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
    for_elements(turn, [&](float *at, int h, int e) { *at = static_cast<float>(result[h][e]); });
  }

  __device__ __forceinline__ void solve() const {
    float row[kSolveRows];
    load_diagonal(row);
    if (static_cast<int>(threadIdx.x) < turns) ptx::barrier_init(ready + 8 * threadIdx.x, 1);
    ptx::barrier_init_done();
    __syncthreads();
    const int early = warp, late = warp + Config::kWarps;  // turns
    if (early >= turns) return;
    const bool two = late < turns;

    Sums sum[2];
    Tile tile[2] = {}, next[2] = {};
    double solution[8];
    load_right_side(sum[0], early);
    if (two) load_right_side(sum[1], late);
    if (early > 0) load_tile(tile[0], early, 0);
    if (two) load_tile(tile[1], late, 0);
    invert(row);
    sync_warp();

    // Until the early turn is done; what its last step has for the late one can wait.
#pragma unroll 1
    for (int step = 0; step < early; ++step) {
      if (step > 0) {
        if (two) subtract(sum[1], solution, tile[1]);
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          tile[0][e / 4][e % 4] = next[0][e / 4][e % 4];
          tile[1][e / 4][e % 4] = next[1][e / 4][e % 4];
        }
      }
      if (step + 1 < early) load_tile(next[0], early, step + 1);
      if (two) load_tile(next[1], late, step + 1);
      ptx::barrier_wait(ready + 8 * static_cast<uint32_t>(step), 0);
      load_solution(solution, step);
      subtract(sum[0], solution, tile[0]);
    }
    finish(sum[0], early);
    if (!two) return;
    if (early > 0) {
      subtract(sum[1], solution, tile[1]);
#pragma unroll
      for (int e = 0; e < 8; ++e) tile[1][e / 4][e % 4] = next[1][e / 4][e % 4];
    }
#pragma unroll 1
    for (int step = early; step < late; ++step) {
      if (step + 1 < late) load_tile(next[1], late, step + 1);
      ptx::barrier_wait(ready + 8 * static_cast<uint32_t>(step), 0);
      load_solution(solution, step);
      subtract(sum[1], solution, tile[1]);
#pragma unroll
      for (int e = 0; e < 8; ++e) tile[1][e / 4][e % 4] = next[1][e / 4][e % 4];
    }
    finish(sum[1], late);
  }
};

}  // namespace libsgemm::cuda::level3
