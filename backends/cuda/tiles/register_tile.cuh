// The tiled product of the register kernels of the ladder (docs/kernels/ffma.md): 16 x 16 threads, each with a tile of
// C in registers.
#pragma once

#include "tile_kernel.h"

namespace libsgemm::cuda {

// Copies a k-tile, with zeros beyond `extent` outer elements and `depth` k.
template <class Config, int Outer, bool AlongK>
__device__ __forceinline__ void fetch_tile(float (&tile)[Config::tile_k][Outer + 1], const float *source, int64_t ld,
                                           int extent, int depth) {
  const int thread = static_cast<int>(threadIdx.x);
  const int outer = AlongK ? thread / Config::tile_k : thread % Outer;
  const int k = AlongK ? thread % Config::tile_k : thread / Outer;
  constexpr int kStep = Config::threads / (AlongK ? Config::tile_k : Outer);
  source += AlongK ? k + outer * ld : outer + k * ld;
#pragma unroll
  for (int i = 0; i < (AlongK ? Outer : Config::tile_k); i += kStep) {
    const bool inside = AlongK ? outer + i < extent && k < depth : outer < extent && k + i < depth;
    tile[AlongK ? k : k + i][AlongK ? outer + i : outer] = inside ? source[i * ld] : 0.0f;
  }
}

template <class Config, Fetch KindA, Fetch KindB, typename Operands>
__device__ __forceinline__ void register_tile(const Operands &operands, const TileProblem &p) {
  constexpr int kM = Config::thread_m, kN = Config::thread_n;
  __shared__ float tile_a[Config::tile_k][Config::tile_m + 1], tile_b[Config::tile_k][Config::tile_n + 1];
  const TilePosition<Config> at(p);
  constexpr bool kAlongA = KindA == Fetch::inner, kAlongB = KindB == Fetch::inner;
  const OutputTile out = output_tile(operands, p, at);
  const float *a = global(static_cast<const float *>(operands.a(blockIdx.z))) + at.row() * (kAlongA ? p.lda : 1);
  const float *b = global(static_cast<const float *>(operands.b(blockIdx.z))) + at.column() * (kAlongB ? p.ldb : 1);
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sum[kM][kN] = {};
  for (int64_t k0 = 0; k0 < p.k; k0 += Config::tile_k) {
    const int depth = p.k - k0 < Config::tile_k ? static_cast<int>(p.k - k0) : Config::tile_k;
    fetch_tile<Config, Config::tile_m, kAlongA>(tile_a, a, p.lda, out.rows, depth);
    fetch_tile<Config, Config::tile_n, kAlongB>(tile_b, b, p.ldb, out.columns, depth);
    a += Config::tile_k * (kAlongA ? 1 : p.lda);
    b += Config::tile_k * (kAlongB ? 1 : p.ldb);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Config::tile_k; ++k) {
      float fragment_a[kM], fragment_b[kN];
#pragma unroll
      for (int i = 0; i < kM; ++i) fragment_a[i] = tile_a[k][x + 16 * i];
#pragma unroll
      for (int j = 0; j < kN; ++j) fragment_b[j] = tile_b[k][y + 16 * j];
#pragma unroll
      for (int i = 0; i < kM; ++i) {
#pragma unroll
        for (int j = 0; j < kN; ++j) sum[i][j] = fmaf(fragment_a[i], fragment_b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < kN; ++j) {
    if (y + 16 * j >= out.columns) continue;
    float *c = out.c + (y + 16 * j) * out.ld + x;
#pragma unroll
    for (int i = 0; i < kM; ++i) {
      if (x + 16 * i < out.rows) out.write(c + 16 * i, scaled(out.alpha, sum[i][j]));
    }
  }
}

}  // namespace libsgemm::cuda

#define LIBSGEMM_REGISTER_TILE_CODE(name) LIBSGEMM_TILE_CODE(name, register_tile, Engine::scalar, 0, Config::blocks)
