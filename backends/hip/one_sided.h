// symm and trmm: the loops of valu.h and matrix.h with an A of which one triangle is stored (square_stream.h), on
// either side of the product. trmm reads the other matrix from a copy, and walks only along the steps of k that the
// triangle leaves a tile, the longest tiles first.
//
// Where the diagonal crosses a k-tile, trmm has zeros beside it, and zero times Inf or NaN of the other matrix is NaN,
// which BLAS, that leaves these terms out, does not give. So elements that come out infinite or NaN are summed once
// more, one by one, without such terms.
#pragma once

#include <cmath>

#include "gpu/batch.h"
#include "matrix.h"
#include "square_stream.h"
#include "valu.h"

namespace libsgemm::hip {

using namespace gpu;

// What a block computes: the tile of C, and the steps of k. The operands: A is the square matrix.
template <class Config, bool kSymmetric, bool kLeft>
struct OneSidedTile {
  static constexpr int square_outer = kLeft ? Config::tile_m : Config::tile_n;
  static constexpr int other_outer = kLeft ? Config::tile_n : Config::tile_m;

  const StridedOperands &operands;
  const OneSidedProblem &o;
  TilePosition<Config> at;
  int64_t first_k, end_k;

  __device__ __forceinline__ OneSidedTile(const StridedOperands &operands, const OneSidedProblem &o)
      : operands(operands), o(o), at(o.product), first_k(0), end_k(o.product.k) {
    if constexpr (!kSymmetric) {
      if (!o.upper) {  // the longest first
        if constexpr (kLeft) {
          at.i = o.product.tiles_m - 1 - at.i;
        } else {
          at.j = o.product.tiles_n - 1 - at.j;
        }
      }
      const int64_t first = kLeft ? at.row() : at.column();
      if (o.upper) {
        first_k = first;
      } else if (first + square_outer < end_k) {
        end_k = first + square_outer;
      }
    }
  }

  template <class Stream>
  __device__ __forceinline__ Stream square() const {
    return Stream(operands.a(blockIdx.z), kLeft ? o.product.lda : o.product.ldb, o, kLeft ? at.row() : at.column(),
                  first_k);
  }
  template <class Stream>
  __device__ __forceinline__ Stream other() const {
    return Stream(operands.b(blockIdx.z), kLeft ? o.product.ldb : o.product.lda, kLeft ? at.column() : at.row(),
                  kLeft ? o.product.n - at.column() : o.product.m - at.row(), first_k);
  }
  __device__ __forceinline__ TileRange range() const { return TileRange(first_k, end_k, Config::tile_k); }
  __device__ __forceinline__ OutputTile output() const { return output_tile(operands, o.product, at); }

