// Split operands, which the passes (splits_pass.h) write into the workspace and the products read. For host and device;
// independent of the engine that multiplies.
//
// An operand of `outer` x k elements becomes `splits` matrices of 16-bit numbers (or its own 32-bit ones), all along k:
//
//   split p, row o, step l of k:  base + p * split_bytes + (o * ld + l) * size of a number
//
// with `outer` rounded up to kOuterPad rows and k to kDepthPad steps. The padding is zero: products read whole tiles,
// aligned to 128 bytes, without bounds checks.
//
//   scheme   splits   x is                                               products, in this order
//   bf16x3   3        2^-s (x0 + x1 + x2), exact up to 2^-148 of the     x2 y0, x1 y1, x0 y2, x1 y0, x0 y1, x0 y0
//                     row's largest magnitude
//   fp16x2   2        2^-s (x0 + 2^-11 x1), up to 2^-24 |x| and 2^-51    x1 y0, x0 y1, times 2^-11; x0 y0
//                     of the row's largest magnitude
//   bf16     1        x to nearest even                                  x0 y0
//   fp16     1        x to nearest even; Inf from 65520 on               x0 y0
//   tf32     1        x to nearest even                                  x0 y0
//
// s belongs to the row: it scales the row's largest magnitude to 2^14 to 2^15. It follows from `most`, the bits of that
// magnitude, which the survey writes; the bits of NaN and Inf are above all others.
//
// ---- Mode fp32_fast: what fp16x2 guarantees
//
// Let x be an element of a row after scaling, 2^e <= |x| < 2^(e + 1), e <= 14, and u = 2^-24. FP32 holds x (scaling is
// exact for e >= -126, also of denormal numbers) and x - x0.
//
//   x0 = fp16(x)                 |x - x0| <= 2^(e - 11), or 2^-25 where x0 is subnormal, e < -14
//   x1 = fp16(2^11 (x - x0))     spacing at most 2^(e - 11), or 2^-24 where x1 is subnormal
//   |x - x0 - 2^-11 x1|          <= max(2^(e - 23), 2^-36)
//
// Down to e = -13, kNarrow = 27 powers of two below the row's largest element, the splits are off by at most 2^-23 |x|
// = 2 u |x|, and d powers further down by 2^d times that. Zeros are exact. The excess of a row is d for its smallest
// element other than zero; the excess of kOuterPad rows is their largest. In a tile of C without special values
// (below), whose rows and columns have excesses with a sum of at most D, an element is off by, in units of u |A||B|:
//
//   for each product: the splits of both factors, 2 * 2^D + 2; and 2^-22 x1 y1, which is left out, where
//   |2^-11 x1| <= 2^-11 |x| for d = 0 and 2^(d - 12) |x| for others: 2 * 2^D, or 4 for D = 0           4 * 2^D + 4
//   in the tensor cores, between two promotions: up to four instructions of 16 steps for the products x0 y0, each of
//   which aligns them and the sum so far to the largest, cuts off 24 bits below it (25 on sm_90) and then the sum to
//   FP32: 16 * 2^-24 + 2^-23 (on sm_90 half of the first) of that k-tile's |A||B|; the small products are 2^11 below
//     sm_80: two instructions a k-tile of 32                                                              2 * 18
//     sm_90: four a k-tile of 64                                                                          4 * 10
//     AMD's matrix cores: 64 steps, at 2^-23 of that |A||B| each (below)                                  64 * 2
//   the same of subnormal x0, d > 1, which are aligned to as 2^-14, 2^(d - 1) times |x| or less           8 * 2^D
//   AMD's, where sums of small products stay for up to 8192 steps: these are 2^-12 (2 + 2^D) of |A||B| or less, and
//   each of their 2 k steps loses 2^-23 of them                                    min(k, 8192) (2 + 2^D) / 1024
//   in FP32, to nearest: the sums of k-tiles, one rounding each, on AMD's of 64 steps and of a launch     k / 32
//   alpha and beta: two roundings, and two for each panel of k of 256 or more                    2 + (k - 1) / 128
//
// With 2^D <= sqrt(k) / 4 the total is at most 46 + 3 sqrt(k) + k / 25, on AMD's 134 + 5 sqrt(k) + k / 24: from k =
// kLeastFast on it is below k + 2, the bound of FP32 for any order of summation. Errors cancel, so that mostly far less
// is lost. If a sum consists of one product, the first line, at most sqrt(k) + 4, stays within 2 sqrt(k + 2), the usual
// bound. An emulation of these tensor cores tried nine distributions, some of them at the limits of D. The worst error
// was 17 at k = 256 (usual bound: 32) and 20 at 4096 (128); it was 20 at 64 (16), hence kLeastFast. If no excess were
// allowed, one in forty blocks of rows of a normal distribution would be left out at k = 8192.
//
// A tile is not left out either, whatever its excess, if all its rows and columns are dense, as in data whose tiniest
// elements occur by chance. An element is small if |x0| < 2, which is 2^-13 of the row's largest or less. A row is
// dense if each chunk of kSplitTile steps, also a partial one at the end of k, has at most kMostSmall small elements,
// zeros among them; a row of zeros, whose products are exact, counts as dense. From k = kLeastFast on, a dense row and
// a dense column have at least 0.7 k steps at which neither factor is small, so that |A||B| >= 2.8 k. Each has at most
// 0.16 k small elements, among them all below 2^-13, the only ones with excess. Such an x is multiplied by a y of at
// most 2^15, so that two lines are replaced:
//
//   for each product: as for D = 0; where x is below 2^-13, the splits lose up to 2^-36 |y| <= 2^-21 instead, and
//   |2^-11 x1| <= 2^-25 makes 2^-22 x1 y1 as much: 2^-20 for each of 0.32 k                             8 + 1.9
//   in the tensor cores, subnormal x0, aligned to as 2^-14: with y of 2^15, 18 * 2^-24 * 2 for 16 steps       0.9
//
// The total is then at most 53 + k / 25, less than above; on AMD's, where the small products are 2^-10 * 1.2 of |A||B|
// or less, 141 + k / 22. The emulation had as many small elements, and as tiny ones, as are allowed, multiplied by the
// largest, and all others at 2. The worst error was 4 at k = 272 and 10 at 4096; FP32's own was 9 and 41.
//
// Products with a zero do not take part in the alignment, whatever their other factor (measured on an H100, mma.sync
// and wgmma). Otherwise a large y multiplied by a zero x would cut off what is small in other products. Subnormal x1
// are aligned to as 2^-14, too; they are 2^11 below what the lines above count.
//
// AMD documents for no chip how its matrix cores add. The bound assumes that a step of k loses at most 2^-23 of the
// |A||B| so far, like additions in FP32 that cut off, except where a subnormal x0 is aligned to as above, 24 bits below
// which are kept; and that zeros are not aligned to. Xie et al., "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores
// and Matrix Cores" (2025), find a smaller loss on gfx942: eight products are aligned to the largest, and 24 bits below
// it are kept; the sum so far is aligned and rounded down there, and the result to nearest: 11 * 2^-24 for eight steps,
// not 16; zeros are not aligned to. In an emulation of that the worst of ten distributions was 9 at k = 256 and at
// 8192. Nothing is known about gfx950.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/batch.h"

