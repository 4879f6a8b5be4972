#pragma once

#include "gather_parts.h"
#include "gathered.h"
#include "hip/tensor/matrix.h"

namespace libsgemm::hip {

// For store_sums().
struct GatheredOutput {
  GatheredPlace first;
  int rows, columns;
  float alpha, beta;

  struct Row {
    Global<float> *c;
    const int64_t *column;
    __device__ __forceinline__ Global<float> &operator[](int i) const { return c[column[i]]; }
  };
  __device__ __forceinline__ Row row(int row, int column) const {
    return {first.c + first.row[row], first.column + column};
  }
};

// Rows of tiles are not padded.
template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void matrix_conv(const ConvProblems &problems) {
  using A = GatherParts<TileMap<Config::tile_m, Config::tile_k, Config::threads, KindA, 0>>;
  using B = GatherParts<TileMap<Config::tile_n, Config::tile_k, Config::threads, KindB, 0>>;
  using Lds = ConvLds<Config, A, B, kMatrixFloats<typename Config::Core, A, B>>;
  __shared__ Vec4 lds[Lds::vectors];
  const ConvTile<Config> tile(first_parameter(problems));
  if (!tile.exists()) return;
  ConvPlace *places = reinterpret_cast<ConvPlace *>(lds + Lds::first_place);
  const WavePlace<Config> place;
  MatrixSums<Config> sums;
  clear_sums<Config>(sums);
  const ConvProblem &problem = tile.problem;
  A a(problem.row, problem.a, tile.group, tile.row(), places);
  B b(problem.column, problem.b, tile.group, tile.column(), places + A::places);
  SumPlaces<A, B> of_sum(problem, tile.first_k(), places, places + A::places);
  multiply_gathered(tile, [&](const TileRange &range) {
    multiply_tiles<Config>(sums, a, b, range, place, reinterpret_cast<float *>(lds), GatherLookUps<A, B>{a, b, of_sum});
  });
  const auto all = [](int, int) { return true; };
  const TileProblem &p = problem.product;
  if (p.partial != nullptr) return store_sums<Config>(sums, slice_tile(tile), place, all);
  const GatheredPlace first = output_places(tile, places);
  store_sums<Config>(sums, GatheredOutput{first, tile.rows(), tile.columns(), p.alpha, p.beta}, place, all);
}

}  // namespace libsgemm::hip
