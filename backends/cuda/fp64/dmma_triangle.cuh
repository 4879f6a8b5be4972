// Triangles of C on the FP64 tensor cores: the main loop of dmma_multistage.cuh over the tiles of C that
// overlap its triangle (gpu/level3/triangle.h). Figures: docs/kernels/fp64.md.
//
// In syr2k the k-tiles of op(A) op(B)^T are followed by those of op(B) op(A)^T, into the same accumulators; the last
// k-tile of the first product is padded with zeros. With split-K only the triangle's tiles of a slice are written.
#pragma once

#include <climits>

#include "dmma_multistage.cuh"
#include "gpu/batch.h"
#include "gpu/level3/triangle.h"

namespace libsgemm::cuda {

// ChainEnds of one product or two: the second one's k-tiles, too, are counted from the start of k.
class TriangleChainEnds {
 public:
  __device__ __forceinline__ explicit TriangleChainEnds(const TriangleProblem &p) : p_(p), last_(chain_from(0) - 1) {}

  __device__ __forceinline__ bool after(int t) {
    if (t != last_) return false;
    last_ += chain_from(t + 1);
    return true;
  }

 private:
  // K-tiles of the chain that starts with the block's k-tile t.
  __device__ __forceinline__ int chain_from(int t) const {
    return min(p_.product.chain_tiles, (t < p_.term_tiles ? 1 : 2) * p_.term_tiles - t);
  }

  const TriangleProblem &p_;
  int last_;
};

template <class Config, class A, class B>
class TriangleSupply {
 public:
  static constexpr bool spread = false;

  // `first`: counted over both products.
  __device__ __forceinline__ TriangleSupply(const StridedOperands &operands, const TriangleProblem &p,
                                            const TilePosition<Config> &at, int first)
      : operands_(operands),
        p_(p),
        row_(at.row()),
        column_(at.column()),
        left_(first < p.term_tiles ? p.term_tiles - first : INT_MAX),
        now_(of_term(first < p.term_tiles ? 0 : 1, first % p.term_tiles)) {}

  __device__ __forceinline__ void copy_async(float *stage) {
    if (left_ == 0) now_ = of_term(1, 0);
    --left_;
    now_.copy_async(stage);
  }

 private:
  __device__ __forceinline__ DmmaSupply<A, B> of_term(int term, int k_tile) const {
    const TileProblem &p = p_.product;
    const void *a = operands_.a(blockIdx.z), *b = operands_.b(blockIdx.z);
    const int64_t lda = term == 0 ? p.lda : p.ldb, ldb = term == 0 ? p.ldb : p.lda;
    const int64_t first_k = static_cast<int64_t>(k_tile) * Config::tile_k;
    return {A(term == 0 ? a : b, lda, row_, p.n - row_, first_k, p.k),
            B(term == 0 ? b : a, ldb, column_, p.n - column_, first_k, p.k)};
  }

  const StridedOperands &operands_;
  const TriangleProblem &p_;
  int64_t row_, column_;
  int left_;  // k-tiles before the second product
  DmmaSupply<A, B> now_;
};

template <class Config, Fetch KindA, Fetch KindB, bool kCut>
__device__ __forceinline__ void dmma_triangle(const StridedOperands &operands, const TriangleProblem &t) {
  static_assert(Config::tile_m == Config::tile_n, "tiles on the diagonal are square");
  using Layout = DmmaLayout<Config, KindA, KindB>;
  using Engine = typename Layout::Engine;
  float *shared = dynamic_shared();

  const TileProblem &p = t.product;
  const TilePosition<Config> at = triangle_position<Config>(t);
  const int first = static_cast<int>(blockIdx.y) * p.slice_tiles, count = min(p.slice_tiles, p.k_tiles - first);
  const int last = (first + count - 1) % t.term_tiles;  // within its product
  TriangleSupply<Config, typename Layout::A, typename Layout::B> supply(operands, t, at, first);
  const Engine engine;
  typename Engine::Sums sum;
  const DmmaRange range = DmmaRange::of<Engine>(count, p.k - static_cast<int64_t>(last) * Config::tile_k);
  if constexpr (kCut) {
    dmma_loop<Config, Layout, true>(engine, sum, supply, range, shared, TriangleChainEnds(t));
  } else {
    dmma_loop<Config, Layout>(engine, sum, supply, range, shared);
  }
  if (p.partial != nullptr) {
    engine.store_partial(sum, partial_tile(p, at));
  } else if (at.i != at.j) {
    engine.store(sum, output_tile(operands, p, at), shared);
  } else {
    engine.store_triangle(sum, output_tile(operands, p, at), shared, t.upper);
  }
}

}  // namespace libsgemm::cuda
