// Main loop of products on FP64 tensor cores, with several k-tiles in flight (cp.async). What was tried instead:
// docs/kernels/fp64.md.
//
//   time ->      stage t      stage t+1    ...     s = Config::stages
//   multiply     k-tile t     k-tile t+1           fragments of the next products are read while these multiply
//   copy         k-tile t+s-1 k-tile t+s           into the stage that t-1 has freed
//
// A k-tile has one barrier, before its last products: then the next k-tile has arrived, and every thread holds the last
// fragments of this one.
#pragma once

#include "dmma.cuh"
#include "dynamic_shared.cuh"
#include "tensor/tensor_tile.cuh"

namespace libsgemm::cuda {

// Base of a kernel's Config.
template <int TileM, int TileN, int TileK, int WarpM, int WarpN, class Mma = M16n8k16>
struct DmmaShape {
  using Instruction = Mma;
  static constexpr int tile_m = TileM, tile_n = TileN, tile_k = TileK;
  static constexpr bool cuts = false;  // there are instances for sums of several chains
  static constexpr int warp_m = WarpM, warp_n = WarpN;
  static constexpr int warp_rows = TileM / WarpM, warp_columns = TileN / WarpN;
  static constexpr int threads = 32 * warp_rows * warp_columns;
  static_assert(TileM % WarpM == 0 && TileN % WarpN == 0 && WarpM % 8 == 0 && WarpN % Mma::columns == 0,
                "warps cover the tile");
};

template <class Config, Fetch KindA, Fetch KindB>
struct DmmaLayout {
  using A = FloatTile<Config::tile_m, Config::tile_k, Config::threads, KindA>;
  using B = FloatTile<Config::tile_n, Config::tile_k, Config::threads, KindB>;
  using Engine = Dmma<Config, A, B>;
  static constexpr int stage_floats = A::floats + B::floats, floats = Config::stages * stage_floats;
  static constexpr int patch_floats = Engine::patch_floats * (Config::threads / 32);
  static constexpr int bytes = 4 * (floats > patch_floats ? floats : patch_floats);
  static_assert(A::floats % 4 == 0 && B::floats % 4 == 0, "tiles start at multiples of 16 bytes");
};

// Numbers of a block's k-tiles, and of the k-steps of the last one that are not beyond the end of k.
struct DmmaRange {
  int count, last_steps;

  // `last_depth`: k elements from the start of the last k-tile on.
  template <class Engine>
  __device__ __forceinline__ static DmmaRange of(int count, int64_t last_depth) {
    constexpr int64_t kTile = Engine::steps * Engine::depth;
    return {count, last_depth < kTile ? (static_cast<int>(last_depth) - 1) / Engine::depth + 1 : Engine::steps};
  }
};

// Where a product's sums are cut: after each chain_tiles k-tiles, counted from the start of k. Sums without cuts have
// instances of their own: registers and local memory would cost them 3 %.
template <bool kCut>
class ChainEnds {
 public:
  // `first`: the block's first k-tile.
  __device__ __forceinline__ ChainEnds(const int &chain_tiles, int first)
      : chain_tiles_(chain_tiles), last_(chain_tiles - first % chain_tiles - 1) {}

  // `t`: the block's k-tile that was added.
  __device__ __forceinline__ bool after(int t) {
    if (t != last_) return false;
    last_ += chain_tiles_;
    return true;
  }

 private:
  const int &chain_tiles_;  // in the constant bank
  int last_;                // of the chain's k-tiles
};

template <>
class ChainEnds<false> {
 public:
  __device__ __forceinline__ ChainEnds(int, int) {}
  __device__ __forceinline__ static constexpr bool after(int) { return false; }
};

// The sums of the chains that have ended, in local memory: registers are scarce.
template <class Engine, bool kCut>
class ChainTotals {
 public:
  __device__ __forceinline__ ChainTotals() {
#pragma unroll
    for (int e = 0; e < kCount; ++e) at_[e] = 0.0;
  }

  // The next chain starts with `sum`.
  __device__ __forceinline__ void add(typename Engine::Sums &sum) {
    add_all(sum);
    Engine::for_each_sum(sum, [&](double &x, int e) {
      at_[e] = x;
      x = 0.0;
    });
  }
  __device__ __forceinline__ void finish(typename Engine::Sums &sum) const { add_all(sum); }

 private:
  static constexpr int kCount = sizeof(typename Engine::Sums) / sizeof(double);

  __device__ __forceinline__ void add_all(typename Engine::Sums &sum) const {
    Engine::for_each_sum(sum, [&](double &x, int e) { x = at_[e] + x; });
  }

