// Whether two stored matrices share an element.
#pragma once

#include "desc.h"

namespace libsgemm {

// Exact: submatrices of one array that interleave in memory without sharing an element, as LAPACK passes them, do not
// overlap. Constant time if the address ranges are apart, else proportional to the columns of x.
bool overlap(const Stored &x, const Stored &y);

}  // namespace libsgemm
