// Tiles of 16-bit operands at any alignment, for the multistage loop. Asynchronous copies take words of 4 bytes. If a
// row starts in the middle of a word, the warp that copied it moves it by an element in shared memory.
//
//   global memory    ... e0 | e1 e2 | e3 e4 | ...
//   copied           xx e0 | e1 e2 | e3 e4 | ...       one word a lane; the word after the row into the padding
//   moved            e0 e1 | e2 e3 | e4 e5 | ...       a lane reads 16 bytes and the next word
//
// A warp has consecutive rows. With an odd ld every other one is moved, otherwise all or none. Nothing outside of the
// matrix is read.
#pragma once

#include "tensor_tile.cuh"

namespace libsgemm::cuda {

template <Number kNumber, int Outer, int Depth, int Threads, bool AlongK>
struct UnalignedTile {
  static constexpr int element_bytes = kNumberBytes<kNumber>;
  static constexpr bool along_k = AlongK, unaligned = true;
  static constexpr int rows = AlongK ? Outer : Depth, row_elements = AlongK ? Depth : Outer;
  static constexpr int row_bytes = row_elements * element_bytes;
  using Layout = Padded<row_bytes>;
  static constexpr int pitch = Layout::pitch, bytes = rows * pitch;
  static constexpr int per_chunk = 8, row_chunks = row_bytes / 16;
  static constexpr int segment_bytes = 128, segments = row_bytes / segment_bytes;  // a warp copies one at once
  static constexpr int warp_rows = rows / (Threads / 32);
  static constexpr int rows_at_once = 32 / row_chunks, passes = warp_rows / 2 / rows_at_once;  // over every other row
  static_assert(element_bytes == 2 && segments * segment_bytes == row_bytes, "whole segments");
  static_assert(passes * rows_at_once * 2 * (Threads / 32) == rows && warp_rows <= 32, "whole passes");

  int skipped[2];               // even and odd rows: bytes of the first word before the row's start, 0 or 2
  const char *source[2];        // the lane's word of even and of odd rows
  const char *behind;           // the word after the warp's row number `lane`
  const char *first;            // start of the matrix
  int64_t row_step, tile_step;  // bytes from one row, from one k-tile to the next
  int target, behind_target;
  int shift_target, shift_step;  // the lane's chunk of the first rows to move; bytes to the next pass
  bool odd_ld, moves_behind;
  // Inside the matrix: rows from the warp's first one on, k left (K-major); elements of a row, rows of k left
  // (MN-major).
  int outer_room;
  int64_t k_room;

  __device__ __forceinline__ UnalignedTile(const void *operand, int64_t ld, int64_t first_outer, int64_t extent,
                                           int64_t first_k, int64_t k) {
    const int lane = static_cast<int>(threadIdx.x) % 32, first_row = static_cast<int>(threadIdx.x) / 32 * warp_rows;
    const int64_t of_row = AlongK ? first_outer : first_k, of_column = AlongK ? first_k : first_outer;
    first = global(static_cast<const char *>(operand));
    row_step = ld * element_bytes;
    tile_step = AlongK ? Depth * element_bytes : Depth * row_step;
    const char *start = first + ((of_row + first_row) * ld + of_column) * element_bytes;
    odd_ld = ld % 2 != 0;
    skipped[0] = static_cast<int>(reinterpret_cast<uintptr_t>(start) % 4);
    skipped[1] = odd_ld ? 2 - skipped[0] : skipped[0];
    source[0] = start + lane * 4 - skipped[0];
    source[1] = start + row_step + lane * 4 - skipped[1];
    const int skipped_of_lane = lane % 2 == 0 ? skipped[0] : skipped[1];
    behind = start + lane * row_step + row_bytes - skipped_of_lane;
    moves_behind = lane < warp_rows && skipped_of_lane != 0;
    target = first_row * pitch + lane * 4;
    behind_target = (first_row + lane) * pitch + row_bytes;
    const int stride = odd_ld ? 2 : 1, first_moved = odd_ld && skipped[0] == 0 ? 1 : 0;
    shift_target = (first_row + first_moved + lane / row_chunks * stride) * pitch + lane % row_chunks * 16;
    shift_step = rows_at_once * stride * pitch;
    const int64_t room = AlongK ? extent - first_row : extent;
    outer_room = static_cast<int>(room < Outer ? room : Outer);
    k_room = AlongK ? k - first_k : k - first_k - first_row;
  }

