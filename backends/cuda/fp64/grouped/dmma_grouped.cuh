// Products of different sizes in one launch on the FP64 tensor cores (dmma_multistage.cuh). A block finds the product
// of its tile, the last one with first[product] <= block, by bisection in the constant bank.
//
//   blocks    0 1 2 3 4 5 | 6 7 | 8 9 10 11 | 12      first = 0, 6, 8, 12, 13
//   product   0             1     2           3
#pragma once

#include "cuda/fp64/dmma_multistage.cuh"
#include "dmma_grouped.h"

namespace libsgemm::cuda {

template <class Config>
__device__ __forceinline__ TilePosition<Config> tile_of_product(const GroupedProduct &p, int index) {
  constexpr int kGroup = 16;
  const int tiles_m = (p.m - 1) / Config::tile_m + 1, tiles_n = (p.n - 1) / Config::tile_n + 1;
  const int group = index / (kGroup * tiles_n), within = index - group * (kGroup * tiles_n);
  const int height = min(kGroup, tiles_m - group * kGroup);
  return {group * kGroup + within % height, within / height};
}

template <class Config, Fetch KindA, Fetch KindB, bool kCut>
__device__ __forceinline__ void dmma_grouped(const GroupedProducts &products) {
  using Layout = DmmaLayout<Config, KindA, KindB>;
  using A = typename Layout::A;
  using B = typename Layout::B;
  using Engine = typename Layout::Engine;
  float *shared = dynamic_shared();

  const int tile = static_cast<int>(blockIdx.x);
  int low = 0, high = products.count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (products.first[middle] <= tile ? low : high) = middle;
  }
  const GroupedProduct &p = products.product[low];
  const TilePosition<Config> at = tile_of_product<Config>(p, tile - products.first[low]);
  const int row = static_cast<int>(at.row()), column = static_cast<int>(at.column());
  const int k_tiles = (p.k - 1) / Config::tile_k + 1;
  DmmaSupply<A, B> supply = {A(p.a, p.lda, row, p.m - row, 0, p.k), B(p.b, p.ldb, column, p.n - column, 0, p.k)};
  const Engine engine;
  typename Engine::Sums sum;
  const DmmaRange range = DmmaRange::of<Engine>(k_tiles, p.k - static_cast<int64_t>(k_tiles - 1) * Config::tile_k);
  dmma_loop<Config, Layout, kCut>(engine, sum, supply, range, shared, ChainEnds<kCut>(products.chain_tiles, 0));
  const OutputTile out = {global(p.c) + static_cast<int64_t>(column) * p.ldc + row,
                          p.ldc,
                          min(p.m - row, Config::tile_m),
                          min(p.n - column, Config::tile_n),
                          p.alpha,
                          p.beta};
  engine.store(sum, out, shared);
}

}  // namespace libsgemm::cuda
