// Second kernel of a skinny product whose tiles are shared by blocks: adds partial sums in the order of k, then applies
// alpha and beta. A thread sums four rows of one column. If many blocks share a tile (`sharing` is 8), warp w takes the
// partial sums w, w + 8, ..., and one warp adds the eight results.
#pragma once

#include "gpu/gpu.h"
#include "gpu/launch.h"
#include "skinny.h"
#include "skinny_tile.h"

namespace libsgemm::gpu {

constexpr int kSkinnySumWarps = 8, kSkinnySumThreads = 32 * kSkinnySumWarps;

struct SkinnySumShape {
  int rows, columns;  // a block's tile
  int sharing;        // warps that share an element's partial sums: 1 or 8
  int parts;          // blocks of threads for a tile
};

// Block that computed a unit.
__device__ __forceinline__ int64_t unit_owner(const SkinnyWork &work, int64_t unit) {
  const int64_t larger = work.rest * (work.share + 1);
  return unit < larger ? unit / (work.share + 1) : work.rest + (unit - larger) / work.share;
}

__device__ __forceinline__ Vec4 add_vectors(Vec4 a, Vec4 b) { return vec4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__device__ __forceinline__ void sum_skinny_tile(const SkinnyWork &work, const SkinnySumShape &shape) {
  __shared__ Vec4 eighths[kSkinnySumWarps][32];
  const int64_t tile = blockIdx.x / shape.parts;
  const int64_t first = unit_owner(work, tile * work.units), last = unit_owner(work, (tile + 1) * work.units - 1);
  if (first == last) return;  // not shared: C is complete
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int elements = shape.rows * shape.columns;
  const int part = blockIdx.x % shape.parts * (kSkinnySumWarps / shape.sharing) + (shape.sharing == 1 ? warp : 0);
  const int element = 4 * (part * 32 + lane);
  const int share = shape.sharing == 1 ? 0 : warp;
  Vec4 sum = vec4(0.0f, 0.0f, 0.0f, 0.0f);
  if (element < elements) {
    const Global<float> *from = global(work.partial) + element;
#pragma unroll 4
    for (int64_t block = first + share; block <= last; block += shape.sharing) {
      const int64_t slot = 2 * block + (block == first ? 1 : 0);
      sum = add_vectors(sum, *reinterpret_cast<const Global<Vec4> *>(from + slot * elements));
    }
  }
  if (shape.sharing > 1) {
    eighths[warp][lane] = sum;
    __syncthreads();
    if (warp > 0) return;
    for (int other = 1; other < kSkinnySumWarps; ++other) sum = add_vectors(sum, eighths[other][lane]);
  }
  if (element >= elements) return;
  const SkinnyPlace place(work, tile, shape.rows, shape.columns);
  const int64_t column = element / shape.rows, row = element % shape.rows;
  if (column >= place.columns_left) return;
  Global<float> *c = global(work.c) + place.product * work.c_stride + (place.row + row) * work.c_wide +
                     (place.column + column) * work.c_narrow;
  const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
  for (int i = 0; i < 4 && row + i < place.rows_left; ++i) {
    const float product = work.alpha * sums[i];
    *c = work.beta == 0.0f ? product : product + work.beta * *c;
    c += work.c_wide;
  }
}

inline libsgemm_status_t enqueue_skinny_sum(void (*kernel)(SkinnyWork, SkinnySumShape), const SkinnyTile &tile,
                                            const SkinnyPlan &plan, const Launch &launch, Error *error) {
  constexpr int kManyPartials = 8;  // least number that warps share
  SkinnySumShape shape = {};
  shape.rows = plan.work.warps_wide * tile.rows;
  shape.columns = tile.columns;
  shape.sharing = plan.blocks / plan.tiles >= kManyPartials ? kSkinnySumWarps : 1;
  const int elements = 4 * kSkinnySumThreads / shape.sharing;  // elements for a block of threads
  shape.parts = (shape.rows * shape.columns + elements - 1) / elements;
  SkinnyWork work = plan.work;
  work.partial = static_cast<float *>(launch.workspace);
  return launch_kernel(kernel, dim3(static_cast<unsigned>(plan.tiles * shape.parts)), dim3(kSkinnySumThreads), 0,
                       launch, error, work, shape);
}

}  // namespace libsgemm::gpu
