// Checking a result against FP64.
#pragma once

#include "host_matrix.h"

namespace libsgemm {

// The worst |error| / bound over the elements looked at, with the componentwise bound
// 2 sqrt(k + 2) u (|alpha| |A| |B| + |beta| |C|), u = 2^-24; at most 1 if the result is right. Infinite if a value is
// not finite where it should be, or finite where it should not. trsm: of the residual op(A) X - alpha B. `before` is C
// as it was, needed if reads_c(desc). All operands in host memory. SAMPLE: four rows, four columns.
double verify_result(const GemmDesc &desc, const Snapshot *before, libsgemm_verify_t mode);

}  // namespace libsgemm
