// Convolutions on FP64 tensor cores: the loop of dmma_multistage.cuh, to which gathered tiles are supplied.
//
//   shared memory: [the stages of the loop; behind it the warps' parts of C][places: gather_tile.cuh]
//
// Behind the loop, where the rows and columns of the tile lie in the output takes the room of the places.
//
// Measured designs, and others that were not built: see the rows.
#pragma once

#include "fp64/dmma_multistage.cuh"
#include "gather_tile.cuh"

namespace libsgemm::cuda {

template <class Config, Fetch KindA, Fetch KindB>
struct DmmaConvLayout {
  using A = GatherTile<FloatMap<Config::tile_m, Config::tile_k, Config::threads, KindA>>;
  using B = GatherTile<FloatMap<Config::tile_n, Config::tile_k, Config::threads, KindB>>;
  using Supply = GatherSupply<A, B, Config::stages>;
  using Engine = Dmma<Config, A, B>;
  static constexpr int stage_floats = A::floats + B::floats, floats = Config::stages * stage_floats;
  static constexpr int patch_floats = Engine::patch_floats * (Config::threads / 32);
  static constexpr int first_place = 4 * (floats > patch_floats ? floats : patch_floats);  // bytes
  static constexpr int bytes = first_place + static_cast<int>(sizeof(ConvPlace)) * Supply::places;
  static_assert(A::floats % 4 == 0 && B::floats % 4 == 0, "tiles start at multiples of 16 bytes");
  static_assert(Config::threads >= Supply::slot_places, "a thread for each place of k");
  static_assert(8 * (Config::tile_m + Config::tile_n) <= bytes - first_place, "the output's places fit");
};

// Where an element of the output lies: as MatrixPlace (dmma.cuh), by the places of rows and columns in shared memory.
struct GatheredPlace {
  Global<float> *c;
  const int64_t *row, *column;

  __device__ __forceinline__ Global<float> *place() const { return c + *row + *column; }
  __device__ __forceinline__ GatheredPlace from(int rows, int columns) const {
    return {c, row + rows, column + columns};
  }
  __device__ __forceinline__ void advance(int columns) { column += columns; }
};

template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void dmma_conv(const ConvProblems &problems) {
  using Layout = DmmaConvLayout<Config, KindA, KindB>;
  using Engine = typename Layout::Engine;
  float *shared = dynamic_shared();
  ConvPlace *places = reinterpret_cast<ConvPlace *>(reinterpret_cast<char *>(shared) + Layout::first_place);

  const int z = static_cast<int>(blockIdx.z), group = z / problems.count;
  const ConvProblem &p = problems.problem[z - group * problems.count];
  if (static_cast<int>(blockIdx.x) >= p.product.tiles_m * p.product.tiles_n) return;
  const TilePosition<Config> at(p.product);
  const TensorRange range(p.product, Config::tile_k);
  const int row = static_cast<int>(at.row()), column = static_cast<int>(at.column());
  const int first_k = static_cast<int>(range.first_k);
  typename Layout::Supply supply(p, group, row, column, first_k, places);
  __syncthreads();
  const Engine engine;
  typename Engine::Sums sum;
  if (range.count > 0) {
    const int64_t last_depth = p.product.k - first_k - static_cast<int64_t>(range.count - 1) * Config::tile_k;
    dmma_loop<Config, Layout>(engine, sum, supply, DmmaRange::of<Engine>(range.count, last_depth), shared);
  } else {
    Engine::clear(sum);
  }
  if (p.product.partial != nullptr) {
    engine.store_partial(sum, partial_tile(p.product, at));
    return;
  }
  const int rows = min(p.row.extent - row, Config::tile_m), columns = min(p.column.extent - column, Config::tile_n);
  int64_t *row_place = reinterpret_cast<int64_t *>(places), *column_place = row_place + Config::tile_m;
  for (int i = static_cast<int>(threadIdx.x); i < Config::tile_m + Config::tile_n; i += Config::threads) {
    const bool of_row = i < Config::tile_m;
    const int j = of_row ? i : i - Config::tile_m;
    if (j >= (of_row ? rows : columns)) continue;
    row_place[i] = of_row ? place_of(p.row, p.c.row, row + j) : place_of(p.column, p.c.column, column + j);
  }
  __syncthreads();
  const GatheredPlace first = {global(p.c.data) + group * p.c.group, row_place, column_place};
  engine.store(sum, first, rows, columns, p.product.alpha, p.product.beta, p.c.vectors, shared);
}

}  // namespace libsgemm::cuda
