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
  static constexpr bool along_k = true, by_threads = false;
  static constexpr int box_rows = 256;   // that a copy brings at most
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
  static constexpr bool along_k = false, by_threads = false;
  static constexpr int box_rows = 64;
  static constexpr int step_bytes = 16 * 128;
  __device__ __forceinline__ static uint64_t descriptor(uint32_t shared) {
    return static_cast<uint64_t>(shared >> 4 & 0x3fff) | static_cast<uint64_t>(kDepth * 128 >> 4) << 16 |
           uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
  }
};

// Blocks of 32 floats of the outer side x kDepth steps of k, a step of k in 128 bytes. wgmma reads TF32 along k only:
// threads read these, and hand it registers.
//
// A warp's instruction takes 16 rows and 8 steps of k, 4 of them from each thread, which reads them one after the
// other. Lane l wants rows l / 4 + 8 h, steps l % 4 + 4 q; were it h and q of all lanes at once, half of them would
// meet in the same banks. So the lanes of odd l % 4 take the other h first, those of l % 4 > 1 the other q, and what
// comes in another order changes places between registers.
template <int kDepth>
struct ByThreads {
  static constexpr int line = 128;
  static constexpr bool along_k = false, by_threads = true;
  static constexpr int box_rows = 32;
  static constexpr int step_bytes = 8 * 128;

  uint32_t first;  // where the lane begins, of the first instruction

  // Rows `row` on, a multiple of 16, of what begins at `shared`, a multiple of 1024.
  __device__ __forceinline__ ByThreads(uint32_t shared, int row, int lane) {
    const int group = lane / 4, step = lane % 4, h = step & 1, q = step >> 1, k = step + 4 * q;
    const int chunk = (row % 32 / 4 + 2 * h + group / 4) ^ k;
    first = shared + static_cast<uint32_t>(row / 32 * (kDepth * line) + k * line + chunk * 16 + group % 4 * 4);
  }
  // Of the lane's four elements that with the other h, for odd `i`, and the other q, for `i` of 2 and 3.
  __device__ __forceinline__ uint32_t at(int i) const { return first ^ (i & 1) * 32 ^ (i >> 1) * (4 * line + 64); }
  // What the lane has read into the registers, in the instruction's order: [h + 2 q].
  __device__ __forceinline__ static void arrange(float (&x)[4], int lane) {
    if (lane & 1) exchange(x[0], x[1]), exchange(x[2], x[3]);
    if (lane & 2) exchange(x[0], x[2]), exchange(x[1], x[3]);
  }

 private:
  __device__ __forceinline__ static void exchange(float &a, float &b) {
    const float c = a;
    a = b, b = c;
  }
};

}  // namespace libsgemm::cuda::ptx