  // trmm, an element of C that was stored: once more by its own terms, if it is not finite.
  __device__ __forceinline__ void mend(const OutputTile &out, int row, int column) const {
    if (row >= out.rows || column >= out.columns) return;
    Global<float> *to = out.c + column * out.ld + row;
    if (fabsf(*to) < INFINITY) return;
    const int64_t outer = kLeft ? at.row() + row : at.column() + column;
    const int64_t within = kLeft ? at.column() + column : at.row() + row;  // of the other matrix
    const int64_t lda = kLeft ? o.product.lda : o.product.ldb, ldb = kLeft ? o.product.ldb : o.product.lda;
    const Global<const float> *a = global(static_cast<const float *>(operands.a(blockIdx.z)));
    const Global<const float> *b = global(static_cast<const float *>(operands.b(blockIdx.z)));
    a += o.along_k ? outer * lda : outer;
    b += kLeft ? within * ldb : within;
    const int64_t a_step = o.along_k ? 1 : lda, b_step = kLeft ? 1 : ldb;
    float sum = 0;
#pragma unroll 1
    for (int64_t l = o.upper ? outer : 0; l < (o.upper ? o.product.k : outer + 1); ++l) {
      sum = fmaf(o.unit && l == outer ? 1.0f : a[l * a_step], b[l * b_step], sum);
    }
    *to = scaled(out.alpha, sum);
  }
};

template <class Config, bool kSymmetric, bool kLeft, Fetch KindOther>
__device__ __forceinline__ void ping_pong_one_sided(const StridedOperands &operands, const OneSidedProblem &o) {
  using Tile = OneSidedTile<Config, kSymmetric, kLeft>;
  using Square = SquareStream<Tile::square_outer, Config::tile_k, Config::threads, kSymmetric>;
  using Other = TileStream<Tile::other_outer, Config::tile_k, Config::threads, KindOther>;
  __shared__ Vec4 lds[kPingPongFloats<Config, Square, Other> / 4];
  float *shared = reinterpret_cast<float *>(lds);
  const Tile tile(operands, o);
  Square square = tile.template square<Square>();
  Other other = tile.template other<Other>();
  Sums<Config> sums;
  if constexpr (kLeft) {
    ping_pong_sums<Config>(sums, square, other, tile.range(), shared);
  } else {
    ping_pong_sums<Config>(sums, other, square, tile.range(), shared);
  }
  float sum[Config::thread_m][Config::thread_n];
  sums.get(sum);
  bool finite = true;
  if constexpr (!kSymmetric) {
#pragma unroll
    for (int e = 0; e < Config::thread_m * Config::thread_n; ++e) {
      finite = finite && fabsf(sum[e / Config::thread_n][e % Config::thread_n]) < INFINITY;
    }
  }
  const OutputTile out = tile.output();
  store_tile<Config>(sum, out, shared);
  if constexpr (!kSymmetric) {
    __syncthreads();  // others may have stored this thread's elements
    if (finite) return;
    using Place = ThreadPlace<Config>;
    const Place place;
#pragma unroll 1
    for (int e = 0; e < Config::thread_m * Config::thread_n; ++e) {
      tile.mend(out, place.row() + Place::row_offset(e % Config::thread_m),
                place.column() + Place::column_offset(e / Config::thread_m));
    }
  }
}

// The same on the matrix cores.
template <class Config, bool kSymmetric, bool kLeft, Fetch KindOther>
__device__ __forceinline__ void matrix_one_sided(const StridedOperands &operands, const OneSidedProblem &o) {
  using Core = typename Config::Core;
  using Tile = OneSidedTile<Config, kSymmetric, kLeft>;
  using Square = SquareStream<Tile::square_outer, Config::tile_k, Config::threads, kSymmetric, 0>;
  using Other = TileStream<Tile::other_outer, Config::tile_k, Config::threads, KindOther, 0>;
  __shared__ Vec4 lds[kMatrixFloats<Square, Other> / 4];
  float *shared = reinterpret_cast<float *>(lds);
  const Tile tile(operands, o);
  Square square = tile.template square<Square>();
  Other other = tile.template other<Other>();
  const WavePlace<Config> place;
  MatrixSums<Config> sums;
  clear_sums<Config>(sums);
  if constexpr (kLeft) {
    multiply_tiles<Config>(sums, square, other, tile.range(), place, shared);
  } else {
    multiply_tiles<Config>(sums, other, square, tile.range(), place, shared);
  }
  const OutputTile out = tile.output();
  store_sums<Config>(sums, out, place, [](int, int) { return true; });
  if constexpr (!kSymmetric) {
    bool finite = true;
#pragma unroll
    for (int i = 0; i < Config::blocks_m; ++i) {
#pragma unroll
      for (int j = 0; j < Config::blocks_n; ++j) {
#pragma unroll
        for (int e = 0; e < Core::sums; ++e) finite = finite && fabsf(sums[i][j][e]) < INFINITY;
      }
    }
    if (finite) return;
#pragma unroll 1
    for (int e = 0; e < Config::blocks_m * Config::blocks_n * Core::sums; ++e) {
      const int block = e / Core::sums;
      tile.mend(out, place.row + block / Config::blocks_n * Core::block + place.lane % Core::block,
                place.column + block % Config::blocks_n * Core::block + Core::sum_outer(place.lane) +
                    Core::sum_step(e % Core::sums));
    }
  }
}

}  // namespace libsgemm::hip
