// Calls for which the same row is the fastest: what `libsgemm run --record` writes of them, and what `libsgemm tune`
// keeps a row for. Sizes count as they are; of leading dimensions, strides and addresses only what they are divisible
// by, and of alpha and beta only whether they are 0, 1 or another number.
#pragma once

#include <cstdint>
#include <string>

#include "desc.h"

namespace libsgemm {

// Plain bytes without holes, so that it can be compared, hashed and kept in shared memory as a whole.
struct CallClass {
  enum Factor : uint8_t { kZero, kOne, kOther };
  // The largest of these that a distance in bytes or an address is a multiple of; 0: the distance is 0, or the call has
  // none. Rows look no further than at kMostAlignment.
  static constexpr uint8_t kMostAlignment = 16;

  int64_t m, n, k, batch_count;  // of one-sided routines k is m or n
  uint8_t routine, type, math_mode, batch;
  uint8_t transa, transb, right, lower, unit;  // 0 or 1; 0 where the routine has no such argument
  uint8_t alpha, beta;                         // Factor
  uint8_t ld[3], address[3], stride[3];        // alignments, of A, B and C
  uint8_t unused[4];                           // 0

  bool operator==(const CallClass &other) const;
};
static_assert(sizeof(CallClass) == 56, "without holes");

CallClass class_of(const GemmDesc &desc);
uint64_t hash_of(const CallClass &call);

// A call of the class: leading dimensions and strides are the smallest, and its addresses, which are for the caller to
// fill, are NULL. kOther is -1, with which C neither grows nor vanishes when a call is repeated.
GemmDesc describe(const CallClass &call);

// One line: "sgemm op=NT m=64 n=32 k=4096 ld=16,16,4 at=16,16,16 alpha=1 beta=0 math=fp32".
std::string to_text(const CallClass &call);
// The same back, its words behind the first in any order; without `ld`, `at` and `stride` all is aligned, without
// `alpha`, `beta` and `math` they are 1, 0 and fp32. False, with what is wrong in *problem.
bool class_from_text(const std::string &text, CallClass *call, std::string *problem);

}  // namespace libsgemm
