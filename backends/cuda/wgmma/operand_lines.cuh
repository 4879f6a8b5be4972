// Layouts of tiles that TMA swizzles, and their wgmma descriptors (NVIDIA, PTX ISA, matrix descriptors). CPU tests
// replace instructions.cuh, but not this file.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace libsgemm::cuda::ptx {

// K-major tile, aligned to 8 rows: rows of kLine bytes, whose 16-byte chunks are swizzled within 8 rows. kPitch: bytes
// between groups of 8 rows.
template <int kLine, int kPitch = 8 * kLine>
struct AlongK {
  static constexpr int line = kLine;
  static constexpr bool along_k = true, by_threads = false;
  static constexpr int box_rows = 256;   // TMA's limit
  static constexpr int step_bytes = 32;  // distance between instructions
  static constexpr uint64_t swizzle = kLine == 128 ? 1 : 2;
  static_assert(kLine == 128 || kLine == 64, "the swizzles in use");
  __device__ __forceinline__ static uint64_t descriptor(uint32_t shared) {
    return static_cast<uint64_t>(shared >> 4 & 0x3fff) | uint64_t{1} << 16 | static_cast<uint64_t>(kPitch >> 4) << 32 |
           swizzle << 62;
  }
};

// MN-major tile: blocks of 64 16-bit elements x kDepth k, 128 bytes for each k.
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

// MN-major tile of TF32: blocks of 32 floats x kDepth k, 128 bytes for each k. wgmma reads TF32 only K-major, so
// threads read these blocks and pass the operand x in registers.
//
// An instruction takes 16 rows and 8 k of a warp: lane l has rows l / 4 + 8 h, k l % 4 + 4 q. To avoid bank conflicts,
// lanes with odd l % 4 read h = 1 first, lanes with l % 4 > 1 read q = 1 first; arrange() restores the order.
template <int kDepth>
struct ByThreads {
  static constexpr int line = 128;
  static constexpr bool along_k = false, by_threads = true;
  static constexpr int box_rows = 32;
  static constexpr int step_bytes = 8 * 128;

  uint32_t first;  // address of the lane's first element

  // `row` is a multiple of 16, `shared` of 1024.
  __device__ __forceinline__ ByThreads(uint32_t shared, int row, int lane) {
    const int group = lane / 4, step = lane % 4, h = step & 1, q = step >> 1, k = step + 4 * q;
    const int chunk = (row % 32 / 4 + 2 * h + group / 4) ^ k;
    first = shared + static_cast<uint32_t>(row / 32 * (kDepth * line) + k * line + chunk * 16 + group % 4 * 4);
  }
  // Address of the i-th of the lane's four elements.
  __device__ __forceinline__ uint32_t at(int i) const { return first ^ (i & 1) * 32 ^ (i >> 1) * (4 * line + 64); }
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
