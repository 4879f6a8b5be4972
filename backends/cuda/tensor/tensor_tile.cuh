// Operand tiles for tensor cores, of 16 or 32-bit elements in the order of global memory:
//
//   K-major (AlongK)  a row for each outer element, tile_k elements long
//   MN-major          a row for each k, tile_m or tile_n elements long
//
// A row consists of 16-byte chunks. A Layout places chunk c of row r:
//
//   Padded     16 bytes between rows, so that the same chunk of 8 rows is in different banks; for wmma
//   Swizzled   at chunk c ^ r % 8 of its 128-byte line (r counts lines if rows are shorter); for ldmatrix
//
// Unlike in gpu/tiles/tile.h the last k-tile is the short one: a short first one would make later chunks unaligned.
// Elements beyond the matrix become zeros.
#pragma once

#include "contract/desc.h"
#include "dynamic_shared.cuh"
#include "gpu/tiles/tile.h"
#include "ptx.h"

namespace libsgemm::cuda {

using namespace gpu;

enum class Number { f16, bf16, tf32 };  // tf32 is float in memory

template <Number kNumber>
constexpr int kNumberBytes = kNumber == Number::tf32 ? 4 : 2;

template <Number kNumber>
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
constexpr bool kHasNumber = true;
#else
constexpr bool kHasNumber = kNumber == Number::f16;
#endif

// A kernel's Config adds stages; blocks, which with the threads bounds the registers; peak_fraction, relative to the
// rate of 16-bit numbers.
template <Number kNumber, int TileM, int TileN, int TileK, int WarpM, int WarpN>
struct TensorShape {
  static constexpr Number number = kNumber;
  static constexpr int tile_m = TileM, tile_n = TileN, tile_k = TileK;
  static constexpr int warp_m = WarpM, warp_n = WarpN;
  static constexpr int warp_rows = TileM / WarpM, warp_columns = TileN / WarpN;
  static constexpr int threads = 32 * warp_rows * warp_columns;
  static constexpr int k_groups = 1;            // groups of threads, which share the steps of a k-tile
  static constexpr bool any_alignment = false;  // false: the operands' columns start at multiples of 16 bytes
  static constexpr double odd_lines = 1;        // factor on the cost if a leading dimension is odd and k deep
  static_assert(TileM % WarpM == 0 && TileN % WarpN == 0 && WarpM % 16 == 0 && WarpN % 16 == 0, "warps cover the tile");
};

template <class Config, Number kNumber>
struct WithNumber : Config {
  static constexpr Number number = kNumber;
};

template <int RowBytes>
struct Padded {
  static constexpr int pitch = RowBytes + 16, period = 1;
  __device__ __forceinline__ static int at(int row, int chunk) { return row * pitch + chunk * 16; }
  // The address `bytes` further in the row. The two have no bit in common, so exclusive or adds them in a swizzle.
  __device__ __forceinline__ static uint32_t further(uint32_t address, int bytes) { return address + bytes; }
};

template <int RowBytes>
struct Swizzled {
  static constexpr int pitch = RowBytes;
  static constexpr int chunks = RowBytes / 16 < 8 ? RowBytes / 16 : 8;
  static constexpr int rows = 8 / chunks;  // rows of a line of 128 bytes
  static constexpr int period = 8;         // rows after which the order of chunks repeats
  static_assert((chunks & (chunks - 1)) == 0, "a power of two");
  __device__ __forceinline__ static int at(int row, int chunk) {
    return row * pitch + (chunk ^ (row / rows) % chunks) * 16;
  }
  __device__ __forceinline__ static uint32_t further(uint32_t address, int bytes) { return address ^ bytes; }
};

// A thread's share of an operand's tiles.
template <Number kNumber, int Outer, int Depth, int Threads, bool AlongK, template <int> class LayoutOf>
struct TensorTile {
  static constexpr int element_bytes = kNumberBytes<kNumber>;
  static constexpr bool along_k = AlongK, unaligned = false;
  static constexpr int rows = AlongK ? Outer : Depth, row_elements = AlongK ? Depth : Outer;
  static constexpr int row_bytes = row_elements * element_bytes;
  using Layout = LayoutOf<row_bytes>;
  using Staged = uint4;
  static constexpr int bytes = rows * Layout::pitch;
  static constexpr int per_chunk = 16 / element_bytes, row_chunks = row_bytes / 16;
  static constexpr int copies = rows * row_chunks / Threads;
  static constexpr int row_step = Threads / row_chunks;  // rows to a thread's next copy
  static_assert(copies * Threads == rows * row_chunks && row_step * row_chunks == Threads, "whole rows at once");
  static_assert(row_step % Layout::period == 0 || copies == 1, "at() of a thread's copies differs by whole pitches");

