// symm and trmm: the loop of valu.h with an A of which one triangle is stored, on either side of the product. trmm
// reads the other matrix from a copy.
//
//        k ->
//      +---+---+---+---+
//   o  | x | p | p | p |     A, the upper part stored. A tile of C takes k in three parts, with the same accumulators:
//   u  +---+---+---+---+     p  the stored side: fetched like any operand
//   t  | m | x | p | p |     x  crossed by the diagonal: fetched element by element (square_stream.h)
//   e  +---+---+---+---+     m  the other side: trmm skips it, and computes the longest tiles first; symm fetches the
//   r  | m | m | x | p |        mirror image, an operand that is contiguous along the other direction
//
// In an x, trmm fills the other side of the diagonal with zeros. Zero times Inf or NaN is NaN, so elements of C that
// are Inf or NaN are summed again, one by one, without such terms.
#pragma once

#include <cmath>

#include "gpu/batch.h"
#include "square_stream.h"
#include "valu.h"

namespace libsgemm::hip {

using namespace gpu;

// A is the square matrix.
template <class ConfigType, bool kSymmetric, bool kLeft, Fetch KindOther, int kPad>
struct OneSidedTile {
  using Config = ConfigType;
  static constexpr int kOuter = kLeft ? Config::tile_m : Config::tile_n;
  static constexpr bool kVectors = KindOther == Fetch::outer_x4 || KindOther == Fetch::inner_x4;
  template <Fetch Kind>
  using Plain = TileStream<kOuter, Config::tile_k, Config::threads, Kind, kPad>;
  using AlongOuter = Plain<kVectors ? Fetch::outer_x4 : Fetch::outer>;
  using AlongK = Plain<kVectors ? Fetch::inner_x4 : Fetch::inner>;
  using Square = SquareStream<kOuter, Config::tile_k, Config::threads, kSymmetric, kPad>;
  using Other = TileStream<kLeft ? Config::tile_n : Config::tile_m, Config::tile_k, Config::threads, KindOther, kPad>;

  const StridedOperands &operands;
  const OneSidedProblem &o;
  TilePosition<Config> at;
  int64_t first;  // outer index of A's tiles

  __device__ __forceinline__ OneSidedTile(const StridedOperands &operands, const OneSidedProblem &o)
      : operands(operands), o(o), at(o.product) {
    if (!kSymmetric && !o.upper) {  // longest tiles first
      if constexpr (kLeft) {
        at.i = o.product.tiles_m - 1 - at.i;
      } else {
        at.j = o.product.tiles_n - 1 - at.j;
      }
    }
    first = kLeft ? at.row() : at.column();
  }

  __device__ __forceinline__ OutputTile output() const {
    const auto anew = read_anew(operands, o);
    return output_tile(anew.first, anew.second.product, at);
  }

  template <typename Add>
  __device__ __forceinline__ void for_parts(const Add &add) const {
#pragma unroll 1
    for (int part = 0; part < 3; ++part) {
      const auto anew = read_anew(this->operands, this->o);
      const StridedOperands &operands = anew.first;
      const OneSidedProblem &o = anew.second;
      const TileProblem &p = o.product;
      const int64_t end = first + kOuter < p.k ? first + kOuter : p.k, lda = kLeft ? p.lda : p.ldb;
      const void *a = operands.a(blockIdx.z);
      const int64_t from = part == 0 ? 0 : part == 1 ? first : end, to = part == 0 ? first : part == 1 ? end : p.k;
      const bool crossed = part == 1, stored = o.upper == (part == 2);
      const bool none = from == to || (!kSymmetric && !crossed && !stored);
      const int kind = none ? 3 : crossed ? 2 : o.along_k == stored ? 1 : 0;
      if (part > 0) __syncthreads();  // other threads may still read the last tiles
      Other other(operands.b(blockIdx.z), kLeft ? p.ldb : p.lda, kLeft ? at.column() : at.row(),
                  kLeft ? p.n - at.column() : p.m - at.row(), from);
      TileRange range(from, to, Config::tile_k);
      range.count = uniform(range.count);  // else vector instructions count the loop
      if (again(kind) == 2) {
        Square stream(a, lda, o, first, from);
        add(stream, other, range);
      }
      if (again(kind) == 1) {
        AlongK stream(a, lda, first, p.k - first, from);
        add(stream, other, range);
      }
      if (again(kind) == 0) {
        AlongOuter stream(a, lda, first, p.k - first, from);
        add(stream, other, range);
      }
    }
  }

  // trmm: if an element of C is not finite, sums it again, without terms outside of the triangle.
  __device__ __forceinline__ void mend(const OutputTile &out, int row, int column) const {
    if (row >= out.rows || column >= out.columns) return;
    Global<float> *to = out.c + column * out.ld + row;
    if (fabsf(*to) < INFINITY) return;
    const int64_t outer = kLeft ? at.row() + row : at.column() + column;
    const int64_t within = kLeft ? at.column() + column : at.row() + row;  // index in the other matrix
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
  using Tile = OneSidedTile<Config, kSymmetric, kLeft, KindOther, 4>;
  __shared__ Vec4 lds[kPingPongFloats<Config, typename Tile::Square, typename Tile::Other> / 4];
  float *shared = reinterpret_cast<float *>(lds);
  const Tile tile(operands, o);
  Sums<Config> sums;
  tile.for_parts([&](auto &a, auto &other, const TileRange &range) {
    if constexpr (kLeft) {
      ping_pong_sums<Config>(sums, a, other, range, shared);
    } else {
      ping_pong_sums<Config>(sums, other, a, range, shared);
    }
  });
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

}  // namespace libsgemm::hip
