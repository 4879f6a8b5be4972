// Tiles of 16-bit operands at any alignment, through registers, in the order of global memory. A thread loads two
// neighbouring elements separately and stores them as a word: nothing has to be moved later, which suits small products
// (docs/kernels/mma.md).
#pragma once

#include "tensor_tile.cuh"

namespace libsgemm::cuda {

template <Number kNumber, int Outer, int Depth, int Threads, bool AlongK>
struct PairTile {
  static constexpr int element_bytes = kNumberBytes<kNumber>;
  static constexpr bool along_k = AlongK, unaligned = false;
  static constexpr int rows = AlongK ? Outer : Depth, row_elements = AlongK ? Depth : Outer;
  static constexpr int row_bytes = row_elements * element_bytes;
  using Layout = Padded<row_bytes>;
  using Staged = uint32_t;
  static constexpr int bytes = rows * Layout::pitch, per_chunk = 8;
  static constexpr int row_threads = row_elements / 2, row_step = Threads / row_threads, copies = rows / row_step;
  static_assert(element_bytes == 2 && row_step * row_threads == Threads && copies * row_step == rows, "whole rows");

  const uint16_t *source;
  int64_t copy_step, tile_step;  // elements to the thread's next copy, to the next k-tile
  int target;
  // Inside the matrix: rows from the thread's first one on, k left (K-major); elements of a row, rows of k left
  // (MN-major).
  int outer_room;
  int64_t k_room;

  __device__ __forceinline__ PairTile(const void *operand, int64_t ld, int64_t first_outer, int64_t extent,
                                      int64_t first_k, int64_t k) {
    const int row = static_cast<int>(threadIdx.x) / row_threads, pair = static_cast<int>(threadIdx.x) % row_threads;
    const int64_t of_row = AlongK ? first_outer : first_k, of_column = AlongK ? first_k : first_outer;
    source = global(static_cast<const uint16_t *>(operand)) + (of_row + row) * ld + of_column + 2 * pair;
    copy_step = row_step * ld;
    tile_step = AlongK ? Depth : Depth * ld;
    target = row * Layout::pitch + 4 * pair;
    const int64_t room = extent - (AlongK ? row : 2 * pair);
    outer_room = static_cast<int>(room < Outer ? room : Outer);
    k_room = k - first_k - (AlongK ? 2 * pair : row);
  }

  __device__ __forceinline__ void load(uint32_t (&staged)[copies]) {
    const uint16_t *from = source;
#pragma unroll
    for (int i = 0; i < copies; ++i, from += copy_step) {
      const bool inside = AlongK ? i * row_step < outer_room : i * row_step < k_room;
      const int64_t left = AlongK ? k_room : outer_room;
      const uint32_t low = inside && left > 0 ? from[0] : 0;
      const uint32_t high = inside && left > 1 ? from[1] : 0;
      staged[i] = low | high << 16;
    }
    source += tile_step;
    k_room -= Depth;
  }
  __device__ __forceinline__ void store(char *shared, const uint32_t (&staged)[copies]) const {
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      *reinterpret_cast<uint32_t *>(shared + target + i * row_step * Layout::pitch) = staged[i];
    }
  }
};

template <Number kNumber, int Outer, int Depth, int Threads, bool AlongK>
struct PairTileOf {
  using type = PairTile<kNumber, Outer, Depth, Threads, AlongK>;
};

}  // namespace libsgemm::cuda
