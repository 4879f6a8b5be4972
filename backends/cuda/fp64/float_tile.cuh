// Operand tiles of floats for the FP64 tensor cores, in the order of global memory:
//
//   K-major     a row for each outer element: tile_k floats and 4 of padding
//   MN-major    a row for each k: tile_m or tile_n floats and 8 of padding
//
// Lane 4 g + q reads outer element g at k = q. The pitches are 4 times an odd number, and 8 modulo 32, so that the 32
// lanes read different banks. Elements outside the matrix become zeros; only the last k-tile may be short.
#pragma once

#include "gpu/tiles/tile.h"
#include "ptx.h"

namespace libsgemm::cuda {

using namespace gpu;

template <int Outer, int Depth, int Threads, Fetch Kind>
struct FloatMap {
  static constexpr int extent = Outer, depth = Depth;
  static constexpr bool along_k = Kind == Fetch::inner || Kind == Fetch::inner_x4;
  static constexpr int width = Kind == Fetch::outer_x4 || Kind == Fetch::inner_x4 ? 4 : 1;  // floats of a copy
  static constexpr int rows = along_k ? Outer : Depth, length = along_k ? Depth : Outer;
  static constexpr int pitch = length + (along_k ? 4 : 8), floats = rows * pitch;
  static constexpr int outer_step = along_k ? pitch : 1, k_step = along_k ? 1 : pitch;  // floats to the neighbours
  static constexpr int row_copies = length / width, step = Threads / row_copies, copies = rows / step;
  static constexpr int target_step = step * pitch;  // floats to the thread's next copy, `step` rows further
  static_assert(row_copies * width == length && step * row_copies == Threads && copies * step == rows,
                "every thread makes the same number of copies");
  static_assert(Outer % 32 == 0 && (Depth % 8 == 0 || !along_k), "the lanes of a warp read different banks");

  int outer, k;  // place of the thread's first copy
  int target;    // its offset in the shared tile, in floats

  __device__ __forceinline__ FloatMap() {
    const int thread = static_cast<int>(threadIdx.x), row = thread / row_copies, column = thread % row_copies * width;
    outer = along_k ? row : column;
    k = along_k ? column : row;
    target = row * pitch + column;
  }
};

template <int Outer, int Depth, int Threads, Fetch Kind>
struct FloatTile : FloatMap<Outer, Depth, Threads, Kind> {
  using Map = FloatMap<Outer, Depth, Threads, Kind>;
  using Map::along_k, Map::copies, Map::rows, Map::step, Map::target, Map::target_step, Map::width;

  const float *source;
  int64_t copy_step, tile_step;  // floats to the next copy, to the next k-tile
  // Extents inside the matrix. K-major: rows from the thread's first row on, k from its column on. MN-major: floats of
  // a copy, k from its row on.
  int outer_room;
  int64_t k_room;

  // `extent`: outer elements from `first_outer` on. The block's k is [first_k, k).
  __device__ __forceinline__ FloatTile(const void *operand, int64_t ld, int64_t first_outer, int64_t extent,
                                       int64_t first_k, int64_t k) {
    const int row = along_k ? Map::outer : Map::k, column = along_k ? Map::k : Map::outer;
    const int64_t of_row = along_k ? first_outer : first_k, of_column = along_k ? first_k : first_outer;
    source = global(static_cast<const float *>(operand)) + (of_row + row) * ld + of_column + column;
    copy_step = step * ld;
    tile_step = along_k ? Depth : Depth * ld;
    const int64_t room = extent - (along_k ? row : column), most = along_k ? rows : width;
    outer_room = static_cast<int>(room > most ? most : room < 0 ? 0 : room);
    k_room = k - first_k - (along_k ? column : row);
  }

  // Requires copies of four floats to start at multiples of 16 bytes.
  __device__ __forceinline__ void copy_async(float *shared) {
    const int left = static_cast<int>(k_room > Depth ? Depth : k_room);  // may be negative
    const float *from = source;
#pragma unroll
    for (int i = 0; i < copies; ++i, from += copy_step) {
      const bool inside = i * step < (along_k ? outer_room : left);
      const int of_row = along_k ? max(min(left, width), 0) : outer_room;
      if constexpr (width == 4) {
        ptx::copy_async_part(shared + target + i * target_step, from, inside ? 4 * of_row : 0);
      } else {
        ptx::copy_async_4(shared + target + i * target_step, from, inside && of_row > 0);
      }
    }
    skip();
  }
  __device__ __forceinline__ void skip() {
    source += tile_step;
    k_room -= Depth;
  }
};

}  // namespace libsgemm::cuda
