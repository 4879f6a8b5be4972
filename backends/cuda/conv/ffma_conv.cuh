// As dmma_conv.cuh, by FP32 FMAs: the main loop of multistage.cuh. On sm_75 loads and stores replace asynchronous
// copies.
#pragma once

#include "gather_tile.cuh"
#include "gpu/conv/conv_tile.h"
#include "tiles/multistage.cuh"

namespace libsgemm::cuda {

template <class Config, Fetch KindA, Fetch KindB>
struct FfmaConvLayout {
  using A = GatherTile<TileMap<Config::tile_m, Config::tile_k, Config::threads, KindA>>;
  using B = GatherTile<TileMap<Config::tile_n, Config::tile_k, Config::threads, KindB>>;
  using Supply = GatherSupply<A, B, Config::stages>;
  static constexpr int stage_floats = A::floats + B::floats, floats = Config::stages * stage_floats;
  static constexpr int first_place = 4 * (floats > kStoreFloats<Config> ? floats : kStoreFloats<Config>);
  static constexpr int bytes = first_place + static_cast<int>(sizeof(ConvPlace)) * Supply::places;
  static_assert(Config::threads >= Supply::slot_places, "a thread for each place of k");
  static_assert(kOutputPlaceBytes<Config> <= bytes - first_place, "the output's places fit");
};

template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void ffma_conv(const ConvProblems &problems) {
  using Layout = FfmaConvLayout<Config, KindA, KindB>;
  float *shared = dynamic_shared();
  ConvPlace *places = reinterpret_cast<ConvPlace *>(reinterpret_cast<char *>(shared) + Layout::first_place);

  const ConvTile<Config> tile(problems);
  if (!tile.exists()) return;
  typename Layout::Supply supply(tile.problem, tile.group, tile.row(), tile.column(), tile.first_k(), places);
  __syncthreads();
  float sum[Config::thread_m][Config::thread_n] = {};
  if (tile.range.count > 0) multistage_loop<Config, Layout>(sum, supply, tile.range.count, shared);
  __syncthreads();
  store_conv_tile<Config>(sum, tile, shared, places);
}

}  // namespace libsgemm::cuda
