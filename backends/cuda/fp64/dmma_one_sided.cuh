// symm and trmm on the FP64 tensor cores (dmma_multistage.cuh), where one triangle of A is stored and A is on either
// side of the product. trmm reads the other matrix from a copy. Figures: docs/kernels/fp64.md.
//
//        k ->                     k-tiles of A, if the upper triangle is stored:
//      +---+---+---+---+
//      | x | p | p | p |          p  on the stored side
//   o  +---+---+---+---+          x  the diagonal crosses it: copied element by element
//   u  | m | x | p | p |          m  on the other side: trmm skips it; symm copies each element from its mirror image
//   t  +---+---+---+---+
//
// In a k-tile x, trmm fills the other side with zeros. Zero times Inf or NaN is NaN, so infinite or NaN elements of C
// are computed again, one by one, without such terms.
#pragma once

#include <cmath>

#include "dmma_multistage.cuh"
#include "gpu/batch.h"
#include "gpu/level3/one_sided.h"

namespace libsgemm::cuda {

enum class HalfStored { symmetric, triangular };

constexpr Fetch by_elements(Fetch kind) {
  return kind == Fetch::outer_x4 ? Fetch::outer : kind == Fetch::inner_x4 ? Fetch::inner : kind;
}

// A k-tile of A of the kinds x and m.
template <HalfStored kStored, int Outer, int Depth, int Threads, Fetch Kind>
struct CrossedTile : FloatTile<Outer, Depth, Threads, by_elements(Kind)> {
  using Tile = FloatTile<Outer, Depth, Threads, by_elements(Kind)>;

  const float *mirrored;
  int64_t mirrored_step;
  int diagonal;  // outer index minus k, of the first element

  __device__ __forceinline__ CrossedTile(const void *operand, int64_t ld, int64_t first_outer, int64_t extent,
                                         int64_t first_k, int64_t k)
      : Tile(operand, ld, first_outer, extent, first_k, k) {
    const int64_t outer = first_outer + Tile::outer, step = first_k + Tile::k;
    diagonal = static_cast<int>(outer - step);
    mirrored = global(static_cast<const float *>(operand)) + (Tile::along_k ? step * ld + outer : outer * ld + step);
    mirrored_step = Tile::step;
  }

  __device__ __forceinline__ void copy(float *shared, bool upper, bool unit) const {
    const float *from = this->source, *mirror = mirrored;
#pragma unroll
    for (int i = 0; i < Tile::copies; ++i, from += this->copy_step, mirror += mirrored_step) {
      const bool inside = Tile::along_k ? i * Tile::step<this->outer_room &&this->k_room> 0
                                        : i * Tile::step<this->k_room &&this->outer_room> 0;
      const int place = diagonal + (Tile::along_k ? i : -i) * Tile::step;
      const bool stored = upper ? place <= 0 : place >= 0;
      float *to = shared + this->target + i * Tile::target_step;
      if constexpr (kStored == HalfStored::symmetric) {
        ptx::copy_async_4(to, stored ? from : mirror, inside);
      } else if (unit && place == 0) {
        *to = inside ? 1.0f : 0.0f;
      } else {
        ptx::copy_async_4(to, from, inside && stored);
      }
    }
  }
};

template <HalfStored kStored, class Config, bool kLeft, Fetch KindA, Fetch KindB>
class OneSidedSupply {
 public:
  static constexpr bool spread = false;
  static constexpr int kOuter = kLeft ? Config::tile_m : Config::tile_n, kDepth = Config::tile_k;
  static constexpr int kOther = kLeft ? Config::tile_n : Config::tile_m;
  static constexpr Fetch kKind = kLeft ? KindA : KindB;
  using Plain = FloatTile<kOuter, kDepth, Config::threads, kKind>;
  using Other = FloatTile<kOther, kDepth, Config::threads, kLeft ? KindB : KindA>;

  __device__ __forceinline__ OneSidedSupply(const StridedOperands &operands, const OneSidedProblem &p,
                                            const TilePosition<Config> &at, int64_t first_k)
      : a_(operands.a(blockIdx.z)),
        p_(p),
        first_outer_(kLeft ? at.row() : at.column()),
        first_k_(first_k),
        plain_(a_, ld(), first_outer_, extent() - first_outer_, first_k, p.product.k),
        other_(operands.b(blockIdx.z), kLeft ? p.product.ldb : p.product.lda, kLeft ? at.column() : at.row(),
               kLeft ? p.product.n - at.column() : p.product.m - at.row(), first_k, p.product.k) {}

