// Checks a result in host memory against FP64.
#pragma once

#include "contract/math_mode.h"
#include "matrix/host_matrix.h"

namespace libsgemm {

// Returns the worst |error| / bound of the elements examined; at most 1: right. Infinite if a value is finite and
// should not be, or the reverse. trsm: the residual op(A) X - alpha B is judged. `before`: the old C, needed if
// reads_c(desc). The caller's floating-point environment does not matter, and no flag is raised.
//
// FULL examines all elements. SAMPLE examines four columns, four rows and a checksum of all of C, chosen by `seed`.
//
// The bound is f (|alpha| |A| |B| + |beta| |C|), A and B rounded to the mode's inputs, and what kernels may lose at the
// ends of the range. docs/kernels/verification-bounds.md derives f, these losses, and the rules for NaN and Inf.
double verify_result(const GemmDesc &desc, const Snapshot *before, libsgemm_verify_t mode, Arithmetic arithmetic = {},
                     uint64_t seed = 0);

}  // namespace libsgemm
