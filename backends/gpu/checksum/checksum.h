// Verification of a product in device memory (contract/checksum.h), in FP64, bound by memory.
//
//   1  start       random signs w
//   2  sum_rows    for each row of B, partial sums and squares of the chosen columns with their signs. Columns that are
//                  not finite lose their signs
//   3  sum_rows    step 2 again, if there are such columns
//   4  finish      totals: sum_j w_j B_lj, and the norm of row l
//   5  sum_rows    the chosen rows of A times these totals
//   6  sum_rows    the chosen rows and columns of C, with the signs
//   7  judge       the worst ratio of each of 64 blocks of threads; -1: nothing could be judged
//
// If beta is not 0, steps 1 to 4 and 6 run before the product, steps 5 to 7 after it. If the product's arithmetic,
// which is known only then, rounds B, steps 2 to 4 run again; nothing is judged if a column loses its sign only then.
//
// sum_rows: a block of 256 threads sums 32 rows x 128 columns at a time; a warp reads 32 contiguous elements in either
// storage order. If there are few rows, several blocks share their columns ("parts"), and the reader adds the parts.
#pragma once

#include <algorithm>
#include <cmath>

#include "checksum_plan.h"
#include "gpu/batch.h"
#include "gpu/element.h"
#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "gpu/launch.h"

namespace libsgemm::gpu {

// Sums over a row. In B and C: the elements with their signs, the squares, and the number of elements with a sign that
// are not finite. In A: the elements with weights, the magnitudes times norms, and the magnitudes.
struct RowTotals {
  double value, size, plain;
};

template <Type kType, bool kRounds>
__device__ __forceinline__ double sum_element(const SumWork &w, int64_t at) {
  if constexpr (kType == Type::f32) {
    const float x = global(static_cast<const float *>(w.data))[at];
    return static_cast<double>(kRounds ? rounded(x, w.mode) : x);
  } else {
    return static_cast<double>(widen<kType>(global(static_cast<const uint16_t *>(w.data))[at]));
  }
}

template <bool kSquares>
__device__ __forceinline__ void add_element(const SumWork &w, int64_t column, double x, double weight, double norm,
                                            RowTotals *to) {
  if constexpr (kSquares) {
    const bool finite = checksum_finite(x);
    const double kept = finite ? x : 0;
    to->value = fma(weight, kept, to->value);
    to->size = fma(kept, kept, to->size);
    to->plain += !finite ? fabs(weight) : weight == 0 ? w.hidden : 0;
    if (!finite && weight != 0 && w.found != nullptr) {
      w.signs[column] = 0;
      *w.found = 1;
    }
  } else {
    const double magnitude = fabs(x);
    to->value = fma(weight, x, to->value);
    to->size = fma(norm, magnitude, to->size);
    to->plain += magnitude;
  }
}

// The 32 rows and 128 columns from (row, column) must be inside the matrix.
template <Type kType, bool kRounds, bool kSquares>
__device__ __forceinline__ void add_block(const SumWork &w, int64_t row, int64_t column, const double *weight,
                                          const double *norm, RowTotals *totals) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int64_t rows = w.rows - row, columns = w.columns - column;
  const int64_t base = row * w.row_step + column * w.col_step;
  if (w.row_step <= w.col_step) {
    if (lane >= rows) return;
    const int64_t at = base + lane * w.row_step;
#pragma unroll 8
    for (int step = 0; step < kChecksumColumns / kSumWarps; ++step) {
      const int c = warp + step * kSumWarps;
      if (c < columns) {
        const double x = sum_element<kType, kRounds>(w, at + c * w.col_step);
        add_element<kSquares>(w, column + c, x, weight[c], norm[c], totals);
      }
    }
    return;
  }
#pragma unroll
  for (int r = 0; r < kSumRowsOfWarp; ++r) {
    const int i = warp + r * kSumWarps;
    const int64_t at = base + i * w.row_step;
#pragma unroll
    for (int step = 0; step < kChecksumColumns / 32; ++step) {
      const int c = lane + step * 32;
      if (i < rows && c < columns) {
        const double x = sum_element<kType, kRounds>(w, at + c * w.col_step);
        add_element<kSquares>(w, column + c, x, weight[c], norm[c], totals + r);
      }
    }
  }
}

__device__ __forceinline__ void store_sums(const SumWork &w, int64_t slot, int64_t part, const RowTotals *totals,
                                           double (*shared)[kChecksumRows][33]) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const bool down = w.row_step <= w.col_step;