  const char *source;
  int64_t step_bytes, tile_bytes;  // bytes to the next copy, to the next k-tile
  int target;
  // Inside the matrix: rows from the thread's first one on, k left from its chunk on (K-major); bytes of its chunk,
  // rows of k left (MN-major).
  int outer_room;
  int64_t k_room;

  // `extent`: outer elements from `first_outer` on. The block's k is [first_k, k).
  __device__ __forceinline__ TensorTile(const void *operand, int64_t ld, int64_t first_outer, int64_t extent,
                                        int64_t first_k, int64_t k) {
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / row_chunks, chunk = thread % row_chunks;
    const char *base = global(static_cast<const char *>(operand));
    const int64_t of_row = AlongK ? first_outer : first_k, of_column = AlongK ? first_k : first_outer;
    source = base + ((of_row + row) * ld + of_column + chunk * per_chunk) * element_bytes;
    step_bytes = row_step * ld * element_bytes;
    tile_bytes = AlongK ? Depth * element_bytes : Depth * ld * element_bytes;
    target = Layout::at(row, chunk);
    if constexpr (AlongK) {
      const int64_t room = extent - row;
      outer_room = static_cast<int>(room < rows ? room : rows);
      k_room = k - first_k - chunk * per_chunk;
    } else {
      const int64_t room = (extent - chunk * per_chunk) * element_bytes;
      outer_room = static_cast<int>(room > 16 ? 16 : room < 0 ? 0 : room);
      k_room = k - first_k - row;
    }
  }

  __device__ __forceinline__ int valid_bytes(int i) const {
    if constexpr (AlongK) {
      const int64_t left = k_room * element_bytes;
      const int along = left > 16 ? 16 : left < 0 ? 0 : static_cast<int>(left);
      return i * row_step < outer_room ? along : 0;
    } else {
      return i * row_step < k_room ? outer_room : 0;
    }
  }

  // Requires columns that start at multiples of 16 bytes.
  __device__ __forceinline__ void copy_async(char *shared) {
    const char *from = source;
#pragma unroll
    for (int i = 0; i < copies; ++i, from += step_bytes) {
      ptx::copy_async_part(shared + target + i * row_step * Layout::pitch, from, valid_bytes(i));
    }
    advance();
  }
  __device__ __forceinline__ void advance() {
    source += tile_bytes;
    k_room -= Depth;
  }

  __device__ __forceinline__ void load(uint4 (&staged)[copies]) {
    const char *from = source;
#pragma unroll
    for (int i = 0; i < copies; ++i, from += step_bytes) {
      const int valid = valid_bytes(i);
      uint4 x = make_uint4(0, 0, 0, 0);
      if (valid == 16) {
        x = *reinterpret_cast<const uint4 *>(from);
      } else {
        x.x = load_word(from, valid), x.y = load_word(from + 4, valid - 4);
        x.z = load_word(from + 8, valid - 8), x.w = load_word(from + 12, valid - 12);
      }
      staged[i] = x;
    }
    advance();
  }
  __device__ __forceinline__ void store(char *shared, const uint4 (&staged)[copies]) const {
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      *reinterpret_cast<uint4 *>(shared + target + i * row_step * Layout::pitch) = staged[i];
    }
  }

