#pragma once

#include <cstdint>

namespace libsgemm::gpu {

// True if every column of floats starts at a multiple of 16 bytes.
inline bool columns_aligned(const void *base, int64_t ld) {
  return (reinterpret_cast<uintptr_t>(base) % 16 | static_cast<uint64_t>(ld) % 4) == 0;
}

}  // namespace libsgemm::gpu
