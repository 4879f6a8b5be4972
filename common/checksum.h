// The checksum of a product: what verification on the host and on a device share (verify.h says what it tells).
//
// With w_j drawn from {1, -1} for each column j, and E the error of C = alpha A B + beta C0,
//   sum_j w_j E_ij = sum_j w_j (C_ij - beta C0_ij) - alpha sum_l A_il (sum_j w_j B_lj),
// which takes one pass over each matrix. The signs are independent of the errors, so by Hoeffding's inequality the sum
// exceeds L sqrt(sum_j b_ij^2) with a probability below 2 exp(-L^2 / 2) if |E_ij| <= b_ij, the bound of an element. By
// Minkowski's inequality sqrt(sum_j (|A||B|)_ij^2) <= sum_l |A_il| |B_l|, with |B_l| the 2-norm of row l, which comes
// out of the same passes. Source of the idea: Huang and Abraham, IEEE Trans. Computers C-33 (1984); with random signs:
// Freivalds (1977).
#pragma once

#include <cstdint>

#include "host_device.h"
#include "libsgemm.h"

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

// What the bound of a row of C is made of.
struct ChecksumBound {
  double factor;  // f of verify.h
  double floor;   // below the normal range: of an element
  int64_t columns;
};

LIBSGEMM_HOST_DEVICE inline ChecksumBound checksum_bound(double factor, int64_t k, int64_t columns) {
  return {factor, 0x1p-149 * static_cast<double>(k + 2), columns};
}

// |error| / bound of the sum of a row. `size`: sum_l |alpha A_il| |B_l| + |beta| |C0_i|. `lost`: what parts of inputs
// may lose of it. Sums that are not finite by the inputs have nothing to tell: elements have.
LIBSGEMM_HOST_DEVICE inline double checksum_ratio(double computed, double wanted, double size, double lost,
                                                  const ChecksumBound &b) {
  constexpr double kLargest = 3.4028234663852886e38;
  if (!checksum_finite(wanted)) return 0;
  if (!checksum_finite(computed)) return size > kLargest ? 0 : __builtin_huge_val();
  const double error = computed < wanted ? wanted - computed : computed - wanted;
  return error / (kChecksumDeviations * (b.factor * size + lost) + b.floor * static_cast<double>(b.columns));
}

// `lost` of a row in the modes that split inputs, from the sum of magnitudes of the row of A, and of the norms |B_l|
// their sum and 2-norm; see verify.h.
LIBSGEMM_HOST_DEVICE inline double checksum_lost(libsgemm_math_mode_t mode, double row, double norms, double norm,
                                                 double columns_root) {
  if (mode == LIBSGEMM_MATH_FP16X3) return 0x1p-49 * (row * norms + row * norm);
  if (mode == LIBSGEMM_MATH_BF16X6) return 0x1p-133 * (norms + row * columns_root);
  return 0;
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
  libsgemm_math_mode_t mode;  // arithmetic of the product, likewise
};

constexpr int kChecksumResults = 64;  // see Backend::checksum

// A checksum of an m x n x k product, drawn from the seed: all of C if that is cheap beside the product, else a part.
Checksum draw_checksum(int64_t m, int64_t n, int64_t k, uint64_t seed);

}  // namespace libsgemm
