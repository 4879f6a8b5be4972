// The tiled product with two alternating buffers of shared memory. Why: docs/kernels/ffma.md.
//
//   multiply     k-tile t from buffer t % 2; fragments of step k+1 are read while step k multiplies
//   load         k-tile t+1 into registers at the start, from there into buffer (t+1) % 2 at the end: one barrier
#pragma once

#include "multiply.cuh"
#include "operand_tile.cuh"

namespace libsgemm::cuda {

template <class Config, Fetch KindA, Fetch KindB>
struct DoubleBufferedLayout {
  using A = OperandTile<Config::tile_m, Config::tile_k, Config::threads, KindA>;
  using B = OperandTile<Config::tile_n, Config::tile_k, Config::threads, KindB>;
  static constexpr int stage_floats = A::floats + B::floats;
  static constexpr int bytes = 4 * (2 * stage_floats > kStoreFloats<Config> ? 2 * stage_floats : kStoreFloats<Config>);
};

template <class Config, Fetch KindA, Fetch KindB, typename Operands>
__device__ __forceinline__ void double_buffered(const Operands &operands, const TileProblem &p) {
  using Layout = DoubleBufferedLayout<Config, KindA, KindB>;
  using A = typename Layout::A;
  using B = typename Layout::B;
  constexpr int kStage = Layout::stage_floats;
  float *shared = dynamic_shared();

  const TilePosition<Config> at(p);
  const TileRange range(p, Config::tile_k);
  A a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range);
  B b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range);
  float staged_a[A::copies][A::width], staged_b[B::copies][B::width];

  a.load(staged_a, a.first_count);
  b.load(staged_b, b.first_count);
  a.store(shared, staged_a);
  b.store(shared + A::floats, staged_b);
  a.advance(range.first_depth);
  b.advance(range.first_depth);

  using Place = ThreadPlace<Config>;
  const Place place;
  constexpr int kStrideA = Config::lane_rows * 4, kStrideB = Config::lane_columns * Config::group_n;
  float sum[Config::thread_m][Config::thread_n] = {};
  float fragment_a[2][Config::thread_m], fragment_b[2][Config::thread_n];
  const float *read_a = shared + place.row();
  const float *read_b = shared + A::floats + place.column();
  __syncthreads();
  load_fragment<Config::thread_m, 4, kStrideA>(fragment_a[0], read_a);
  load_fragment<Config::thread_n, Config::group_n, kStrideB>(fragment_b[0], read_b);

  int read = 0;
#pragma unroll 1
  for (int left = range.count; left > 0; --left) {
    a.load(staged_a, left > 1 ? a.count : 0);
    b.load(staged_b, left > 1 ? b.count : 0);
    a.advance();
    b.advance();
#pragma unroll
    for (int k = 0; k < Config::tile_k; ++k) {
      const bool last = k == Config::tile_k - 1;
      if (last) {
        read = kStage - read;
        a.store(shared + read, staged_a);
        b.store(shared + read + A::floats, staged_b);
        __syncthreads();
      }
      const int row = last ? 0 : k + 1;
      load_fragment<Config::thread_m, 4, kStrideA>(fragment_a[(k + 1) % 2], read_a + read + row * A::pitch);
      load_fragment<Config::thread_n, Config::group_n, kStrideB>(fragment_b[(k + 1) % 2],
                                                                 read_b + read + row * B::pitch);
      multiply<Config>(sum, fragment_a[k % 2], fragment_b[k % 2]);
    }
  }
  store_tile<Config>(sum, output_tile(operands, p, at), shared);
}

}  // namespace libsgemm::cuda

#define LIBSGEMM_DOUBLE_BUFFERED_CODE(name, resident)                                                               \
  LIBSGEMM_TILE_CODE(name, double_buffered, Engine::registers, (DoubleBufferedLayout<Config, KindA, KindB>::bytes), \
                     resident)