  __device__ __forceinline__ void copy_async(char *shared) {
    if (k_room >= (AlongK ? Depth : warp_rows + 1) && source[0] >= first) {
      copy<true>(shared);
    } else {
      copy<false>(shared);
    }
    source[0] += tile_step, source[1] += tile_step, behind += tile_step;
    k_room -= Depth;
  }

  // Moves the warp's rows of a k-tile that has arrived.
  __device__ __forceinline__ void shift(char *shared) const {
    if (!odd_ld && skipped[0] == 0) return;
    sync_warp();
    move(shared + shift_target);
    if (!odd_ld) move(shared + shift_target + passes * shift_step);
  }

 private:
  // kWhole: all of the k-tile is inside the matrix. Otherwise elements beyond k become zeros; those beyond the outer
  // extent may have any value, since they only affect accumulators that are not stored.
  template <bool kWhole>
  __device__ __forceinline__ void copy(char *shared) const {
    const int depth = static_cast<int>(k_room < Depth ? k_room : Depth), elements = AlongK ? depth : outer_room;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const uint32_t stage = ptx::shared_address(shared), first_target = stage + target;
#pragma unroll
    for (int s = 0; s < segments; ++s) {
#pragma unroll
      for (int odd = 0; odd < 2; ++odd) {
        const int left = elements * element_bytes + skipped[odd] - lane * 4 - s * segment_bytes;
        const int valid = kWhole ? 4 : min(max(left, 0), 4);
        const char *from = source[odd] + s * segment_bytes;
#pragma unroll
        for (int i = odd; i < warp_rows; i += 2, from += 2 * row_step) {
          const uint32_t to = first_target + i * pitch + s * segment_bytes;
          if (!kWhole && i == 0 && s == 0 && from < first) {
            ptx::store_word(to, static_cast<uint32_t>(*reinterpret_cast<const uint16_t *>(first)) << 16);
          } else if (AlongK ? i < outer_room : kWhole ? left > 0 : i < depth) {
            ptx::copy_async_word(to, from, valid);
          } else if (!kWhole && !AlongK) {
            ptx::store_word(to, 0);
          }
        }
      }
    }
    if (moves_behind) {
      const bool inside = lane < (AlongK ? outer_room : depth) && elements == row_elements;
      ptx::copy_async_word(stage + behind_target, behind, inside ? 2 : 0);
    }
  }

  __device__ __forceinline__ void move(char *chunks) const {
    uint4 x[passes];
    uint32_t next[passes];
#pragma unroll
    for (int i = 0; i < passes; ++i) {
      x[i] = *reinterpret_cast<const uint4 *>(chunks + i * shift_step);
      next[i] = *reinterpret_cast<const uint32_t *>(chunks + i * shift_step + 16);
    }
    sync_warp();
#pragma unroll
    for (int i = 0; i < passes; ++i) {
      *reinterpret_cast<uint4 *>(chunks + i * shift_step) =
          make_uint4(x[i].x >> 16 | x[i].y << 16, x[i].y >> 16 | x[i].z << 16, x[i].z >> 16 | x[i].w << 16,
                     x[i].w >> 16 | next[i] << 16);
    }
  }
};

template <Number kNumber, int Outer, int Depth, int Threads, bool AlongK>
struct UnalignedTileOf {
  using type = UnalignedTile<kNumber, Outer, Depth, Threads, AlongK>;
};

}  // namespace libsgemm::cuda
