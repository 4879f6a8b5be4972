// Triangles of C: the loop of valu.h for the tiles of C that overlap its triangle (gpu/level3/triangle.h).
// syr2k adds two products in the same accumulators, the second with A and B exchanged. Tiles on the diagonal are
// multiplied whole, and stored element by element.
#pragma once

#include "gpu/batch.h"
#include "gpu/level3/triangle.h"
#include "hip/tiles/valu.h"

namespace libsgemm::hip {

using namespace gpu;

// Calls add(a, b, range) for each product; without kSyr2k there is one, which takes fewer registers.
template <class Config, class A, class B, bool kSyr2k, typename Add>
__device__ __forceinline__ void for_terms(const StridedOperands &operands, const TriangleProblem &t,
                                          const TilePosition<Config> &at, const Add &add) {
  const TileProblem &p = t.product;
  const auto add_product = [&](const void *a, int64_t lda, const void *b, int64_t ldb) {
    A from_a(a, lda, at.row(), p.m - at.row(), 0);
    B from_b(b, ldb, at.column(), p.n - at.column(), 0);
    add(from_a, from_b, TileRange(0, p.k, Config::tile_k));
  };
  const void *a = operands.a(blockIdx.z), *b = operands.b(blockIdx.z);
  int64_t lda = p.lda, ldb = p.ldb;
  if constexpr (!kSyr2k) return add_product(a, lda, b, ldb);
#pragma unroll 1
  for (int left = p.k_tiles; left > 0; left -= t.term_tiles) {
    if (left < p.k_tiles) __syncthreads();  // other threads may still read the last tiles
    add_product(a, lda, b, ldb);
    const void *const first = a;
    const int64_t first_ld = lda;
    a = b, lda = ldb;
    b = first, ldb = first_ld;
  }
}

template <class Config, class A, class B, bool kSyr2k>
__device__ __forceinline__ void ping_pong_triangle(const StridedOperands &operands, const TriangleProblem &t) {
  __shared__ Vec4 lds[kPingPongFloats<Config, A, B> / 4];
  float *shared = reinterpret_cast<float *>(lds);
  const TilePosition<Config> at = triangle_position<Config>(t);
  Sums<Config> sums;
  for_terms<Config, A, B, kSyr2k>(
      operands, t, at, [&](A &a, B &b, const TileRange &range) { ping_pong_sums<Config>(sums, a, b, range, shared); });
  float sum[Config::thread_m][Config::thread_n];
  sums.get(sum);
  const OutputTile out = output_tile(operands, t.product, at);
  if (at.i != at.j) {
    store_tile<Config>(sum, out, shared);
  } else {
    store_diagonal_tile<Config>(sum, out, shared, t.upper);
  }
}

template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void ping_pong_triangle(const StridedOperands &operands, const TriangleProblem &t) {
  using A = TileStream<Config::tile_m, Config::tile_k, Config::threads, KindA>;
  using B = TileStream<Config::tile_n, Config::tile_k, Config::threads, KindB>;
  ping_pong_triangle<Config, A, B, true>(operands, t);
}

}  // namespace libsgemm::hip
