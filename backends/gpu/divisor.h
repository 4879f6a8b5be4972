// Division by a multiplication and a shift.
#pragma once

#include <cstdint>

#include "contract/host_device.h"

namespace libsgemm::gpu {

// For dividends from 0 to 2^31 - 1. Source: Granlund and Montgomery, Division by Invariant Integers using
// Multiplication, PLDI 1994.
struct Divisor {
  int value;
  uint32_t multiplier;
  int shift;

  static Divisor of(int value) {
    int shift = 31;
    while (int64_t{1} << (shift - 31) < value) ++shift;
    const uint64_t multiplier = ((uint64_t{1} << shift) - 1) / static_cast<uint64_t>(value) + 1;
    return {value, static_cast<uint32_t>(multiplier), shift};
  }
  LIBSGEMM_HOST_DEVICE int quotient(int n) const {
    return static_cast<int>(static_cast<uint64_t>(static_cast<uint32_t>(n)) * multiplier >> shift);
  }
};

}  // namespace libsgemm::gpu
