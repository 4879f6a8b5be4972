// Split operands: what the passes (splits_pass.h) write into the workspace and the products read. Host and device; no
// engine that multiplies is known here.
//
// An operand of `outer` x k elements becomes `splits` matrices of 16-bit numbers (or its own 32-bit ones), all along k:
//
//   split p, row o, step l of k:  base + p * split_bytes + (o * ld + l) * size of a number
//
// with `outer` rounded up to kOuterPad rows and k to kDepthPad steps, zeros there: products read whole tiles, aligned
// to 128 bytes, and test nothing.
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
// s is the row's own: its largest magnitude becomes 2^14 to 2^15. It follows from `most`, the bits of that magnitude,
// which the survey writes: those of NaN and Inf are above all others.
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
// element but zeros, that of kOuterPad rows their largest. In a tile of C without special values (below), whose rows
// and columns have excesses with a sum of at most D, an element is off by, in units of u |A||B|:
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
// With 2^D <= sqrt(k) / 4 all this is at most 46 + 3 sqrt(k) + k / 25, on AMD's 134 + 5 sqrt(k) + k / 24: from k =
// kLeastFast on below k + 2, the bound of FP32 for any order of summation. Errors cancel, so that mostly far less is
// lost; where one product is all of a sum, the first line, at most sqrt(k) + 4, stays within 2 sqrt(k + 2), the usual
// bound. In an emulation of these tensor cores the worst of nine distributions, among them such at the limits of D, was
// 17 at k = 256 (usual: 32), 20 at 4096 (128); 20 at 64 (16), hence kLeastFast. Were no excess allowed, one in forty
// blocks of rows of a normal distribution would be left out at k = 8192.
//
// A tile is not left out either, whatever its excess, if all its rows and columns are dense: as of data whose tiniest
// elements are so by chance. An element is small if |x0| < 2, which is 2^-13 of the row's largest or less. A row is
// dense if of each chunk of kSplitTile steps, also a partial one at the end of k, at most kMostSmall elements are
// small, zeros among them; a row of zeros, whose products are exact, counts as dense. From k = kLeastFast on, a dense
// row and a dense column have at least 0.7 k steps at which neither factor is small, so that |A||B| >= 2.8 k, and at
// most 0.16 k small elements each, among them all below 2^-13, the only ones with excess. Such an x is beside a y of at
// most 2^15, so that two lines are replaced:
//
//   for each product: as for D = 0; where x is below 2^-13, the splits lose up to 2^-36 |y| <= 2^-21 instead, and
//   |2^-11 x1| <= 2^-25 makes 2^-22 x1 y1 as much: 2^-20 for each of 0.32 k                             8 + 1.9
//   in the tensor cores, subnormal x0, aligned to as 2^-14: beside 2^15, 18 * 2^-24 * 2 for 16 steps          0.9
//
// All is then at most 53 + k / 25, less than above; on AMD's, where the small products are 2^-10 * 1.2 of |A||B| or
// less, 141 + k / 22. In the emulation, with as many and as tiny small elements as are allowed beside the largest and
// all others at 2, the worst was 4 at k = 272 and 10 at 4096, FP32's own 9 and 41.
//
// Products with a zero are not aligned to, whatever their other factor (measured on an H100, mma.sync and wgmma): else
// a large y beside a zero x would cut off what is small in other products. Subnormal x1, which are aligned to as 2^-14,
// too, are 2^11 below what the lines above count.
//
// AMD documents for no chip how its matrix cores add. Assumed is that a step of k loses at most 2^-23 of the |A||B| so
// far, as additions in FP32 would that cut off, but where a subnormal x0 is aligned to as above, 24 bits below which
// are kept; and that zeros are not. Xie et al., "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and Matrix
// Cores" (2025), find less on gfx942: of eight products, aligned to the largest, 24 bits below it stay; the sum so far
// is aligned and rounded down there, and the result to nearest: 11 * 2^-24 for eight steps, not 16; zeros are not
// aligned to. In an emulation of that the worst of ten distributions was 9 at k = 256 and at 8192. Of gfx950 nothing is
// known.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/batch.h"

