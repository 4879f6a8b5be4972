// The tiled product on tensor cores: with several k-tiles in flight (cp.async, sm_80), or with one, through registers
// (sm_75, and any alignment). Why: docs/kernels/mma.md.
//
//   time ->      stage t      stage t+1    ...     s = Config::stages; 2 through registers
//   multiply     k-tile t     k-tile t+1           fragments of the next step are read while a step multiplies
//   copy         k-tile t+s-1 k-tile t+s           into the stage that t-1 has freed
//
// A k-tile has one barrier, before the products of its last step. After it the next k-tile has arrived, and every
// thread has read the last fragments of this one. Rows of unaligned operands are moved one step before the barrier.
#pragma once

#include "tensor_tile.cuh"

namespace libsgemm::cuda {

struct NoScale {
  __device__ __forceinline__ float operator()(float x, int, int) const { return x; }
};

// TileOf, EngineOf: MmaTileOf and MmaEngine, or WmmaTileOf and WmmaEngine.
template <class Shape, Number kNumber, template <Number, int, int, int, bool> class TileOf,
          template <class, class, class> class EngineOf, bool AlongA, bool AlongB>
struct TensorProduct {
  using Config = WithNumber<Shape, kNumber>;
  using A = typename TileOf<kNumber, Config::tile_m, Config::tile_k, Config::threads, AlongA>::type;
  using B = typename TileOf<kNumber, Config::tile_n, Config::tile_k, Config::threads, AlongB>::type;
  using Engine = EngineOf<Config, A, B>;
  static constexpr int stages = Config::stages;
  static constexpr int stage_bytes = (A::bytes + B::bytes + 127) / 128 * 128;
  static constexpr int patch_bytes = Engine::patch_bytes;
  static constexpr int bytes = stages * stage_bytes > patch_bytes ? stages *stage_bytes : patch_bytes;
  static_assert(A::bytes % 128 == 0, "B's tile is aligned too");
};

// Moves the warp's rows of a k-tile to where ldmatrix can read them (unaligned_tile.cuh).
template <class A, class B>
__device__ __forceinline__ void shift_rows(const A &a, const B &b, char *stage) {
  a.shift(stage);
  b.shift(stage + A::bytes);
}

template <class Product, typename Operands>
__device__ __forceinline__ void tensor_multistage(const Operands &operands, const TileProblem &p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  using Config = typename Product::Config;
  using A = typename Product::A;
  using B = typename Product::B;
  using Engine = typename Product::Engine;
  constexpr int kStage = Product::stage_bytes, kStages = Product::stages, kAll = kStages * kStage;
  char *shared = reinterpret_cast<char *>(dynamic_shared());

  const TilePosition<Config> at(p);
  const TensorRange range(p, Config::tile_k);
  A a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range.first_k, p.k);
  B b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range.first_k, p.k);
  ptx::wait_for_grid_before();
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    if (s < range.count) {
      a.copy_async(shared + s * kStage);
      b.copy_async(shared + s * kStage + A::bytes);
    }
    ptx::commit_copies();
  }

  const Engine engine(shared, shared + A::bytes);
  typename Engine::Sums sum;
  Engine::clear(sum);
  int read = 0, write = (kStages - 1) * kStage;
  typename Engine::Fragments fragments[2];
  ptx::wait_for_copies<kStages - 2>();
  if constexpr (A::unaligned) shift_rows(a, b, shared);
  __syncthreads();
  engine.load(&fragments[0], 0, 0, 0);