namespace libsgemm::gpu {

enum class Scheme { bf16x3, fp16x2, bf16, fp16, tf32 };

constexpr float kLowScale = 0x1p-11f;  // scale of fp16x2's second split: without it rows of wide range lose bits
constexpr int kOuterPad = 128, kDepthPad = 64;

// Mode fp32_fast: powers of two that a row spans without excess, and the least k. most_excess() is the largest
// permitted sum of the excesses of rows and columns.
constexpr int kNarrow = 27;
constexpr int64_t kLeastFast = 256;
constexpr int kMostSmall = 8;  // most small elements among kSplitTile elements of a dense row
inline int most_excess(int64_t k) {
  int d = 0;
  while (d < 24 && (int64_t{64} << 2 * d) <= k) ++d;
  return d;
}

template <Scheme kScheme>
constexpr int kSplits = kScheme == Scheme::bf16x3   ? 3
                        : kScheme == Scheme::fp16x2 ? 2
                                                    : 1;
template <Scheme kScheme>
constexpr bool kScaledRows = kScheme == Scheme::bf16x3 || kScheme == Scheme::fp16x2;

// One split operand, or some rows of it, a multiple of kOuterPad. In a batch, product i is i times the product_...
// stride further on; words are product_most apart.
struct Splits {
  char *base;           // null: the operand has only words, and the product converts it itself
  int64_t rows, ld;     // elements; ld: steps of k
  int64_t split_bytes;  // from one split to the next
  int64_t product_bytes;
  uint32_t *most, *block_most;  // for each row, for each kOuterPad rows; null unless rows are scaled
  int64_t product_most;
  // Null except in mode fp32_fast. `least`: for each row 2^32 less the bits of the smallest magnitude that is not zero,
  // 0 if there is none. `excess`, `sparse`: for each kOuterPad rows the excess, and whether one of them is not dense.
  uint32_t *least, *excess, *sparse;
};

// ---- Scaling and special values, for schemes with scaled rows

// True for a tile whose terms may leave FP32's range, or that holds NaN or Inf. It is computed by FFMA, so that partial
// sums overflow just where FP32's do. `most_a`, `most_b`: bits of the largest magnitudes of the tile's rows of A and
// columns of B. 2^(ea + 1) 2^(eb + 1) k bounds every partial sum.
LIBSGEMM_HOST_DEVICE inline bool needs_ffma(uint32_t most_a, uint32_t most_b, int log2_k) {
  const int ea = static_cast<int>(most_a >> 23) - 127, eb = static_cast<int>(most_b >> 23) - 127;
  return ea == 128 || eb == 128 || ea + eb + 2 + log2_k > 127;
}

// Returns log2(k), rounded up.
inline int log2_of(int64_t k) {
  int log2 = 0;
  while (log2 < 62 && (int64_t{1} << log2) < k) ++log2;
  return log2;
}

// Selects tiles of kOuterPad x kOuterPad: those for which needs_ffma() is true; in mode fp32_fast also those of too
// much excess, or all. The products of splits leave these tiles out. They are computed from the operands themselves: in
// FP32, in mode fp32_fast with accumulators in FP64.
struct Guard {
  const uint32_t *a, *b;  // words for each kOuterPad rows of A, columns of B
  int64_t product_most;
  int log2_k;  // k of the whole product, rounded up
  // Mode fp32_fast only. Null: not applicable, or not known.
  const uint32_t *excess_a, *excess_b;
  const uint32_t *sparse_a, *sparse_b;
  uint32_t most_excess;
  bool all;  // there was no survey