namespace libsgemm::gpu {

enum class Scheme { bf16x3, fp16x2, bf16, fp16, tf32 };

constexpr float kLowScale = 0x1p-11f;  // of fp16x2's second split: without it rows of wide range lose bits
constexpr int kOuterPad = 128, kDepthPad = 64;

// Of mode fp32_fast: the powers of two that a row spans without excess, the least k, and the largest sum of the
// excesses of rows and columns.
constexpr int kNarrow = 27;
constexpr int64_t kLeastFast = 256;
constexpr int kMostSmall = 8;  // of kSplitTile elements of a dense row
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

// One split operand, or some rows of it, a multiple of kOuterPad. Of product i of a batch, each thing is i times its
// product_... stride further on; words are product_most apart.
struct Splits {
  char *base;           // null: only its words are there, and the product converts the operand itself
  int64_t rows, ld;     // elements; ld: steps of k
  int64_t split_bytes;  // from one split to the next
  int64_t product_bytes;
  uint32_t *most, *block_most;  // of each row, of each kOuterPad rows; null unless rows are scaled
  int64_t product_most;
  // Null but in mode fp32_fast. Of each row 2^32 less the bits of the smallest magnitude that is not zero, 0 if there
  // is none; of each kOuterPad rows the excess, and whether one of them is not dense.
  uint32_t *least, *excess, *sparse;
};

// ---- Scaling and special values, of schemes with scaled rows

// Tiles whose terms may leave FP32's range, or that hold NaN or Inf, are computed by FFMA: partial sums must overflow
// just where FP32's do. `most_a`, `most_b`: bits of the largest magnitudes of the tile's rows of A and columns of B.
// 2^(ea + 1) 2^(eb + 1) k bounds every partial sum.
LIBSGEMM_HOST_DEVICE inline bool needs_ffma(uint32_t most_a, uint32_t most_b, int log2_k) {
  const int ea = static_cast<int>(most_a >> 23) - 127, eb = static_cast<int>(most_b >> 23) - 127;
  return ea == 128 || eb == 128 || ea + eb + 2 + log2_k > 127;
}

// Rounded up.
inline int log2_of(int64_t k) {
  int log2 = 0;
  while (log2 < 62 && (int64_t{1} << log2) < k) ++log2;
  return log2;
}

// Which tiles of kOuterPad x kOuterPad these are; in mode fp32_fast also those of too much excess, or all. They are
// left out by the products of splits, and computed from the operands themselves: by FP32, in mode fp32_fast with sums
// in FP64.
struct Guard {
  const uint32_t *a, *b;  // of each kOuterPad rows of A, columns of B
  int64_t product_most;
  int log2_k;  // of the whole product, rounded up
  // Of mode fp32_fast; null: not asked, or not known.
  const uint32_t *excess_a, *excess_b;
  const uint32_t *sparse_a, *sparse_b;
  uint32_t most_excess;
  bool all;  // nothing has been surveyed

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
  const char *source;  // of the first product, at the first step of this panel of k
  int64_t product_bytes, ld;
  int64_t outer, k;        // k: of this panel
  bool along_k;            // consecutive elements are steps of k
  bool vectors;            // rows along k start at multiples of 4 elements
  unsigned survey, split;  // blocks of either pass; 0: the operand is not to be written
  Splits splits;
};

struct PassProblem {
  PassOperand a, b;

  bool wants_ranges() const { return a.splits.least != nullptr || b.splits.least != nullptr; }
};

constexpr int kPassThreads = 256;
constexpr int kSplitTile = 64;                        // outer x k of a block
constexpr int kSurveyRows = 8, kSurveyDepth = 1024;   // of a block, along k
constexpr int kSurveyOuter = 128, kSurveySteps = 64;  // of a block, along the outer side

// The passes of the schemes with scaled rows (splits_write), and the products of the guard's tiles from the operands
// themselves by FP32 fused multiply-adds (splits_repair). Each backend that has such rows defines them.
libsgemm_status_t launch_survey(const PassProblem &p, int64_t products, const Launch &launch, Error *error);
libsgemm_status_t launch_split(Scheme scheme, const PassProblem &p, int64_t products, const Launch &launch,
                               Error *error);
libsgemm_status_t launch_repair(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error);
// The same with sums in FP64 (splits_repair_fp64): of backends that have rows of mode fp32_fast.
libsgemm_status_t launch_repair_fp64(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error);

}  // namespace libsgemm::gpu