#pragma unroll 1
  for (int t = 0; t < range.count; ++t) {
#pragma unroll
    for (int s = 0; s < Engine::steps; ++s) {
      const bool last = s == Engine::steps - 1;
      if (s == 0) {
        if (t + kStages - 1 < range.count) {
          a.copy_async(shared + write);
          b.copy_async(shared + write + A::bytes);
        }
        ptx::commit_copies();
        write = write + kStage == kAll ? 0 : write + kStage;
      }
      if constexpr (A::unaligned) {
        if (s == Engine::steps - 2) {
          ptx::wait_for_copies<kStages - 2>();
          if (t + 1 < range.count) shift_rows(a, b, shared + (read + kStage == kAll ? 0 : read + kStage));
        }
      }
      if (last) {
        read = read + kStage == kAll ? 0 : read + kStage;
        ptx::wait_for_copies<kStages - 2>();
        __syncthreads();
      }
      engine.load(&fragments[(s + 1) % 2], read, read, last ? 0 : s + 1);
      Engine::multiply(sum, fragments[s % 2]);
    }
  }
  ptx::wait_for_copies<0>();
  __syncthreads();
  ptx::let_next_grid_start();
  engine.store(sum, output_tile(operands, p, at), NoScale(), shared);
#endif
}

// The product through registers. Groups of threads can share the steps of a k-tile; the first group adds the
// accumulators of the others. output(), the tile of C, is called last, so that it occupies no registers before.
template <class Product, class Output>
__device__ __forceinline__ void tensor_staged(typename Product::A &a, typename Product::B &b, int count,
                                              const Output &output) {
  using A = typename Product::A;
  using B = typename Product::B;
  using Engine = typename Product::Engine;
  constexpr int kStage = Product::stage_bytes;
  char *shared = reinterpret_cast<char *>(dynamic_shared());

  constexpr int kGroups = Product::Config::k_groups, kGroupThreads = Product::Config::threads / kGroups;
  constexpr int kSteps = Engine::steps / kGroups;
  const int group = kGroups == 1 ? 0 : static_cast<int>(threadIdx.x) / kGroupThreads;

  typename A::Staged staged_a[A::copies];
  typename B::Staged staged_b[B::copies];
  a.load(staged_a);
  b.load(staged_b);
  a.store(shared, staged_a);
  b.store(shared + A::bytes, staged_b);

  const Engine engine(shared, shared + A::bytes);
  typename Engine::Sums sum;
  Engine::clear(sum);
  typename Engine::Fragments fragments;
  __syncthreads();
  int read = 0;
#pragma unroll 1
  for (int left = count; left > 0; --left) {
    if (left > 1) {
      a.load(staged_a);
      b.load(staged_b);
    }
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      engine.load(&fragments, read, read, group * kSteps + s);
      Engine::multiply(sum, fragments);
    }
    read = kStage - read;
    if (left > 1) {
      a.store(shared + read, staged_a);
      b.store(shared + read + A::bytes, staged_b);
    }
    __syncthreads();
  }
  if constexpr (kGroups > 1) {
    // The other groups' accumulators follow the patches, which store() needs.
    static_assert(Product::patch_bytes + (kGroups - 1) * kGroupThreads * Engine::sums * 4 <= Product::bytes, "room");
    float *others = reinterpret_cast<float *>(shared + Product::patch_bytes) + threadIdx.x % kGroupThreads;
    constexpr int kGroupSums = kGroupThreads * Engine::sums;
    if (group > 0) Engine::put(sum, others + (group - 1) * kGroupSums, kGroupThreads);
    __syncthreads();
#pragma unroll
    for (int g = 1; g < kGroups; ++g) {
      if (group == 0) Engine::add(sum, others + (g - 1) * kGroupSums, kGroupThreads);
    }
  }
  ptx::let_next_grid_start();
  engine.store(sum, output(), NoScale(), shared, group == 0);
}

// tensor_staged() with the grid of tensor_multistage().
template <class Product, typename Operands>
__device__ __forceinline__ void tensor_small(const Operands &operands, const TileProblem &p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  using Config = typename Product::Config;
  const TilePosition<Config> at(p);
  const TensorRange range(p, Config::tile_k);
  typename Product::A a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range.first_k, p.k);
  typename Product::B b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range.first_k, p.k);
  ptx::wait_for_grid_before();
  tensor_staged<Product>(a, b, range.count, [&] { return output_tile(operands, p, at); });
#endif
}

}  // namespace libsgemm::cuda