  LIBSGEMM_HOST_DEVICE bool operator()(int64_t product, int i, int j) const {
    if (all) return true;
    const int64_t at_a = product * product_most + i, at_b = product * product_most + j;
    if (excess_a != nullptr && excess_a[at_a] + excess_b[at_b] > most_excess &&
        (sparse_a == nullptr || (sparse_a[at_a] | sparse_b[at_b]) != 0)) {
      return true;
    }
    return needs_ffma(a[at_a], b[at_b], log2_k);
  }
};

// ---- Passes

struct PassOperand {
  const char *source;  // first product, at the first step of this panel of k
  int64_t product_bytes, ld;
  int64_t outer, k;        // k: of this panel
  bool along_k;            // consecutive elements are steps of k
  bool vectors;            // rows along k start at multiples of 4 elements
  unsigned survey, split;  // blocks of either pass; 0: the pass leaves the operand out
  Splits splits;
};

struct PassProblem {
  PassOperand a, b;

  bool wants_ranges() const { return a.splits.least != nullptr || b.splits.least != nullptr; }
};

constexpr int kPassThreads = 256;
constexpr int kSplitTile = 64;                        // outer x k of a block
constexpr int kSurveyRows = 8, kSurveyDepth = 1024;   // block along k
constexpr int kSurveyOuter = 128, kSurveySteps = 64;  // block along the outer side

// The passes of the schemes with scaled rows (splits_write), and the products of the guard's tiles from the operands
// themselves by FP32 fused multiply-adds (splits_repair). Each backend with kernels that split defines them.
libsgemm_status_t launch_survey(const PassProblem &p, int64_t products, const Launch &launch, Error *error);
libsgemm_status_t launch_split(Scheme scheme, const PassProblem &p, int64_t products, const Launch &launch,
                               Error *error);
libsgemm_status_t launch_repair(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error);
// Does so with accumulators in FP64 (splits_repair_fp64), in backends with kernels of mode fp32_fast.
libsgemm_status_t launch_repair_fp64(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error);

}  // namespace libsgemm::gpu