 private:
  __device__ __forceinline__ static uint32_t load_word(const char *from, int valid) {
    if constexpr (element_bytes == 4) {
      return valid > 0 ? *reinterpret_cast<const uint32_t *>(from) : 0;
    } else {
      const uint32_t low = valid > 0 ? *reinterpret_cast<const uint16_t *>(from) : 0;
      const uint32_t high = valid > 2 ? *reinterpret_cast<const uint16_t *>(from + 2) : 0;
      return low | high << 16;
    }
  }
};

// TensorTile for a 16-bit operand at any alignment, one element at a time through registers, always K-major in shared
// memory. Consecutive threads read along the contiguous dimension: a K-major row has row_chunks threads, an MN-major
// one a single thread.
template <Number kNumber, int Outer, int Depth, int Threads, template <int> class LayoutOf>
struct ElementTile {
  static constexpr int element_bytes = kNumberBytes<kNumber>;
  static constexpr bool along_k = true;
  static constexpr int row_bytes = Depth * element_bytes, row_chunks = row_bytes / 16, row_step = Threads / row_chunks;
  using Layout = LayoutOf<row_bytes>;
  using Staged = uint4;
  static constexpr int bytes = Outer * Layout::pitch;
  static constexpr int copies = row_chunks;
  static_assert(element_bytes == 2 && Outer == Threads && row_step * row_chunks == Threads, "as many rows as threads");
  static_assert(Layout::period == 1, "at() of a thread's copies differs by a constant");

  const uint16_t *source;
  int64_t element_step, copy_step, tile_step;  // elements to the next element of a chunk, copy, k-tile
  int target, target_step;
  int copies_inside;  // copies of rows inside the matrix
  int copy_depth;     // k from one copy to the next
  int64_t k_room;     // k left from the first chunk on

  __device__ __forceinline__ ElementTile(const void *operand, int64_t ld, bool lies_along_k, int64_t first_outer,
                                         int64_t extent, int64_t k) {
    const int thread = static_cast<int>(threadIdx.x);
    const int row = lies_along_k ? thread / row_chunks : thread, chunk = lies_along_k ? thread % row_chunks : 0;
    const int64_t outer_step = lies_along_k ? ld : 1, room = extent - row;
    element_step = lies_along_k ? 1 : ld;
    source =
        global(static_cast<const uint16_t *>(operand)) + (first_outer + row) * outer_step + chunk * 8 * element_step;
    copy_step = lies_along_k ? row_step * ld : 8 * ld;
    tile_step = Depth * element_step;
    target = Layout::at(row, chunk);
    target_step = lies_along_k ? row_step * Layout::pitch : 16;
    const int64_t inside = lies_along_k ? (room + row_step - 1) / row_step : room > 0 ? copies : 0;
    copies_inside = static_cast<int>(inside < copies ? inside : copies);
    copy_depth = lies_along_k ? 0 : 8;
    k_room = k - chunk * 8;
  }

  __device__ __forceinline__ void load(uint4 (&staged)[copies]) {
    const uint16_t *from = source;
#pragma unroll
    for (int i = 0; i < copies; ++i, from += copy_step) {
      const int64_t left = i < copies_inside ? k_room - i * copy_depth : 0;
      const int valid = left < 8 ? static_cast<int>(left) : 8;
      const uint16_t *element = from;
      uint32_t word[4];
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        const uint32_t low = 2 * w < valid ? *element : 0;
        element += element_step;
        const uint32_t high = 2 * w + 1 < valid ? *element : 0;
        element += element_step;
        word[w] = low | high << 16;
      }
      staged[i] = make_uint4(word[0], word[1], word[2], word[3]);
    }
    source += tile_step;
    k_room -= Depth;
  }
  __device__ __forceinline__ void store(char *shared, const uint4 (&staged)[copies]) const {
#pragma unroll
    for (int i = 0; i < copies; ++i) *reinterpret_cast<uint4 *>(shared + target + i * target_step) = staged[i];
  }
};

template <Number kNumber, int Outer, int Depth, int Threads, bool>
struct ElementTileOf {
  using type = ElementTile<kNumber, Outer, Depth, Threads, Padded>;
};

}  // namespace libsgemm::cuda
