// Tells if stored matrices share an element.
#pragma once

#include "contract/desc.h"

namespace libsgemm {

// Exact: submatrices that interleave without sharing an element, as in LAPACK, do not overlap. Constant time if the
// address ranges are apart, else proportional to the columns of x.
bool overlap(const Stored &x, const Stored &y);

// `count` matrices like the first, `step` bytes apart.
struct StoredBatch {
  Stored first;
  int64_t step, count;
};

// Exact. Constant time if the address ranges are apart; else proportional to the items of x, and to the columns of
// those that reach an item of y.
bool overlap(const StoredBatch &x, const StoredBatch &y);

}  // namespace libsgemm