#pragma unroll
  for (int r = 0; r < kSumRowsOfWarp; ++r) {
    const int row = down ? lane : warp + r * kSumWarps, at = down ? warp : lane;
    if (!down || r == 0) {
      shared[0][row][at] = totals[r].value;
      shared[1][row][at] = totals[r].size;
      shared[2][row][at] = totals[r].plain;
    }
  }
  __syncthreads();
  const int kind = static_cast<int>(threadIdx.x) / kChecksumRows, row = static_cast<int>(threadIdx.x) % kChecksumRows;
  if (kind < kSumKinds) {
    double sum = 0;
    for (int i = 0; i < (down ? kSumWarps : 32); ++i) sum += shared[kind][row][i];
    w.sums[(kind * w.parts + part) * w.slots() + slot * kChecksumRows + row] = sum;
  }
  __syncthreads();
}

__device__ __forceinline__ void start_signs(const SumWork &b, double *found, uint64_t seed) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kSumThreads;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kSumThreads + threadIdx.x;
  for (int64_t j = first; j < b.columns; j += step) b.signs[j] = checksum_sign(seed, j);
  if (first < 2) found[first] = 0;
}

template <Type kType, bool kRounds, bool kSquares>
__device__ __forceinline__ void sum_rows(const SumWork &w) {
  __shared__ double weight[kChecksumColumns], norm[kChecksumColumns];
  __shared__ double sums[kSumKinds][kChecksumRows][33];
  if (w.only_if != nullptr && *w.only_if == 0) return;
  for (int64_t unit = blockIdx.x; unit < w.row_blocks.chosen * w.parts; unit += gridDim.x) {
    const int64_t slot = unit / w.parts, part = unit % w.parts;
    const int64_t end = (part + 1) * w.blocks_of_part;
    const int64_t last = end < w.column_blocks.chosen ? end : w.column_blocks.chosen;
    RowTotals totals[kSumRowsOfWarp] = {};
    for (int64_t b = part * w.blocks_of_part; b < last; ++b) {
      const int64_t column = w.column_blocks.at(b) * kChecksumColumns;
      for (int t = static_cast<int>(threadIdx.x); t < kChecksumColumns; t += kSumThreads) {
        const bool inside = column + t < w.columns;
        weight[t] = inside ? w.weights[column + t] : 0;
        norm[t] = !kSquares && inside ? w.norms[column + t] : 0;
      }
      __syncthreads();
      add_block<kType, kRounds, kSquares>(w, w.row_blocks.at(slot) * kChecksumRows, column, weight, norm, totals);
      __syncthreads();
    }
    store_sums(w, slot, part, totals, sums);
  }
}

__device__ __forceinline__ double total_of(const double *sums, const SumWork &w, int kind, int64_t slot) {
  double total = 0;
  for (int64_t part = 0; part < w.parts; ++part) total += sums[(kind * w.parts + part) * w.slots() + slot];
  return total;
}

// Requires that all blocks of w's rows are chosen.
__device__ __forceinline__ void finish_sums(const SumWork &w, double *weights, double *norms) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kSumThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kSumThreads + threadIdx.x; i < w.rows; i += step) {
    weights[i] = total_of(w.sums, w, 0, i);
    norms[i] = sqrt(total_of(w.sums, w, 1, i));
  }
}

template <bool kLargest>
__device__ __forceinline__ double combine(double value, double *shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = kSumThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) {
      const double other = shared[threadIdx.x + half], mine = shared[threadIdx.x];
      shared[threadIdx.x] = !kLargest ? mine + other : mine < other ? other : mine;
    }
    __syncthreads();
  }
  const double result = shared[0];
  __syncthreads();
  return result;
}

__device__ __forceinline__ int64_t chosen_column(const SumWork &w, int64_t at) {
  return w.column_blocks.at(at / kChecksumColumns) * kChecksumColumns + at % kChecksumColumns;
}

__device__ __forceinline__ double factor_element(const SumWork &w, Type type, int64_t row, int64_t column) {
  const int64_t at = row * w.row_step + column * w.col_step;
  if (type == Type::f16) return sum_element<Type::f16, false>(w, at);
  if (type == Type::bf16) return sum_element<Type::bf16, false>(w, at);
  return sum_element<Type::f32, true>(w, at);
}

