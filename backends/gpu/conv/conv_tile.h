#pragma once

#include "conv_problem.h"
#include "gpu/tiles/tile.h"

namespace libsgemm::gpu {

template <class Config>
struct ConvTile {
  int group;
  const ConvProblem &problem;
  TilePosition<Config> at;
  TensorRange range;

  __device__ __forceinline__ explicit ConvTile(const ConvProblems &problems)
      : group(static_cast<int>(blockIdx.z) / problems.count),
        problem(problems.problem[static_cast<int>(blockIdx.z) - group * problems.count]),
        at(problem.product),
        range(problem.product, Config::tile_k) {}

  // The grid is as large as the largest problem.
  __device__ __forceinline__ bool exists() const {
    return static_cast<int>(blockIdx.x) < problem.product.tiles_m * problem.product.tiles_n;
  }
  __device__ __forceinline__ int row() const { return static_cast<int>(at.row()); }
  __device__ __forceinline__ int column() const { return static_cast<int>(at.column()); }
  __device__ __forceinline__ int first_k() const { return static_cast<int>(range.first_k); }
  __device__ __forceinline__ int rows() const { return min(problem.row.extent - row(), Config::tile_m); }
  __device__ __forceinline__ int columns() const { return min(problem.column.extent - column(), Config::tile_n); }
};

// Combines offsets of rows and columns in shared memory.
struct GatheredPlace {
  Global<float> *c;
  const int64_t *row, *column;

  __device__ __forceinline__ Global<float> *place() const { return c + *row + *column; }
  __device__ __forceinline__ GatheredPlace from(int rows, int columns) const {
    return {c, row + rows, column + columns};
  }
  __device__ __forceinline__ void advance(int columns) { column += columns; }
};

template <class Config>
constexpr int kOutputPlaceBytes = 8 * (Config::tile_m + Config::tile_n);

// Writes the offsets of the tile's rows and columns to `shared`.
template <class Config>
__device__ __forceinline__ GatheredPlace output_places(const ConvTile<Config> &tile, void *shared) {
  const ConvProblem &p = tile.problem;
  int64_t *row = static_cast<int64_t *>(shared), *column = row + Config::tile_m;
  for (int i = static_cast<int>(threadIdx.x); i < Config::tile_m + Config::tile_n; i += Config::threads) {
    const int of_column = i - Config::tile_m;
    if (of_column < 0) {
      if (i < tile.rows()) row[i] = place_of(p.row, p.c.row, tile.row() + i);
    } else if (of_column < tile.columns()) {
      column[of_column] = place_of(p.column, p.c.column, tile.column() + of_column);
    }
  }
  __syncthreads();
  return {global(p.c.data) + tile.group * p.c.group, row, column};
}

template <class Config>
__device__ __forceinline__ OutputTile slice_tile(const ConvTile<Config> &tile) {
  const TileProblem &p = tile.problem.product;
  const int64_t matrix = static_cast<int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  Global<float> *partial = global(p.partial) + (matrix * p.n + tile.column()) * p.partial_ld;
  return {partial + tile.row(), p.partial_ld, tile.rows(), tile.columns(), 1.0f, 0.0f};
}

// Stores to the output, or to the slice. `shared` (kStoreFloats) and `places` (kOutputPlaceBytes) are free once all
// threads have arrived.
template <class Config>
__device__ __forceinline__ void store_conv_tile(float (&sum)[Config::thread_m][Config::thread_n],
                                                const ConvTile<Config> &tile, float *shared, void *places) {
  const TileProblem &p = tile.problem.product;
  if (p.partial != nullptr) return store_tile<Config>(sum, slice_tile(tile), shared);
  const GatheredPlace first = output_places(tile, places);
  const float alpha = p.alpha, beta = p.beta;
  store_scalars<Config>(sum, tile.rows(), tile.columns(), shared, [&](int row, int column, float x) {
    Global<float> *to = first.from(row, column).place();
    x = scaled(alpha, x);
    *to = beta != 0.0f ? accumulated(x, beta, *to) : x;
  });
}

}  // namespace libsgemm::gpu
