// Tiles in shared memory, as TMA lays them down with its swizzle, and how wgmma is told of them (NVIDIA, PTX ISA,
// matrix descriptors). Apart from the instructions themselves, which tests on the CPU replace.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace libsgemm::cuda::ptx {

// Rows of an operand's outer side, each kLine bytes along k: 128 or 64, of which the 16-byte chunks are exchanged
// within 8 rows. Begins at a multiple of 8 rows. kPitch: bytes from 8 rows to the next ones.
template <int kLine, int kPitch = 8 * kLine>
struct AlongK {
  static constexpr int line = kLine;
  static constexpr bool along_k = true;
  static constexpr int step_bytes = 32;  // from one instruction's steps of k to the next one's
  static constexpr uint64_t swizzle = kLine == 128 ? 1 : 2;
  static_assert(kLine == 128 || kLine == 64, "the swizzles in use");
  __device__ __forceinline__ static uint64_t descriptor(uint32_t shared) {
    return static_cast<uint64_t>(shared >> 4 & 0x3fff) | uint64_t{1} << 16 | static_cast<uint64_t>(kPitch >> 4) << 32 |
           swizzle << 62;
  }
};

// Blocks of 64 16-bit elements of the outer side x kDepth steps of k, a step of k in 128 bytes, one block behind the
// other; or of fewer steps, with as much room for each block.
template <int kDepth>
struct AlongOuter {
  static constexpr int line = 128;
  static constexpr bool along_k = false;
  static constexpr int step_bytes = 16 * 128;
  __device__ __forceinline__ static uint64_t descriptor(uint32_t shared) {
    return static_cast<uint64_t>(shared >> 4 & 0x3fff) | static_cast<uint64_t>(kDepth * 128 >> 4) << 16 |
           uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
  }
};

}  // namespace libsgemm::cuda::ptx