// Handles elements of a row of C that are NaN or Inf although their column has a sign. Returns their part of sum_j w_j
// (AB)_ij, which the caller subtracts. If C was not read, judges them, too, in *worst.
__device__ __forceinline__ double gaps_of(const JudgeWork &j, const ChecksumBound &b, int64_t row, double *shared,
                                          double *worst) {
  const ElementBound bound = {b.mode, b.factor, j.alpha, 0, b.terms, b.cut};
  double part = 0;
  for (int64_t c = threadIdx.x; c < j.c.column_blocks.chosen * kChecksumColumns; c += kSumThreads) {
    const int64_t column = chosen_column(j.c, c);
    if (column >= j.c.columns || j.c.weights[column] == 0) continue;
    ProductElement e = {};
    e.computed = sum_element<Type::f32, false>(j.c, row * j.c.row_step + column * j.c.col_step);
    if (checksum_finite(e.computed)) continue;
    Line factors = {};
    for (int64_t l = 0; l < j.k; ++l) {
      const double x = factor_element(j.a, j.type, row, l), y = factor_element(j.b, j.type, l, column);
      e.value = fma(x, y, e.value);
      e.magnitude += fabs(x * y);
      factors.add(fabs(x));
      factors.add(fabs(y));
    }
    part = fma(j.c.weights[column], e.value, part);
    if (j.c_before != nullptr) continue;
    const double ratio = product_ratio(e, bound, [&] { return factors; });
    *worst = *worst < ratio ? ratio : *worst;
  }
  return combine<false>(part, shared);
}

// State of a row before the part of its gaps, which are elements that are not finite, is subtracted.
struct RowState {
  double product, before, computed;
  ChecksumRow sums;
  bool gaps;
  double ratio;  // valid if there are no gaps; negative: nothing can be judged
};

__device__ __forceinline__ RowState state_of_row(const JudgeWork &j, const ChecksumBound &bound, double signs,
                                                 int64_t i) {
  const bool read = j.c_before != nullptr;
  const double beta = fabs(j.beta), wrong = __builtin_huge_val();
  RowState s = {};
  s.product = total_of(j.a.sums, j.a, 0, i);
  s.before = read ? j.beta * total_of(j.c_before, j.c, 0, i) : 0;
  s.computed = total_of(j.c.sums, j.c, 0, i);
  s.sums = {total_of(j.a.sums, j.a, 1, i), total_of(j.a.sums, j.a, 2, i),
            read ? beta * sqrt(total_of(j.c_before, j.c, 1, i)) : 0};
  // Number of elements with a sign that are not finite.
  const double now = total_of(j.c.sums, j.c, 2, i), old = read ? total_of(j.c_before, j.c, 2, i) : 0;
  if (now >= kHidden || now < old) {
    s.ratio = wrong;  // finite where the product cannot be
  } else if (!checksum_finite(s.sums.plain)) {
    s.ratio = now == signs ? 0 : wrong;  // A's row is not finite
  } else if (now == 0) {
    s.ratio = checksum_ratio(s.computed, j.alpha * s.product + s.before, s.sums, bound);
  } else if (now == signs) {
    s.ratio = now == old || checksum_leaves_range(s.sums, bound) ? 0 : wrong;
  } else if (read && now > old) {  // what C held there is unknown
    s.ratio = checksum_leaves_range(s.sums, bound) ? -1 : wrong;
  } else {
    s.gaps = true;
  }
  return s;
}

__device__ __forceinline__ void judge_rows(const JudgeWork &j) {
  __shared__ double shared[kSumThreads], gaps[kSumThreads];
  ChecksumBound bound =
      checksum_bound(j.a.mode, j.factor, j.alpha, static_cast<double>(j.k), static_cast<double>(j.columns), j.cut);
  if (checksum_needs_norms(j.a.mode, j.alpha, j.cut)) {
    double squares = 0;
    for (int64_t l = threadIdx.x; l < j.k; l += kSumThreads) {
      const double norm = j.a.norms[l];
      bound.norms += norm;
      squares += norm * norm;
      bound.widest = bound.widest < norm ? norm : bound.widest;
    }
    bound.norms = combine<false>(bound.norms, shared);
    bound.norm = sqrt(combine<false>(squares, shared));
    bound.widest = combine<true>(bound.widest, shared);
  }
  double signs = 0;  // number of columns with a sign
  for (int64_t c = threadIdx.x; c < j.c.column_blocks.chosen * kChecksumColumns; c += kSumThreads) {
    const int64_t column = chosen_column(j.c, c);
    if (column < j.c.columns) signs += fabs(j.c.weights[column]);
  }
  signs = combine<false>(signs, shared);
  double worst = -1;
  const int64_t step = static_cast<int64_t>(gridDim.x) * kSumThreads;
  const int64_t end = *j.late == 0 ? j.c.slots() : 0;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kSumThreads; first < end; first += step) {
    const auto row_of = [&](int64_t i) {
      return j.c.row_blocks.at(i / kChecksumRows) * kChecksumRows + i % kChecksumRows;
    };
    const int64_t own = first + threadIdx.x;
    RowState s = {};
    s.ratio = -1;
    if (own < end && row_of(own) < j.c.rows) s = state_of_row(j, bound, signs, own);
    gaps[threadIdx.x] = s.gaps ? 1 : 0;
    __syncthreads();
    for (int t = 0; t < kSumThreads; ++t) {  // row by row
      if (gaps[t] == 0) continue;
      const double part = gaps_of(j, bound, row_of(first + t), shared, &worst);
      if (t != static_cast<int>(threadIdx.x)) continue;
      s.ratio = checksum_ratio(s.computed, j.alpha * (s.product - part) + s.before, s.sums, bound);
    }
    __syncthreads();
    worst = worst < s.ratio ? s.ratio : worst;
  }
  worst = combine<true>(worst, shared);
  if (threadIdx.x == 0) j.results[blockIdx.x] = worst;
}

