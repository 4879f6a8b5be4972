// Products of split operands (gpu/splits/splits.h) by MFMA: FP32-level sums from several products of 16-bit numbers.
//
// Three sets of sums:
//
//   low     x1 y0, x0 y1, ...     stay on the matrix cores over all of k: they are 2^-8 of the others or less, and so
//   is
//                                 what is lost of them there
//   main    x0 y0                 over two k-tiles, from zero on
//   sum                           FP32 additions of main, to nearest
//
// so that it does not matter how the matrix cores round, which AMD says of no chip: some cut off what FP32 rounds.
//
//   LDS: buffer b of 2: [A split 0][A split 1]...[B split 0][B split 1]...
//
// As in matrix.h, X is made from B and Y from A, tiles travel through registers into the buffer that nobody reads, and
// there is one barrier a k-tile. A round of the loop is two k-tiles, so that all places in LDS are constant. Main sums
// are added up just before they begin anew, behind the small products of the next round, when they are long complete.
#pragma once

#include "gpu/splits/splits_pass.h"
#include "matrix.h"
#include "split_tile.h"

namespace libsgemm::hip {

// What a kernel of this file is built from. The tile is one of the guard's.
template <Type kType, int TileK, int Splits>
struct SplitShape : MatrixShape<MfmaWords<kType>, kOuterPad, kOuterPad, TileK, 64, 64> {
  static constexpr Type type = kType;
  static constexpr int splits = Splits;
  static constexpr int products = Splits == 3 ? 6 : 3;
  static_assert(kDepthPad % (2 * TileK) == 0, "whole rounds");