  __device__ __forceinline__ void copy_async(float *stage) {
    float *to = stage + (kLeft ? 0 : Other::floats);
    if (p_.upper ? first_outer_ + kOuter <= first_k_ : first_k_ + kDepth <= first_outer_) {
      plain_.copy_async(to);
    } else {
      const CrossedTile<kStored, kOuter, kDepth, Config::threads, kKind> crossed(
          a_, ld(), first_outer_, extent() - first_outer_, first_k_, p_.product.k);
      crossed.copy(to, p_.upper, p_.unit);
      plain_.skip();
    }
    other_.copy_async(stage + (kLeft ? Plain::floats : 0));
    first_k_ += kDepth;
  }

 private:
  __device__ __forceinline__ int64_t ld() const { return kLeft ? p_.product.lda : p_.product.ldb; }
  __device__ __forceinline__ int64_t extent() const { return kLeft ? p_.product.m : p_.product.n; }

  const void *a_;
  const OneSidedProblem &p_;
  int64_t first_outer_, first_k_;
  Plain plain_;
  Other other_;
};

// An element of a trmm before alpha, from the terms inside the triangle only.
template <bool kLeft, Fetch KindA, Fetch KindB>
__device__ __noinline__ double triangular_sum(const StridedOperands &operands, const OneSidedProblem &p, int64_t row,
                                              int64_t column) {
  const auto along_k = [](Fetch kind) { return kind == Fetch::inner || kind == Fetch::inner_x4; };
  const float *a = global(static_cast<const float *>(operands.a(blockIdx.z)));
  const float *b = global(static_cast<const float *>(operands.b(blockIdx.z)));
  const int64_t lda = kLeft ? p.product.lda : p.product.ldb, ldb = kLeft ? p.product.ldb : p.product.lda;
  const int64_t outer = kLeft ? row : column, other = kLeft ? column : row;
  double total = 0, sum = 0;
#pragma unroll 1
  for (int64_t l = p.upper ? outer : 0; l < (p.upper ? p.product.k : outer + 1); ++l) {
    if (l % kChainTerms == 0) {
      total += sum;
      sum = 0;
    }
    const float x = p.unit && l == outer             ? 1.0f
                    : along_k(kLeft ? KindA : KindB) ? a[outer * lda + l]
                                                     : a[l * lda + outer];
    const float y = along_k(kLeft ? KindB : KindA) ? b[other * ldb + l] : b[l * ldb + other];
    sum = fma(static_cast<double>(x), static_cast<double>(y), sum);
  }
  return total + sum;
}

template <HalfStored kStored, class Config, bool kLeft, Fetch KindA, Fetch KindB, bool kCut>
__device__ __forceinline__ void dmma_one_sided(const StridedOperands &operands, const OneSidedProblem &o) {
  using Layout = DmmaLayout<Config, KindA, KindB>;
  using Engine = typename Layout::Engine;
  using Supply = OneSidedSupply<kStored, Config, kLeft, KindA, KindB>;
  constexpr bool kTriangular = kStored == HalfStored::triangular;
  float *shared = dynamic_shared();

  const TileProblem &p = o.product;
  TilePosition<Config> at(p);
  if (kTriangular && !o.upper) {  // tiles with the most k first
    if constexpr (kLeft) {
      at.i = p.tiles_m - 1 - at.i;
    } else {
      at.j = p.tiles_n - 1 - at.j;
    }
  }
  const int64_t first_outer = kLeft ? at.row() : at.column();
  int first = 0, end = p.k_tiles;
  if constexpr (kTriangular) {
    if (o.upper) {
      first = static_cast<int>(first_outer / Config::tile_k);
    } else {
      const int64_t needed = (first_outer + Supply::kOuter + Config::tile_k - 1) / Config::tile_k;
      end = needed < end ? static_cast<int>(needed) : end;
    }
  }
  Supply supply(operands, o, at, static_cast<int64_t>(first) * Config::tile_k);
  const Engine engine;
  typename Engine::Sums sum;
  const DmmaRange range = DmmaRange::of<Engine>(end - first, p.k - static_cast<int64_t>(end - 1) * Config::tile_k);
  dmma_loop<Config, Layout, kCut>(engine, sum, supply, range, shared, ChainEnds<kCut>(p.chain_tiles, first));
  const OutputTile out = output_tile(operands, p, at);
  if constexpr (kTriangular) {
    engine.for_elements(sum, [&](double &x, int row, int column) {
      if (fabs(x) < INFINITY || row >= out.rows || column >= out.columns) return;
      x = triangular_sum<kLeft, KindA, KindB>(operands, o, at.row() + row, at.column() + column);
    });
  }
  engine.store(sum, out, shared);
}

}  // namespace libsgemm::cuda
