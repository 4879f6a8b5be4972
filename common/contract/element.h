// The error bound of an element, on host and device (docs/kernels/verification-bounds.md).
#pragma once

#include <cmath>

#include "checksum.h"

namespace libsgemm {

// Magnitudes in a row of op(A), a column of op(B), or several.
struct Line {
  double sum, largest;

  LIBSGEMM_HOST_DEVICE void add(double magnitude) {
    sum += magnitude;
    if (largest < magnitude) largest = magnitude;
  }
};

// Modes that split inputs: the sum, and the most that an element loses.
struct Parts {
  double sum, lost;
};

LIBSGEMM_HOST_DEVICE inline Parts parts_of(const Line &line, libsgemm_math_mode_t mode) {
  const ModeTraits traits = mode_traits(mode);
  return {line.sum, fmax(traits.lost_of_most * line.largest, traits.lost_always)};
}

LIBSGEMM_HOST_DEVICE inline double lost_by(const Parts &x, const Parts &y) { return x.lost * y.sum + x.sum * y.lost; }

struct ElementBound {
  libsgemm_math_mode_t mode;
  double factor;       // f of verify.h
  double alpha, beta;  // beta 0: C was not read
  double terms;        // terms of an element
  ChecksumCut cut;
  // Loss of an operation below the normal range; in threads that flush denormals, of an operand, too.
  double smallest = kChecksumSmallest;
  bool directed = false;  // see FloatMode
};

LIBSGEMM_HOST_DEVICE inline bool flushes(double smallest) { return smallest >= 0x1p-126; }

struct Limits {
  double factor, magnitude;  // their product is the bound in the normal range
  double lost;               // loss by splits
  double floor;              // loss of products below the normal range
  bool leaves_range;         // a correct kernel may leave the range, although the result is inside it
  bool directed;
};

LIBSGEMM_HOST_DEVICE inline double error_ratio(double computed, double wanted, const Limits &l) {
  // Beyond FP32's range a kernel may overflow to Inf, or in partial sums to NaN. No finite number may hide NaN and Inf
  // of the input, and none may appear without cause.
  if (!checksum_finite(wanted)) return checksum_finite(computed) ? __builtin_huge_val() : 0;
  if (l.leaves_range && l.directed) return 0;
  if (!checksum_finite(computed)) return l.leaves_range ? 0 : __builtin_huge_val();
  return fabs(computed - wanted) / (l.factor * l.magnitude + l.lost + l.floor);
}

// The loss of products below the normal range grows with alpha. Sums are exact there, and so is C, unless a thread
// flushes it to zero.
LIBSGEMM_HOST_DEVICE inline double element_floor(const ElementBound &b) {
  const double terms = b.terms * mode_traits(b.mode).products, size = fmax(fabs(b.alpha), 1.0);
  if (flushes(b.smallest)) return b.smallest * (2 * terms + 4) * fmax(size, fabs(b.beta));
  return b.smallest * (terms + 2) * size;
}

// Loss of an operand that is flushed or multiplied by alpha first, per unit of the other factor.
LIBSGEMM_HOST_DEVICE inline double operand_floor(const ElementBound &b) {
  const double size = fabs(b.alpha);
  return b.smallest * ((size != 1 ? 1 : 0) + (flushes(b.smallest) ? size : 0));
}

// In FP64: `value` is the sum of the terms, `magnitude` that of their magnitudes, `lost` that of their loss by splits.
// `old` is 0 if C was not read.
struct ProductElement {
  double computed, old, value, magnitude, lost;
};

// |error| / bound. `factors()`, the Line of all factors of the terms, is called only where it matters.
template <typename Factors>
LIBSGEMM_HOST_DEVICE double product_ratio(const ProductElement &e, const ElementBound &b, const Factors &factors) {
  constexpr double kLargest = 3.4028234663852886e38;
  const double size = fabs(b.alpha), add = b.beta * e.old, wanted = b.alpha * e.value + add;
  const double scaled = size * e.magnitude + fabs(add), highest = kLargest / (1 + b.factor);
  Limits l = {b.factor, scaled, size * e.lost, element_floor(b), scaled > highest || e.magnitude > highest, b.directed};
  const double worst = error_ratio(e.computed, wanted, l);
  if (worst <= 1 || (b.cut.part <= 0 && operand_floor(b) <= 0)) return worst;
  const Line all = factors();
  // The smallest normal input replaces smaller ones (ChecksumCut).
  if (b.cut.part > 0) l.lost += size * b.cut.part * b.cut.least * (all.sum + b.cut.least * b.terms);
  // Alpha times a factor may overflow, or lose bits that the other factor magnifies.
  l.floor += operand_floor(b) * all.sum;
  if (size != 1) l.leaves_range = l.leaves_range || size * all.largest > kLargest;
  return error_ratio(e.computed, wanted, l);
}

}  // namespace libsgemm
