// A class of calls for which the same kernel is the fastest. `libsgemm run --record` writes classes, and `libsgemm
// tune` keeps a kernel for each. Sizes count exactly; leading dimensions, strides and addresses only by their
// alignment; alpha and beta only by whether they are 0, 1 or another number.
#pragma once

#include <cstdint>
#include <string>

#include "desc.h"

namespace libsgemm {

// Plain bytes without holes, so that a whole object can be compared, hashed and kept in shared memory.
struct CallClass {
  enum Factor : uint8_t { kZero, kOne, kOther };
  // An alignment is the largest power of two up to kMostAlignment that divides a distance in bytes or an address; 0:
  // the distance is 0, or the call has none. Kernels depend on no larger alignment.
  static constexpr uint8_t kMostAlignment = 16;

  int64_t m, n, k, batch_count;  // k is m or n for one-sided routines
  uint8_t routine, type, math_mode, batch;
  uint8_t transa, transb, right, lower, unit;  // 0 or 1; 0 where the routine has no such argument
  uint8_t alpha, beta;                         // Factor
  uint8_t ld[3], address[3], stride[3];        // alignments for A, B and C
  uint8_t unused[4];                           // 0

  bool operator==(const CallClass &other) const;
};
static_assert(sizeof(CallClass) == 56, "without holes");

CallClass class_of(const GemmDesc &desc);
uint64_t hash_of(const CallClass &call);

// Returns a call of the class with the smallest leading dimensions and strides. Its addresses are NULL; the caller
// fills them in. kOther becomes -1, with which C neither grows nor vanishes when a call is repeated.
GemmDesc describe(const CallClass &call);

// One line: "sgemm op=NT m=64 n=32 k=4096 ld=16,16,4 at=16,16,16 alpha=1 beta=0 math=fp32".
std::string to_text(const CallClass &call);
// Parses such a line; the words after the routine may be in any order. Without `ld`, `at` and `stride` all is aligned;
// without `alpha`, `beta` and `math` they are 1, 0 (trsm: 1) and fp32. Returns false, with the reason in *problem, if
// the line is wrong.
bool class_from_text(const std::string &text, CallClass *call, std::string *problem);

}  // namespace libsgemm
