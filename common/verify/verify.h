// Checks a result against FP64.
#pragma once

#include "contract/math_mode.h"
#include "matrix/host_matrix.h"

namespace libsgemm {

// Returns the worst |error| / bound of the elements examined; at most 1: right. Infinite if a value is finite and
// should not be, or the reverse. trsm: of the residual op(A) X - alpha B. `before`: the old C, needed if reads_c(desc).
// Host memory. The caller's floating-point environment does not matter, and no flag is raised.
//
// FULL examines all elements. SAMPLE examines four columns, four rows and a checksum of all of C (checksum.h), chosen
// by `seed`. docs/kernels/verification-bounds.md has its detection rate, the rules for NaN and Inf, and the derivation
// of the bounds below.
//
// The bound is f (|alpha| |A| |B| + |beta| |C|), A and B rounded to the mode's inputs, with u = 2^-24 and f =
//     4 sqrt(k + 2) u
//   + (k / 16 + 1) 2^-23  if the kernel truncates (TF32: k / 8)
//   + 4 u                 BF16X6: products left out
//   + 8 u                 FP16X3: products left out, and bits of inputs that splits do not hold
//   + 2 (k + 2) u         in a thread that does not round to nearest
// Absolute losses, multiplied by the other factors of the product, are added:
// - below the normal range of a truncating kernel's inputs: what it cuts off (ChecksumCut);
// - at the lower end of splits: in FP16X3 2^-49 of the largest input of the row of op(A) or column of op(B), in BF16X6
//   2^-148 of it, or 2^-133 if that is more;
// - below FP32's range: 2^-149 of each product and, if alpha is not 1 or -1, of each element of A and B; trsm: of each
//   element of the solution. In a thread that flushes denormals: 2^-126 of each product, sum and operand.
//
// Inf and NaN are right where a kernel may leave the range, in any order of multiplying by alpha.
double verify_result(const GemmDesc &desc, const Snapshot *before, libsgemm_verify_t mode, Arithmetic arithmetic = {},
                     uint64_t seed = 0);

}  // namespace libsgemm
