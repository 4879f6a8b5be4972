// What a block of a convolution computes: its problem, its tile of C and its part of the sum; and where the elements of
// the tile lie in the output.
#pragma once

#include "gpu/conv_problem.h"
#include "tensor/tensor_tile.cuh"

namespace libsgemm::cuda {

using namespace gpu;

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

  // The grid is as large as the largest of the problems needs.
  __device__ __forceinline__ bool exists() const {
    return static_cast<int>(blockIdx.x) < problem.product.tiles_m * problem.product.tiles_n;
  }
  __device__ __forceinline__ int row() const { return static_cast<int>(at.row()); }
  __device__ __forceinline__ int column() const { return static_cast<int>(at.column()); }
  __device__ __forceinline__ int first_k() const { return static_cast<int>(range.first_k); }
  __device__ __forceinline__ int rows() const { return min(problem.row.extent - row(), Config::tile_m); }
  __device__ __forceinline__ int columns() const { return min(problem.column.extent - column(), Config::tile_n); }
};

// Where an element of the output lies: as MatrixPlace (fp64/dmma.cuh), by the places of rows and columns in shared
// memory.
struct GatheredPlace {
  Global<float> *c;
  const int64_t *row, *column;

  __device__ __forceinline__ Global<float> *place() const { return c + *row + *column; }
  __device__ __forceinline__ GatheredPlace from(int rows, int columns) const {
    return {c, row + rows, column + columns};
  }
  __device__ __forceinline__ void advance(int columns) { column += columns; }
};

// Bytes of shared memory that output_places() fills.
template <class Config>
constexpr int kOutputPlaceBytes = 8 * (Config::tile_m + Config::tile_n);

// The place of the tile's first element, for all threads.
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

}  // namespace libsgemm::cuda
