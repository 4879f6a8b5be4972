// The checksum of a product: what verification on the host and on a device share (verify.h says what it tells).
//
// With w_j drawn from {1, -1} for each column j, and E the error of C = alpha A B + beta C0,
//   sum_j w_j E_ij = sum_j w_j (C_ij - beta C0_ij) - alpha sum_l A_il (sum_j w_j B_lj),
// which takes one pass over each matrix. The signs are independent of the errors, so by Hoeffding's inequality the sum
// exceeds L sqrt(sum_j b_ij^2) with a probability below 2 exp(-L^2 / 2) if |E_ij| <= b_ij, the bound of an element. By
// Minkowski's inequality sqrt(sum_j (|A||B|)_ij^2) <= sum_l |A_il| |B_l|, with |B_l| the 2-norm of row l, which comes
// out of the same passes. A column of B that holds NaN or Inf has no sign but 0, and what is not finite in B and C adds
// nothing to sums. Source of the idea: Huang and Abraham, IEEE Trans. Computers C-33 (1984); with random signs:
// Freivalds (1977).
#pragma once

#include <cmath>
#include <cstdint>

#include "math_mode.h"

namespace libsgemm {

// L. The root mean square of rounding errors is below half of their bounds, also where sums are truncated: then a row
// is wrongly refused with a probability of 2 exp(-32) = 3e-14.
constexpr double kChecksumDeviations = 4;

// w_j, of the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
LIBSGEMM_HOST_DEVICE inline double checksum_sign(uint64_t seed, int64_t j) {
  uint64_t z = seed + static_cast<uint64_t>(j) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) >> 63 != 0 ? 1.0 : -1.0;
}

LIBSGEMM_HOST_DEVICE inline bool checksum_finite(double x) { return x - x == 0; }

// What a row that truncates cuts off where inputs are below their normal range: it aligns a product by the exponents of
// that range, so `part` of `least`, the smallest normal input, in the place of each factor that is smaller.
struct ChecksumCut {
  double part, least;  // part 0: it does not truncate
};

// What the rows of C are held to.
struct ChecksumBound {
  libsgemm_math_mode_t mode;
  double factor;               // f of verify.h
  double alpha;                // its magnitude
  double columns;              // of C
  double norms, norm, widest;  // of the norms |B_l|: their sum, their 2-norm, the largest
  double terms;                // of an element
  ChecksumCut cut;
  // What an element loses below the normal range, beside f: by the roundings of its terms, and for each unit of the
  // magnitude of the factors if alpha multiplies the others first.
  double floor, scaled_first;
};

constexpr double kChecksumSmallest = 0x1p-149;  // of FP32

// With norms to be filled in: they matter if checksum_needs_norms(). `terms`: of an element.
LIBSGEMM_HOST_DEVICE inline ChecksumBound checksum_bound(libsgemm_math_mode_t mode, double factor, double alpha,
                                                         double terms, double columns, const ChecksumCut &cut) {
  const double magnitude = alpha < 0 ? -alpha : alpha;
  const double products = mode == LIBSGEMM_MATH_BF16X6 ? 6 : 1;
  ChecksumBound b = {};
  b.mode = mode;
  b.factor = factor;
  b.alpha = magnitude;
  b.columns = columns;
  b.terms = terms;
  b.cut = cut;
  b.floor = kChecksumSmallest * (products * terms + 2) * (magnitude > 1 ? magnitude : 1);
  b.scaled_first = magnitude == 1 ? 0 : kChecksumSmallest;
  return b;
}

LIBSGEMM_HOST_DEVICE inline bool checksum_needs_norms(libsgemm_math_mode_t mode, double alpha, const ChecksumCut &cut) {
  return splits(mode) || (alpha != 1 && alpha != -1) || cut.part > 0;
}

// Of row i: sum_l |A_il| |B_l|, sum_l |A_il|, and |beta| |C0_i|.
struct ChecksumRow {
  double size, plain, old;
};

// What may be lost of the sum of a row beside rounding: by parts of inputs in the modes that split them, and by what is
// cut off below the normal range of inputs; see verify.h.
LIBSGEMM_HOST_DEVICE inline double checksum_lost(const ChecksumRow &row, const ChecksumBound &b) {
  if (b.mode == LIBSGEMM_MATH_FP16X3) return 0x1p-49 * (row.plain * b.norms + row.plain * b.norm);
  if (b.mode == LIBSGEMM_MATH_BF16X6) return 0x1p-133 * (b.norms + row.plain * sqrt(b.columns));
  return b.cut.part * b.cut.least * (b.norms + (row.plain + b.cut.least * b.terms) * sqrt(b.columns));
}

// Whether an element of the row may be Inf or NaN in a right kernel: see verify.h. The sums stand for the largest.
LIBSGEMM_HOST_DEVICE inline bool checksum_leaves_range(const ChecksumRow &row, const ChecksumBound &b) {
  constexpr double kLargest = 3.4028234663852886e38;
  const double limit = kLargest / (1 + b.factor);
  if (row.size > limit || b.alpha * row.size + row.old > limit) return true;
  return b.alpha != 1 && (b.alpha * row.plain > kLargest || b.alpha * b.widest > kLargest);
}

// |error| / bound of the sum of a row. What is not finite has been left out.
LIBSGEMM_HOST_DEVICE inline double checksum_ratio(double computed, double wanted, const ChecksumRow &row,
                                                  const ChecksumBound &b) {
  const double error = computed < wanted ? wanted - computed : computed - wanted;
  const double rounding = b.factor * (b.alpha * row.size + row.old) + b.alpha * checksum_lost(row, b);
  const double below = b.columns * (b.floor + b.scaled_first * row.plain) + sqrt(b.columns) * b.scaled_first * b.norms;
  return error / (kChecksumDeviations * rounding + below);
}

// Some of the blocks of equal size that rows or columns are cut into: number (start + i * step) mod all, i < chosen,
// with step coprime to all. Any block is among them with probability chosen / all.
struct BlockChoice {
  int64_t all, chosen, start, step;

  LIBSGEMM_HOST_DEVICE int64_t at(int64_t i) const { return (start + i * step) % all; }
};

// The rows and columns of C that a checksum on a device covers.
constexpr int64_t kChecksumRows = 32, kChecksumColumns = 128;  // of a block

struct Checksum {
  uint64_t seed;
  BlockChoice rows, columns;
  bool transposed;            // sums go down the columns of C: rows and columns are those of its transpose
  double factor;              // f of verify.h; needed behind the product only
  ChecksumCut cut;            // likewise
  libsgemm_math_mode_t mode;  // arithmetic of the product, likewise
};

constexpr int kChecksumResults = 64;  // see Backend::checksum

// A checksum of an m x n x k product, drawn from the seed: all of C if that is cheap beside the product, else a part.
Checksum draw_checksum(int64_t m, int64_t n, int64_t k, uint64_t seed);

}  // namespace libsgemm
