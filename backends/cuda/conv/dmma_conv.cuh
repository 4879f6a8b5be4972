// Convolutions on FP64 tensor cores: the main loop of dmma_multistage.cuh with gathered tiles (gather_tile.cuh). After
// the loop, the output's offsets replace those of the operands in shared memory (output_places()).
#pragma once

#include "fp64/dmma_multistage.cuh"
#include "gather_tile.cuh"
#include "gpu/conv/conv_tile.h"

namespace libsgemm::cuda {

template <class Config, Fetch KindA, Fetch KindB>
struct DmmaConvLayout {
  using A = GatherTile<FloatMap<Config::tile_m, Config::tile_k, Config::threads, KindA>>;
  using B = GatherTile<FloatMap<Config::tile_n, Config::tile_k, Config::threads, KindB>>;
  using Supply = GatherSupply<A, B, Config::stages>;
  using Engine = Dmma<Config, A, B>;
  static constexpr int stage_floats = A::floats + B::floats, floats = Config::stages * stage_floats;
  static constexpr int patch_floats = Engine::patch_floats * (Config::threads / 32);
  static constexpr int first_place = 4 * (floats > patch_floats ? floats : patch_floats);
  static constexpr int bytes = first_place + static_cast<int>(sizeof(ConvPlace)) * Supply::places;
  static_assert(A::floats % 4 == 0 && B::floats % 4 == 0, "tiles start at multiples of 16 bytes");
  static_assert(Config::threads >= Supply::slot_places, "a thread for each place of k");
  static_assert(kOutputPlaceBytes<Config> <= bytes - first_place, "the output's places fit");
};

template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void dmma_conv_tile(const ConvProblems &problems) {
  using Layout = DmmaConvLayout<Config, KindA, KindB>;
  using Engine = typename Layout::Engine;
  float *shared = dynamic_shared();
  ConvPlace *places = reinterpret_cast<ConvPlace *>(reinterpret_cast<char *>(shared) + Layout::first_place);

  const ConvTile<Config> tile(problems);
  if (!tile.exists()) return;
  const TileProblem &product = tile.problem.product;
  typename Layout::Supply supply(tile.problem, tile.group, tile.row(), tile.column(), tile.first_k(), places);
  __syncthreads();
  const Engine engine;
  typename Engine::Sums sum;
  const int count = tile.range.count;
  if (count > 0) {
    const int64_t last_depth = product.k - tile.first_k() - static_cast<int64_t>(count - 1) * Config::tile_k;
    dmma_loop<Config, Layout>(engine, sum, supply, DmmaRange::of<Engine>(count, last_depth), shared);
  } else {
    Engine::clear(sum);
  }
  if (product.partial != nullptr) return engine.store_partial(sum, partial_tile(product, tile.at));
  const GatheredPlace first = output_places(tile, places);
  engine.store(sum, first, tile.rows(), tile.columns(), product.alpha, product.beta, tile.problem.c.vectors, shared);
}

template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void dmma_conv(const ConvProblems &problems) {
  if constexpr (Config::Instruction::exists) dmma_conv_tile<Config, KindA, KindB>(problems);
}

}  // namespace libsgemm::cuda
