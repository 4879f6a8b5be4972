// The tiled product with several k-tiles in flight (cp.async, sm_80). Why: docs/kernels/ffma.md.
//
//   time ->      stage t      stage t+1    ...     s = Config::stages
//   multiply     k-tile t     k-tile t+1           fragments of step k+1 are read while step k multiplies
//   copy         k-tile t+s-1 k-tile t+s           in the middle of a k-tile, into the stage that t-1 has freed
//
// A k-tile has one barrier: after it the next k-tile has arrived, and every thread is done with the previous stage.
#pragma once

#include "multiply.cuh"
#include "operand_tile.cuh"

namespace libsgemm::cuda {

template <class Config, Fetch KindA, Fetch KindB>
struct MultistageLayout {
  using A = OperandTile<Config::tile_m, Config::tile_k, Config::threads, KindA>;
  using B = OperandTile<Config::tile_n, Config::tile_k, Config::threads, KindB>;
  static constexpr int stage_floats = A::floats + B::floats;
  static constexpr int floats = Config::stages * stage_floats;
  static constexpr int bytes = 4 * (floats > kStoreFloats<Config> ? floats : kStoreFloats<Config>);
};

template <class A, class B>
struct MultistageSupply {
  A a;
  B b;
  int first_depth;

  __device__ __forceinline__ void copy_first(float *stage) {
    a.copy_async(stage, a.first_count);
    b.copy_async(stage + A::floats, b.first_count);
    ptx::commit_copies();
    a.advance(first_depth);
    b.advance(first_depth);
  }
  // Commits a group even without a next k-tile, since the loop counts groups.
  __device__ __forceinline__ void copy_next(float *stage, bool more) {
    a.copy_async(stage, more ? a.count : 0);
    b.copy_async(stage + A::floats, more ? b.count : 0);
    ptx::commit_copies();
    a.advance();
    b.advance();
  }
};

// At the end all of the thread's copies have arrived.
template <class Config, class Layout, class Supply>
__device__ __forceinline__ void multistage_loop(float (&sum)[Config::thread_m][Config::thread_n], Supply &supply,
                                                int count, float *shared) {
  using A = typename Layout::A;
  using B = typename Layout::B;
  constexpr int kStage = Layout::stage_floats, kAll = Layout::floats, kStages = Config::stages;
  supply.copy_first(shared);
#pragma unroll
  for (int s = 1; s < kStages - 1; ++s) supply.copy_next(shared + s * kStage, s < count);

  using Place = ThreadPlace<Config>;
  const Place place;
  constexpr int kStrideA = Config::lane_rows * 4, kStrideB = Config::lane_columns * Config::group_n;
  float fragment_a[2][Config::thread_m], fragment_b[2][Config::thread_n];
  const float *read_a = shared + place.row();
  const float *read_b = shared + A::floats + place.column();
  ptx::wait_for_copies<kStages - 2>();
  __syncthreads();
  load_fragment<Config::thread_m, 4, kStrideA>(fragment_a[0], read_a);
  load_fragment<Config::thread_n, Config::group_n, kStrideB>(fragment_b[0], read_b);

  int read = 0, write = (kStages - 1) * kStage;
#pragma unroll 1
  for (int t = 0; t < count; ++t) {
#pragma unroll
    for (int k = 0; k < Config::tile_k; ++k) {
      const bool last = k == Config::tile_k - 1;
      if (last) {
        read = read + kStage == kAll ? 0 : read + kStage;
        ptx::wait_for_copies<kStages - 2>();
        __syncthreads();
      }
      const int row = last ? 0 : k + 1;
      load_fragment<Config::thread_m, 4, kStrideA>(fragment_a[(k + 1) % 2], read_a + read + row * A::pitch);
      load_fragment<Config::thread_n, Config::group_n, kStrideB>(fragment_b[(k + 1) % 2],
                                                                 read_b + read + row * B::pitch);
      if (k == Config::tile_k / 2) {
        supply.copy_next(shared + write, t + kStages - 1 < count);
        write = write + kStage == kAll ? 0 : write + kStage;
      }
      multiply<Config>(sum, fragment_a[k % 2], fragment_b[k % 2]);
    }
  }
  ptx::wait_for_copies<0>();
}

template <class Config, Fetch KindA, Fetch KindB, typename Operands>
__device__ __forceinline__ void multistage(const Operands &operands, const TileProblem &p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  using Layout = MultistageLayout<Config, KindA, KindB>;
  using A = typename Layout::A;
  using B = typename Layout::B;
  float *shared = dynamic_shared();
  const TilePosition<Config> at(p);
  const TileRange range(p, Config::tile_k);
  MultistageSupply<A, B> supply = {A(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range),
                                   B(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range),
                                   range.first_depth};
  float sum[Config::thread_m][Config::thread_n] = {};
  multistage_loop<Config, Layout>(sum, supply, range.count, shared);
  store_tile<Config>(sum, output_tile(operands, p, at), shared);
#endif
}

}  // namespace libsgemm::cuda

#define LIBSGEMM_MULTISTAGE_CODE(name) \
  LIBSGEMM_TILE_CODE(name, multistage, Engine::copies, (MultistageLayout<Config, KindA, KindB>::bytes), Config::blocks)