  volatile double at_[kCount];
};

template <class Engine>
class ChainTotals<Engine, false> {
 public:
  __device__ __forceinline__ void add(typename Engine::Sums &) {}
  __device__ __forceinline__ void finish(typename Engine::Sums &) const {}
};

// Copies a product's k-tiles, in order. A supply whose copies take many instructions sets `spread`: the loop then
// interleaves copy_part(part, parts, stage) with the products, and calls it after the block's last k-tile, too.
template <class A, class B>
struct DmmaSupply {
  static constexpr bool spread = false;
  A a;
  B b;

  __device__ __forceinline__ void copy_async(float *stage) {
    a.copy_async(stage);
    b.copy_async(stage + A::floats);
  }
};

// On return all copies have arrived, and `shared` is free.
template <class Config, class Layout, bool kCut = false, class Supply, class Ends = ChainEnds<false>>
__device__ __forceinline__ void dmma_loop(const typename Layout::Engine &engine, typename Layout::Engine::Sums &sum,
                                          Supply &supply, const DmmaRange &range, float *shared, Ends ends = {0, 0}) {
  using A = typename Layout::A;
  using Engine = typename Layout::Engine;
  constexpr int kStage = Layout::stage_floats, kAll = Layout::floats, kStages = Config::stages;
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < range.count) supply.copy_async(shared + s * kStage);
    ptx::commit_copies();
  }

  Engine::clear(sum);
  ChainTotals<Engine, kCut> totals;
  int read = 0, write = (kStages - 1) * kStage;
  typename Engine::Floats next;
  ptx::wait_for_copies<kStages - 2>();
  __syncthreads();
  engine.load_x(next.x, shared + A::floats, 0, 0);
  engine.load_y(next.y, shared, 0);

#pragma unroll 1
  for (int t = 0; t + 1 < range.count; ++t) {
    const auto next_stage = [&] {
      ptx::commit_copies();
      write = write + kStage == kAll ? 0 : write + kStage;
    };
    if constexpr (!Supply::spread) {
      if (t + kStages - 1 < range.count) supply.copy_async(shared + write);
      next_stage();
    }
#pragma unroll
    for (int s = 0; s < Engine::steps; ++s) {
      const float *stage = shared + read;
      const auto copy_part = [&](int row) {
        constexpr int kParts = Engine::steps * Engine::blocks_x;
        if constexpr (Supply::spread) {
          supply.copy_part(s * Engine::blocks_x + row, kParts, shared + write);
        }
      };
      const auto before_last = [&] {
        const bool last = s == Engine::steps - 1;
        if (last) {
          if constexpr (Supply::spread) next_stage();
          read = read + kStage == kAll ? 0 : read + kStage;
          ptx::wait_for_copies<kStages - 2>();
          __syncthreads();
        }
        engine.load_x(next.x, shared + read + A::floats, last ? 0 : s + 1, 0);
        engine.load_y(next.y, shared + read, last ? 0 : s + 1);
      };
      engine.multiply(sum, next, stage + A::floats, s, before_last, copy_part);
    }
    if (ends.after(t)) totals.add(sum);
  }
#pragma unroll 1
  for (int s = 0; s < range.last_steps; ++s) {
    engine.multiply(sum, next, shared + read + A::floats, s, [&] {
      if (s + 1 == range.last_steps) return;
      engine.load_x(next.x, shared + read + A::floats, s + 1, 0);
      engine.load_y(next.y, shared + read, s + 1);
    });
  }
  totals.finish(sum);
  ptx::wait_for_copies<0>();
  __syncthreads();
}

template <class Config, Fetch KindA, Fetch KindB, bool kCut = false, typename Operands>
__device__ __forceinline__ void dmma_multistage(const Operands &operands, const TileProblem &p) {
  using Layout = DmmaLayout<Config, KindA, KindB>;
  using A = typename Layout::A;
  using B = typename Layout::B;
  using Engine = typename Layout::Engine;
  float *shared = dynamic_shared();

  const TilePosition<Config> at(p);
  const TensorRange range(p, Config::tile_k);
  const int64_t last_depth = p.k - range.first_k - static_cast<int64_t>(range.count - 1) * Config::tile_k;
  DmmaSupply<A, B> supply = {A(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range.first_k, p.k),
                             B(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range.first_k, p.k)};
  const Engine engine;
  typename Engine::Sums sum;
  dmma_loop<Config, Layout, kCut>(engine, sum, supply, DmmaRange::of<Engine>(range.count, last_depth), shared,
                                  ChainEnds<kCut>(p.chain_tiles, 0));
  if (p.partial != nullptr) {
    engine.store_partial(sum, partial_tile(p, at));
  } else {
    engine.store(sum, output_tile(operands, p, at), shared);
  }
}

}  // namespace libsgemm::cuda
