// Main loop of products of split operands (splits.h) by mma.sync (sm_80): FP32-level error from several products. Why:
// docs/kernels/splits.md.
//
//   stage of shared memory: [A split 0][A split 1]...[B split 0][B split 1]...   each tile_m or tile_n rows of tile_k
//
// Within a k-tile products of low weight come first; fragments of the main products, x0 y0, wait in registers. A warp
// computes 64 x 32, not 64 x 64, because it holds two sets of accumulators.
#pragma once

#include "gpu/splits/split_kernel.h"
#include "gpu/splits/split_problem.h"
#include "gpu/splits/splits_pass.h"
#include "gpu/tiles/tile_kernel.h"
#include "split_rates.h"
#include "tensor/mma.cuh"

namespace libsgemm::cuda {

using namespace gpu;

// Product r < count of a scheme is split a(r) of A times split b(r) of B, 4 bits a digit.
template <int kCount>
struct Order {
  static_assert(kCount == 2 || kCount == 3, "two or three splits");
  static constexpr int count = kCount == 3 ? 6 : 3;
  static constexpr uint32_t digits_a = kCount == 3 ? 0x001012 : 0x001;
  static constexpr uint32_t digits_b = kCount == 3 ? 0x010210 : 0x010;
  __device__ __forceinline__ static constexpr int a(int r) { return digits_a >> 4 * r & 15; }
  __device__ __forceinline__ static constexpr int b(int r) { return digits_b >> 4 * r & 15; }
};

template <class Tile, int kCount>
struct SplitTile {
  static constexpr int bytes = kCount * Tile::bytes;

  const char *source;
  int64_t step_bytes, split_bytes;
  int target;

  __device__ __forceinline__ SplitTile(const Splits &splits, int64_t first_outer) {
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / Tile::row_chunks, chunk = thread % Tile::row_chunks;
    source = splits.base + blockIdx.z * splits.product_bytes + (first_outer + row) * splits.ld * Tile::element_bytes +
             chunk * 16;
    step_bytes = Tile::row_step * splits.ld * Tile::element_bytes;
    split_bytes = splits.split_bytes;
    target = Tile::Layout::at(row, chunk);
  }
  __device__ __forceinline__ void copy_async(char *shared) {
#pragma unroll
    for (int q = 0; q < kCount; ++q) {
      const char *from = source + q * split_bytes;
#pragma unroll
      for (int i = 0; i < Tile::copies; ++i, from += step_bytes) {
        ptx::copy_async_part(shared + q * Tile::bytes + target + i * Tile::row_step * Tile::Layout::pitch, from, 16);
      }
    }
    source += Tile::row_bytes;
  }
};

// sum * 2^-(rows[row] + columns[column]), with the exponents in shared memory.
struct RowColumnScale {
  const int *rows, *columns;

  __device__ __forceinline__ float operator()(float x, int row, int column) const {
    return PowerOfTwo(max(-252, -(rows[row] + columns[column]))).times(x);
  }
};

// Config: a TensorShape with `splits` and `stages`.
template <class Config>
struct SplitMma {
  using TileA = typename MmaTileOf<Config::number, Config::tile_m, Config::tile_k, Config::threads, true>::type;
  using TileB = typename MmaTileOf<Config::number, Config::tile_n, Config::tile_k, Config::threads, true>::type;
  using Engine = MmaEngine<Config, TileA, TileB>;
  using A = SplitTile<TileA, Config::splits>;
  using B = SplitTile<TileB, Config::splits>;
  static constexpr int stage_bytes = A::bytes + B::bytes;
  static constexpr int bytes = Config::stages * stage_bytes;
  static constexpr int patch_bytes = Engine::patch_bytes;  // stores C; the exponents follow
  static_assert(patch_bytes + (Config::tile_m + Config::tile_n) * 4 <= bytes, "they fit where the operands were");
  static_assert(kOuterPad % Config::tile_m == 0 && kOuterPad % Config::tile_n == 0, "tiles within the guard's blocks");
  static_assert(kDepthPad % Config::tile_k == 0, "whole k-tiles");
};

template <class Config>
__device__ __forceinline__ void multiply_splits(typename SplitMma<Config>::Engine::Sums &part,
                                                const typename SplitMma<Config>::Engine &engine, int read) {
  using Product = SplitMma<Config>;
  using Engine = typename Product::Engine;
  using Products = Order<Config::splits>;
  uint32_t main_x[Engine::steps][Engine::blocks_x][4], main_y[Engine::steps][Engine::blocks_y / 2][4];
#pragma unroll
  for (int s = 0; s < Engine::steps; ++s) {
    typename Engine::Fragments f[Config::splits];
#pragma unroll
    for (int i = 0; i < Config::splits; ++i) {
      engine.load(&f[i], read + i * Product::TileA::bytes, read + i * Product::TileB::bytes, s);
    }
#pragma unroll
    for (int r = 0; r < Products::count - 1; ++r) {
      const auto &x = f[Products::b(r)].x;
      const auto &y = f[Products::a(r)].y;
      if (s == 0 && r == 0) {
        Engine::template multiply<true>(part, x, y);
      } else {
        Engine::template multiply<false>(part, x, y);
      }
    }
#pragma unroll
    for (int i = 0; i < Engine::blocks_x * 4; ++i) main_x[s][i / 4][i % 4] = f[0].x[i / 4][i % 4];
#pragma unroll
    for (int j = 0; j < Engine::blocks_y * 2; ++j) main_y[s][j / 4][j % 4] = f[0].y[j / 4][j % 4];
  }
  if constexpr (Config::number == Number::f16) Engine::scale(part, kLowScale);
#pragma unroll
  for (int s = 0; s < Engine::steps; ++s) Engine::template multiply<false>(part, main_x[s], main_y[s]);
}

template <class Config, typename Operands>
__device__ __forceinline__ void split_product(const Operands &operands, const SplitProblem &q) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  using Product = SplitMma<Config>;
  using Engine = typename Product::Engine;
  using A = typename Product::A;
  using B = typename Product::B;
  constexpr int kStages = Config::stages, kStage = Product::stage_bytes, kAll = kStages * kStage;
  const TileProblem &p = q.tile;
  char *shared = reinterpret_cast<char *>(dynamic_shared());

