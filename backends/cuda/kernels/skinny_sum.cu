// skinny_sum: the second kernel of a skinny product whose tiles are shared by blocks (skinny.h).
//
// Adds the partial sums of every shared tile in the order of k, then alpha and beta. A thread has four rows of one
// column; where many blocks share a tile, the 8 warps of a block of threads add an eighth of the partial sums each, and
// one adds the eighths:
//
//   ways 1: 8 warps x 128 elements, each over all partial sums        shared memory: 8 x 32 float4, for ways 8
//   ways 8: 128 elements, warp w takes the partial sums w, w + 8, ...
#include "launch.h"
#include "skinny.h"

namespace libsgemm::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kManyPartials = 8;  // from which on warps share them

struct Shared {
  int rows, columns;  // of a block's tile
  int ways;           // warps that share the partial sums of an element: 1 or 8
  int parts;          // blocks of threads for a tile
};

// The block that computed a unit.
__device__ __forceinline__ int64_t owner(const SkinnyWork &work, int64_t unit) {
  const int64_t larger = work.rest * (work.share + 1);
  return unit < larger ? unit / (work.share + 1) : work.rest + (unit - larger) / work.share;
}

__device__ __forceinline__ void add(float4 *sum, const float4 &x) {
  sum->x += x.x;
  sum->y += x.y;
  sum->z += x.z;
  sum->w += x.w;
}

}  // namespace

__global__ void __launch_bounds__(32 * kWarps) skinny_sum(SkinnyWork work, Shared shape) {
  __shared__ float4 eighths[kWarps][32];
  const int64_t tile = blockIdx.x / shape.parts;
  const int64_t first = owner(work, tile * work.units), last = owner(work, (tile + 1) * work.units - 1);
  if (first == last) return;  // not shared: C is there
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int elements = shape.rows * shape.columns;
  const int part = blockIdx.x % shape.parts * (kWarps / shape.ways) + (shape.ways == 1 ? warp : 0);
  const int element = 4 * (part * 32 + lane);
  const int way = shape.ways == 1 ? 0 : warp;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (element < elements) {
    const float *from = work.partial + element;
#pragma unroll 4
    for (int64_t block = first + way; block <= last; block += shape.ways) {
      const int64_t slot = 2 * block + (block == first ? 1 : 0);
      add(&sum, *reinterpret_cast<const float4 *>(from + slot * elements));
    }
  }
  if (shape.ways > 1) {
    eighths[warp][lane] = sum;
    __syncthreads();
    if (warp > 0) return;
    for (int other = 1; other < kWarps; ++other) add(&sum, eighths[other][lane]);
  }
  if (element >= elements) return;
  const int64_t narrow_tile = tile % work.narrow_tiles, rest = tile / work.narrow_tiles;
  const int64_t column = narrow_tile * shape.columns + element / shape.rows;
  const int64_t row = rest % work.wide_tiles * shape.rows + element % shape.rows;
  if (column >= work.narrow) return;
  float *c = work.c + rest / work.wide_tiles * work.c_stride + row * work.c_wide + column * work.c_narrow;
  const float sums[4] = {sum.x, sum.y, sum.z, sum.w};
  for (int i = 0; i < 4 && row + i < work.wide; ++i) {
    const float product = work.alpha * sums[i];
    *c = work.beta == 0.0f ? product : product + work.beta * *c;
    c += work.c_wide;
  }
}

libsgemm_status_t sum_skinny_partials(const SkinnyTile &tile, const SkinnyPlan &plan, const Launch &launch,
                                      Error *error) {
  Shared shape = {};
  shape.rows = plan.work.warps_wide * tile.rows;
  shape.columns = tile.columns;
  shape.ways = plan.blocks / plan.tiles >= kManyPartials ? kWarps : 1;
  const int elements = 4 * 32 * kWarps / shape.ways;  // of a block of threads
  shape.parts = (shape.rows * shape.columns + elements - 1) / elements;
  SkinnyWork work = plan.work;
  work.partial = static_cast<float *>(launch.workspace);
  return launch_kernel(skinny_sum, dim3(static_cast<unsigned>(plan.tiles * shape.parts)), dim3(32 * kWarps), 0, launch,
                       error, work, shape);
}

}  // namespace libsgemm::cuda
