// The product on FP64 tensor cores with several k-tiles under way at once (cp.async).
//
//   shared memory: stage 0 [A tile][B tile], stage 1, ... (Config::stages of them)
//
//   time ->      stage t      stage t+1    ...
//   multiply     k-tile t     k-tile t+1        fragments of the next products are read while these multiply
//   copy         k-tile t+s-1 k-tile t+s        issued at the start of a k-tile, into the stage that t-1 has left
//
// One barrier a k-tile, before its last products: behind it the next k-tile has arrived, and every thread has the last
// fragments of this one in registers.
#pragma once

#include "dmma.cuh"
#include "dynamic_shared.cuh"
#include "tensor/tensor_tile.cuh"

namespace libsgemm::cuda {

// What a kernel is built from; its Config derives from it. A warp computes warp_m x warp_n.
template <int TileM, int TileN, int TileK, int WarpM, int WarpN>
struct DmmaShape {
  static constexpr int tile_m = TileM, tile_n = TileN, tile_k = TileK;
  static constexpr int warp_m = WarpM, warp_n = WarpN;
  static constexpr int warp_rows = TileM / WarpM, warp_columns = TileN / WarpN;
  static constexpr int threads = 32 * warp_rows * warp_columns;
  static_assert(TileM % WarpM == 0 && TileN % WarpN == 0 && WarpM % 8 == 0 && WarpN % 16 == 0, "warps cover the tile");
};

template <class Config, Fetch KindA, Fetch KindB>
struct DmmaLayout {
  using A = FloatTile<Config::tile_m, Config::tile_k, Config::threads, KindA>;
  using B = FloatTile<Config::tile_n, Config::tile_k, Config::threads, KindB>;
  using Engine = Dmma<Config, A, B>;
  static constexpr int stage_floats = A::floats + B::floats, floats = Config::stages * stage_floats;
  static constexpr int patch_bytes = Engine::patch_bytes * (Config::threads / 32);
  static constexpr int bytes = 4 * floats > patch_bytes ? 4 * floats : patch_bytes;
  static_assert(A::floats % 4 == 0 && B::floats % 4 == 0, "tiles start at multiples of 16 bytes");
};

template <class Config, Fetch KindA, Fetch KindB, typename Operands>
__device__ __forceinline__ void dmma_multistage(const Operands &operands, const TileProblem &p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using Layout = DmmaLayout<Config, KindA, KindB>;
  using A = typename Layout::A;
  using B = typename Layout::B;
  using Engine = typename Layout::Engine;
  constexpr int kStage = Layout::stage_floats, kAll = Layout::floats, kStages = Config::stages;
  float *shared = dynamic_shared();

  const TilePosition<Config> at(p);
  const TensorRange range(p, Config::tile_k);
  A a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range.first_k, p.k);
  B b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range.first_k, p.k);
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < range.count) {
      a.copy_async(shared + s * kStage);
      b.copy_async(shared + s * kStage + A::floats);
    }
    ptx::commit_copies();
  }

  const Engine engine;
  typename Engine::Sums sum;
  Engine::clear(sum);
  int read = 0, write = (kStages - 1) * kStage;
  typename Engine::Floats next;
  ptx::wait_for_copies<kStages - 2>();
  __syncthreads();
  engine.load_x(next.x, shared + A::floats, 0, 0);
  engine.load_y(next.y, shared, 0);

#pragma unroll 1
  for (int t = 0; t < range.count; ++t) {
    if (t + kStages - 1 < range.count) {
      a.copy_async(shared + write);
      b.copy_async(shared + write + A::floats);
    }
    ptx::commit_copies();
    write = write + kStage == kAll ? 0 : write + kStage;
#pragma unroll
    for (int s = 0; s < Engine::steps; ++s) {
      const float *stage = shared + read;
      engine.multiply(sum, next, stage + A::floats, s, [&] {
        const bool last = s == Engine::steps - 1;
        if (last) {
          read = read + kStage == kAll ? 0 : read + kStage;
          ptx::wait_for_copies<kStages - 2>();
          __syncthreads();
        }
        engine.load_x(next.x, shared + read + A::floats, last ? 0 : s + 1, 0);
        engine.load_y(next.y, shared + read, last ? 0 : s + 1);
      });
    }
  }
  ptx::wait_for_copies<0>();
  __syncthreads();
  if (p.partial != nullptr) {
    engine.store_partial(sum, partial_tile(p, at));
  } else {
    engine.store(sum, output_tile(operands, p, at), reinterpret_cast<double *>(shared));
  }
#endif
}

}  // namespace libsgemm::cuda