  const TilePosition<Config> at(p);
  // These loads are used after the loop.
  const bool left_out = q.guard(blockIdx.z, at.i / (kOuterPad / Config::tile_m), at.j / (kOuterPad / Config::tile_n));
  constexpr int kLines = Config::tile_m + Config::tile_n, kEach = (kLines + Config::threads - 1) / Config::threads;
  uint32_t most[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int line = static_cast<int>(threadIdx.x) + i * Config::threads;
    if (line < Config::tile_m) {
      most[i] = q.a.most[blockIdx.z * q.a.product_most + at.row() + line];
    } else if (line < kLines) {
      most[i] = q.b.most[blockIdx.z * q.b.product_most + at.column() + line - Config::tile_m];
    }
  }
  A a(q.a, at.row());
  B b(q.b, at.column());
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < p.k_tiles) {
      a.copy_async(shared + s * kStage);
      b.copy_async(shared + s * kStage + A::bytes);
    }
    ptx::commit_copies();
  }
  if (left_out) {
    ptx::wait_for_copies<0>();
    return;
  }
  const Engine engine(shared, shared + A::bytes);
  typename Engine::Sums sum, part;
  Engine::clear(sum);

  int read = 0, write = (kStages - 1) * kStage;
#pragma unroll 1
  for (int t = 0; t < p.k_tiles; ++t) {
    ptx::wait_for_copies<kStages - 2>();
    __syncthreads();
    if (t + kStages - 1 < p.k_tiles) {
      a.copy_async(shared + write);
      b.copy_async(shared + write + A::bytes);
    }
    ptx::commit_copies();
    write = write + kStage == kAll ? 0 : write + kStage;
    multiply_splits<Config>(part, engine, read);
    Engine::template promote<false>(sum, part);
    read = read + kStage == kAll ? 0 : read + kStage;
  }

  // The exponents of rows and columns replace the operands.
  ptx::wait_for_copies<0>();
  __syncthreads();
  int *scales = reinterpret_cast<int *>(shared + Product::patch_bytes);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int line = static_cast<int>(threadIdx.x) + i * Config::threads;
    if (line < kLines) scales[line] = scale_of(most[i]);
  }
  __syncthreads();
  engine.store(sum, output_tile(operands, p, at), RowColumnScale{scales, scales + Config::tile_m}, shared);
#endif
}

template <class Config, void (*kKernel)(StridedOperands, SplitProblem)>
SplitProduct split_product_of(Scheme scheme) {
  return {scheme,
          Config::splits,
          Order<Config::splits>::count,
          {Config::tile_m, Config::tile_n, Config::threads, Config::blocks, {Config::peak_fraction}},
          SplitMma<Config>::bytes,
          enqueue_split_product<Config, SplitMma<Config>::bytes, kKernel>,
          split_rate_mma};
}

}  // namespace libsgemm::cuda
