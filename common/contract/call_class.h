// Calls with the same fastest kernel, for `libsgemm run --record` and `libsgemm tune`. Sizes count exactly. Leading
// dimensions, strides and addresses count by alignment; alpha and beta by whether they are 0, 1 or another number.
#pragma once

#include <cstdint>
#include <string>

#include "desc.h"

namespace libsgemm {

// No holes: compared, hashed and kept in shared memory as bytes.
struct CallClass {
  enum Factor : uint8_t { kZero, kOne, kOther };
  // Alignment: the largest power of two up to kMostAlignment, beyond which no kernel looks, that divides a distance in
  // bytes or an address. 0: the distance is 0, or missing.
  static constexpr uint8_t kMostAlignment = 16;

  int64_t m, n, k, batch_count;  // k is m or n for one-sided routines
  uint8_t routine, type, math_mode, batch;
  uint8_t transa, transb, right, lower, unit;  // 0 or 1; 0: no such argument
  uint8_t alpha, beta;                         // Factor
  uint8_t ld[3], address[3], stride[3];        // alignments of A, B, C
  uint8_t unused[4];                           // 0

  bool operator==(const CallClass &other) const;
};
static_assert(sizeof(CallClass) == 56, "without holes");

CallClass class_of(const GemmDesc &desc);
uint64_t hash_of(const CallClass &call);

// The smallest leading dimensions and strides, no addresses. kOther becomes -1: C keeps its size in repeated calls.
GemmDesc describe(const CallClass &call);

// "sgemm op=NT m=64 n=32 k=4096 ld=16,16,4 at=16,16,16 alpha=1 beta=0 math=fp32".
std::string to_text(const CallClass &call);
// Words after the routine come in any order. Defaults: aligned, alpha 1, beta 0 (trsm: 1), fp32. False: *problem.
bool class_from_text(const std::string &text, CallClass *call, std::string *problem);

}  // namespace libsgemm