struct ChecksumKernels {
  using Sum = void (*)(SumWork);
  Sum squares[3], weighted[3];
  Sum squares_rounded, weighted_rounded;
  void (*start)(SumWork, double *, uint64_t);
  void (*finish)(SumWork, double *, double *);
  void (*judge)(JudgeWork);
};

inline libsgemm_status_t enqueue_sums(ChecksumKernels::Sum kernel, const SumWork &w, const Launch &launch,
                                      Error *error) {
  const int64_t blocks = std::min(w.row_blocks.chosen * w.parts, most_blocks(kSumThreads));
  return launch_kernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(kSumThreads), 0, launch, error, w);
}

// `found` becomes 1 if columns are not finite.
inline libsgemm_status_t enqueue_b(const ChecksumPlan &p, ChecksumKernels::Sum kernel, double *found, int64_t k,
                                   const Launch &launch, const ChecksumKernels &kernels, Error *error) {
  SumWork first = p.b, again = p.b;
  first.found = found;
  again.only_if = found;
  libsgemm_status_t status = enqueue_sums(kernel, first, launch, error);
  if (status == LIBSGEMM_SUCCESS) status = enqueue_sums(kernel, again, launch, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const int64_t blocks = std::min((k - 1) / kSumThreads + 1, most_blocks(kSumThreads));
  return launch_kernel(kernels.finish, dim3(static_cast<unsigned>(blocks)), dim3(kSumThreads), 0, launch, error, p.b,
                       p.weights, p.norms);
}

inline libsgemm_status_t enqueue_checksum(const GemmDesc &desc, const Checksum &what, bool after, const Launch &launch,
                                          const ChecksumKernels &kernels, Error *error) {
  auto *workspace = static_cast<double *>(launch.workspace);
  ChecksumPlan p = plan_checksum(desc, what, launch.device, workspace);
  const auto type = static_cast<int>(desc.type);
  const bool rounds = after && desc.type == Type::f32 && mode_traits(what.mode).rounding != Rounding::none;
  const bool first = !after || !reads_c(desc);
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  if (first) {
    const int64_t blocks = std::min((p.b.columns - 1) / kSumThreads + 1, most_blocks(kSumThreads));
    status = launch_kernel(kernels.start, dim3(static_cast<unsigned>(blocks)), dim3(kSumThreads), 0, launch, error, p.b,
                           p.found, what.seed);
  }
  if (status == LIBSGEMM_SUCCESS && (first || rounds)) {
    status = enqueue_b(p, rounds ? kernels.squares_rounded : kernels.squares[type], p.found + (first ? 0 : 1), desc.k,
                       launch, kernels, error);
  }
  if (status == LIBSGEMM_SUCCESS && after) {
    status = enqueue_sums(rounds ? kernels.weighted_rounded : kernels.weighted[type], p.a, launch, error);
  }
  if (after) p.c.hidden = kHidden;
  if (!after) p.c.sums = p.c_before;
  if (status == LIBSGEMM_SUCCESS) status = enqueue_sums(kernels.squares[0], p.c, launch, error);
  if (status != LIBSGEMM_SUCCESS || !after) return status;
  return launch_kernel(kernels.judge, dim3(kChecksumResults), dim3(kSumThreads), 0, launch, error,
                       plan_judge(desc, what, p, workspace));
}

}  // namespace libsgemm::gpu
