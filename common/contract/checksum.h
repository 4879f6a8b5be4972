// The checksum of a product, on host and device. docs/kernels/verification-bounds.md derives it and defines L, w_j and
// |B_l|. A column of B with NaN or Inf has the sign 0; such values of B and C add nothing to sums.
#pragma once

#include <cmath>
#include <cstdint>

#include "math_mode.h"

namespace libsgemm {

// L: a correct row is refused with a probability of 2 exp(-32) = 3e-14.
constexpr double kChecksumDeviations = 4;

// w_j: the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
LIBSGEMM_HOST_DEVICE inline double checksum_sign(uint64_t seed, int64_t j) {
  uint64_t z = seed + static_cast<uint64_t>(j) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) >> 63 != 0 ? 1.0 : -1.0;
}

LIBSGEMM_HOST_DEVICE inline bool checksum_finite(double x) { return x - x == 0; }

// The loss of a truncating kernel below the normal range of inputs. It aligns products by exponents of that range: it
// cuts off `part` of a product in which `least`, the smallest normal input, replaces smaller factors.
struct ChecksumCut {
  double part, least;  // part 0: does not truncate
};

struct ChecksumBound {
  libsgemm_math_mode_t mode;
  double factor;  // f of verify.h
  double alpha;   // magnitude
  double columns;
  double norms, norm, widest;  // sum, 2-norm and maximum of the norms |B_l|
  double terms;                // terms of an element
  ChecksumCut cut;
  // An element's loss below the normal range, in addition to f. floor: by rounding its terms. scaled_first: per unit of
  // the other factor's magnitude, if a kernel multiplies one factor by alpha first.
  double floor, scaled_first;
};

constexpr double kChecksumSmallest = 0x1p-149;

// The caller fills in the norms if checksum_needs_norms().
LIBSGEMM_HOST_DEVICE inline ChecksumBound checksum_bound(libsgemm_math_mode_t mode, double factor, double alpha,
                                                         double terms, double columns, const ChecksumCut &cut) {
  const double magnitude = alpha < 0 ? -alpha : alpha;
  ChecksumBound b = {};
  b.mode = mode;
  b.factor = factor;
  b.alpha = magnitude;
  b.columns = columns;
  b.terms = terms;
  b.cut = cut;
  b.floor = kChecksumSmallest * (mode_traits(mode).products * terms + 2) * (magnitude > 1 ? magnitude : 1);
  b.scaled_first = magnitude == 1 ? 0 : kChecksumSmallest;
  return b;
}

LIBSGEMM_HOST_DEVICE inline bool checksum_needs_norms(libsgemm_math_mode_t mode, double alpha, const ChecksumCut &cut) {
  return mode_traits(mode).loses_bits() || (alpha != 1 && alpha != -1) || cut.part > 0;
}

// Row i: sum_l |A_il| |B_l|, sum_l |A_il|, |beta| |C0_i|.
struct ChecksumRow {
  double size, plain, old;
};

// A row's loss in addition to rounding: by splits, and below the normal range of inputs (verify.h).
LIBSGEMM_HOST_DEVICE inline double checksum_lost(const ChecksumRow &row, const ChecksumBound &b) {
  const ModeTraits mode = mode_traits(b.mode);
  if (mode.loses_bits()) {
    const double least = mode.lost_always > 0 ? mode.lost_always * (b.norms + row.plain * sqrt(b.columns)) : 0;
    return mode.lost_of_most * (row.plain * b.norms + row.plain * b.norm) + least;
  }
  return b.cut.part * b.cut.least * (b.norms + (row.plain + b.cut.least * b.terms) * sqrt(b.columns));
}

// A correct kernel may produce Inf or NaN in the row. The sums are upper bounds of the largest element.
LIBSGEMM_HOST_DEVICE inline bool checksum_leaves_range(const ChecksumRow &row, const ChecksumBound &b) {
  constexpr double kLargest = 3.4028234663852886e38;
  const double limit = kLargest / (1 + b.factor);
  if (row.size > limit || b.alpha * row.size + row.old > limit) return true;
  return b.alpha != 1 && (b.alpha * row.plain > kLargest || b.alpha * b.widest > kLargest);
}

LIBSGEMM_HOST_DEVICE inline double checksum_ratio(double computed, double wanted, const ChecksumRow &row,
                                                  const ChecksumBound &b) {
  const double error = computed < wanted ? wanted - computed : computed - wanted;
  const double rounding = b.factor * (b.alpha * row.size + row.old) + b.alpha * checksum_lost(row, b);
  const double below = b.columns * (b.floor + b.scaled_first * row.plain) + sqrt(b.columns) * b.scaled_first * b.norms;
  return error / (kChecksumDeviations * rounding + below);
}

// The numbers (start + i * step) mod all, i < chosen, of equal blocks of rows or columns; step is coprime to all. A
// block's probability is chosen / all.
struct BlockChoice {
  int64_t all, chosen, start, step;

  LIBSGEMM_HOST_DEVICE int64_t at(int64_t i) const { return (start + i * step) % all; }
};

constexpr int64_t kChecksumRows = 32, kChecksumColumns = 128;

struct Checksum {
  uint64_t seed;
  BlockChoice rows, columns;
  bool transposed;  // sums go down the columns of C: rows and columns are those of C^T
  double factor;    // f of verify.h; used after the product, like the next two
  ChecksumCut cut;
  libsgemm_math_mode_t mode;
};

constexpr int kChecksumResults = 64;  // see Backend::checksum

// Covers all of C if that is cheap compared with the product, otherwise a part.
Checksum draw_checksum(int64_t m, int64_t n, int64_t k, uint64_t seed);

}  // namespace libsgemm
