#pragma once

#include "dynamic_shared.cuh"
#include "gpu/tiles/tile.h"
#include "ptx.h"
#include "resident.h"

namespace libsgemm::cuda {

using namespace gpu;

// A thread's share of an operand's tiles, fetched by predicated loads or asynchronous copies (sm_80). Elements beyond
// the matrix become zeros.
template <int Outer, int Depth, int Threads, Fetch Kind>
struct OperandTile : TileMap<Outer, Depth, Threads, Kind> {
  using Map = TileMap<Outer, Depth, Threads, Kind>;
  using Map::along_k, Map::copies, Map::step, Map::target, Map::target_step, Map::width;

  const float *source;
  int64_t step_elements;   // distance to the next copy
  int count, first_count;  // copies inside the matrix, for a full tile and the first one

  // `extent`: outer elements from `first_outer` on.
  __device__ __forceinline__ OperandTile(const void *operand, int64_t ld, int64_t first_outer, int64_t extent,
                                         const TileRange &range) {
    const int outer = Map::outer, k = Map::k;
    const float *base = global(static_cast<const float *>(operand));
    const int64_t room = extent - outer;
    step_elements = step * ld;
    if (along_k) {
      source = base + (first_outer + outer) * ld + range.first_k + k;
      count = room <= 0 ? 0 : room > (copies - 1) * step ? copies : static_cast<int>((room + step - 1) / step);
      first_count = k < range.first_depth ? count : 0;
    } else {
      source = base + (range.first_k + k) * ld + first_outer + outer;
      count = room > 0 ? copies : 0;
      first_count = room > 0 ? min(copies, max(0, (range.first_depth - k + step - 1) / step)) : 0;
    }
  }

  __device__ __forceinline__ void copy_async(float *shared, int valid) const {
    const float *from = source;
#pragma unroll
    for (int i = 0; i < copies; ++i, from += step_elements) {
      if (width == 4) {
        ptx::copy_async_16(shared + target + i * target_step, from, i < valid);
      } else {
        ptx::copy_async_4(shared + target + i * target_step, from, i < valid);
      }
    }
  }

  __device__ __forceinline__ void load(float (&staged)[copies][width], int valid) const {
    const float *from = source;
#pragma unroll
    for (int i = 0; i < copies; ++i, from += step_elements) {
      if constexpr (width == 4) {
        const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        const float4 x = i < valid ? *reinterpret_cast<const float4 *>(from) : zero;
        staged[i][0] = x.x, staged[i][1] = x.y, staged[i][2] = x.z, staged[i][3] = x.w;
      } else {
        staged[i][0] = i < valid ? *from : 0.0f;
      }
    }
  }

  __device__ __forceinline__ void advance() { source += along_k ? Depth : copies * step_elements; }
  __device__ __forceinline__ void advance(int depth) { source += along_k ? depth : depth * (step_elements / step); }
};

}  // namespace libsgemm::cuda
