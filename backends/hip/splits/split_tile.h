// Tiles of split operands (gpu/splits/splits.h) in LDS, in units as in unit_tile.h. Splits in the workspace are
// K-major, padded and aligned, so that a thread moves whole units without tests.
#pragma once

#include "gpu/splits/splits.h"
#include "gpu/tiles/tile.h"
#include "hip/tensor/matrix_types.h"

namespace libsgemm::hip {

using namespace libsgemm::gpu;

// A split of Outer rows x Depth k. Unit (c, o) has k = 8 c to 8 c + 7 of row o, at 16 (c Outer + o') bytes, o' = o ^ (8
// c / units), so that eight threads that store contiguous units of neighbouring rows reach all banks.
template <int Outer, int Depth>
struct SplitUnits {
  static constexpr int units = Depth / 8;
  static constexpr int words = Outer * units;
  static_assert(Outer % 8 == 0 && 8 % units == 0, "aligned groups of eight rows");

  __device__ __forceinline__ static int at(int c, int o) { return c * Outer + (o ^ (8 / units * c)); }
};

template <int Outer, int Depth, int Threads, int Count>
struct SplitStream {
  using Units = SplitUnits<Outer, Depth>;
  static constexpr int rows = Units::words / Threads, step = Threads / Units::units;  // a thread's rows; distance
  static constexpr int copies = Count * rows;                                         // split by split
  static constexpr int words = Count * Units::words;                                  // 16 bytes each, in LDS
  using Staged = Words4[copies];
  static_assert(rows * Threads == Units::words, "whole units");

  Global<const char> *base;  // common to all threads
  int64_t split_bytes, step_bytes;
  uint32_t offset;
  int c, row;

  __device__ __forceinline__ SplitStream(const Splits &splits, int64_t first) {
    const int thread = static_cast<int>(threadIdx.x);
    c = thread % Units::units, row = thread / Units::units;
    const int64_t row_bytes = 2 * splits.ld;
    base =
        uniform(global(static_cast<const char *>(splits.base)) + blockIdx.z * splits.product_bytes + first * row_bytes);
    split_bytes = splits.split_bytes, step_bytes = step * row_bytes;
    offset = static_cast<uint32_t>(row) * static_cast<uint32_t>(row_bytes) + static_cast<uint32_t>(16 * c);
  }
  __device__ __forceinline__ void fetch_one(Staged &staged, int i) {
    keep_in_register(offset);
    Global<const char> *from = base + i / rows * split_bytes + i % rows * step_bytes;
    staged[i] = *reinterpret_cast<Global<const Words4> *>(from + offset);
  }
  __device__ __forceinline__ void advance() { base = uniform(base + 2 * Depth); }
  __device__ __forceinline__ void store_one(Words4 *tile, const Staged &staged, int i) const {
    tile[i / rows * Units::words + Units::at(c, row + i % rows * step)] = staged[i];
  }
  // Lane `lane`'s half of the 16 k of a k-step, in the 32 rows from `first` on.
  __device__ __forceinline__ static Words4 read(const Words4 *tile, int q, int lane, int first, int at_step) {
    return tile[q * Units::words + Units::at(2 * at_step + lane / 32, first + lane % 32)];
  }
};

}  // namespace libsgemm::hip