  // The products in their order: split a(r) of A times split b(r) of B.
  static constexpr int digits_a[] = {2, 1, 0, 1, 0, 0}, digits_b[] = {0, 1, 2, 0, 1, 0};
  __device__ __forceinline__ static constexpr int a(int r) { return digits_a[r + 6 - products]; }
  __device__ __forceinline__ static constexpr int b(int r) { return digits_b[r + 6 - products]; }
};

struct SplitProblem {
  TileProblem tile;  // without its operands: lda, ldb
  Splits a, b;
  Guard guard;  // tiles that are left to FP32
};

template <class Config>
using SplitStreamOf = SplitStream<kOuterPad, Config::tile_k, Config::threads, Config::splits>;

// sum += main; main = 0.
template <class Config>
__device__ __forceinline__ void promote(typename Config::Core::Sums &sum, typename Config::Core::Sums &main) {
  sum += main;
  main = typename Config::Core::Sums{};
}

// Adds low, as it weighs, and takes the scale of the rows and columns off.
template <class Config>
__device__ __forceinline__ void finish_splits(MatrixSums<Config> &sum, const MatrixSums<Config> &low,
                                              const SplitProblem &q, const TilePosition<Config> &at,
                                              const WavePlace<Config> &place) {
  using Core = typename Config::Core;
  constexpr float kWeight = Config::type == Type::f16 ? kLowScale : 1.0f;
  const Global<uint32_t> *rows = global(q.a.most) + blockIdx.z * q.a.product_most + at.row() + place.row;
  const Global<uint32_t> *columns = global(q.b.most) + blockIdx.z * q.b.product_most + at.column() + place.column;
#pragma unroll
  for (int i = 0; i < Config::blocks_m; ++i) {
    const int of_row = scale_of(rows[i * Core::block + place.lane % Core::block]);
#pragma unroll
    for (int j = 0; j < Config::blocks_n; ++j) {
#pragma unroll
      for (int e = 0; e < Core::sums; ++e) {
        const int of_column = scale_of(columns[j * Core::block + Core::sum_outer(place.lane) + Core::sum_step(e)]);
        const float x = fmaf(kWeight, low[i][j][e], sum[i][j][e]);
        sum[i][j][e] = PowerOfTwo(max(-252, -(of_row + of_column))).times(x);
      }
    }
  }
}

template <class Config>
__device__ __forceinline__ void split_product(const StridedOperands &operands, const SplitProblem &q) {
  using Core = typename Config::Core;
  using Stream = SplitStreamOf<Config>;
  constexpr int kSteps = Config::steps, kBlocks = Config::blocks_m * Config::blocks_n;
  constexpr int kEach = Config::products * kBlocks;  // products of blocks in a step
  constexpr int kBuffer = 2 * Stream::words;
  __shared__ Words4 lds[2 * kBuffer];

  const TilePosition<Config> at(q.tile);
  if (q.guard(blockIdx.z, at.i, at.j)) return;
  const WavePlace<Config> place;
  Stream a(q.a, at.row()), b(q.b, at.column());
  typename Stream::Staged staged_a, staged_b;
  MatrixSums<Config> low, main, sum;
  clear_sums<Config>(low);
  clear_sums<Config>(main);
  clear_sums<Config>(sum);
  Words4 from_a[2][Config::splits][Config::blocks_m], from_b[2][Config::splits][Config::blocks_n];

  const auto fetch_a = [&] {
    a.fetch(staged_a);
    a.advance();
  };
  const auto fetch_b = [&] {
    b.fetch(staged_b);
    b.advance();
  };
  // The fragments of a step of the round.
  const auto read = [&](int step) {
    const Words4 *tile = lds + step / kSteps % 2 * kBuffer;
#pragma unroll
    for (int s = 0; s < Config::splits; ++s) {
#pragma unroll
      for (int i = 0; i < Config::blocks_m; ++i) {
        from_a[step % 2][s][i] = Stream::read(tile, s, place.lane, place.row + i * Core::block, step % kSteps);
      }
#pragma unroll
      for (int j = 0; j < Config::blocks_n; ++j) {
        from_b[step % 2][s][j] =
            Stream::read(tile + Stream::words, s, place.lane, place.column + j * Core::block, step % kSteps);
      }
    }
    keep_schedule();
  };

  fetch_a();
  fetch_b();
  a.store(lds, staged_a);
  b.store(lds + Stream::words, staged_b);
  __syncthreads();
  read(0);
#pragma unroll 1
  for (int left = (q.tile.k_tiles + 1) / 2; left > 0; --left) {
#pragma unroll
    for (int step = 0; step < 2 * kSteps; ++step) {
      const bool first = step % kSteps == 0, last = step % kSteps == kSteps - 1;
      const bool more = step < kSteps || left > 1;  // a k-tile after this one
      if (!last) read(step + 1);
#pragma unroll
      for (int e = 0; e < kEach; ++e) {
        const int r = e / kBlocks, i = e % kBlocks / Config::blocks_n, j = e % Config::blocks_n;
        const Words4 x = from_b[step % 2][Config::b(r)][j], y = from_a[step % 2][Config::a(r)][i];
        if (r < Config::products - 1) {
          low[i][j] = Core::multiply(x, y, low[i][j]);
        } else {
          if (step == 0) promote<Config>(sum[i][j], main[i][j]);
          main[i][j] = Core::multiply(x, y, main[i][j]);
        }
        if (first && more && e == 0) fetch_a();
        if (first && more && e == 1) fetch_b();
        if (!last || e < kEach - 4 || e == kEach - 1) continue;
        // What ends the k-tile is spread behind products, which hide it. The last one stores what it has once more,
        // where nobody reads it.
        Words4 *next = lds + (1 - step / kSteps) * kBuffer;
        keep_schedule();
        if (e == kEach - 4) {
          a.store(next, staged_a);
        } else if (e == kEach - 3) {
          b.store(next + Stream::words, staged_b);
        } else {
          __syncthreads();
          read(step + 1);
        }
        keep_schedule();
      }
    }
  }
#pragma unroll
  for (int i = 0; i < Config::blocks_m; ++i) {
#pragma unroll
    for (int j = 0; j < Config::blocks_n; ++j) promote<Config>(sum[i][j], main[i][j]);
  }
  finish_splits<Config>(sum, low, q, at, place);
  store_sums<Config>(sum, output_tile(operands, q.tile, at), place, [](int, int) { return true; });
}

}  // namespace libsgemm::hip
