// Main loop of products of split operands (gpu/splits/splits.h) by MFMA. Three sets of accumulators: `low`, `main` and
// `sum` (docs/kernels/amd.md). X, Y, tiles and barriers are as in matrix.h; one of two buffers of LDS holds all of a
// k-tile's splits. Each k-step adds the main accumulators of some blocks to `sum`, after products of `low`, just before
// these accumulators start again at zero.
#pragma once

#include "gpu/splits/split_problem.h"
#include "gpu/splits/splits_pass.h"
#include "hip/tensor/matrix.h"
#include "split_tile.h"

namespace libsgemm::hip {

// A tile of C is also a tile of the guard (splits.h).
template <Type kType, int TileK, int Splits>
struct SplitShape : MatrixShape<MfmaWords<kType>, kOuterPad, kOuterPad, TileK, 64, 64> {
  static constexpr Type type = kType;
  static constexpr int splits = Splits;
  static constexpr int products = Splits == 3 ? 6 : 3;
  static_assert(kDepthPad % (2 * TileK) == 0, "whole rounds");

  // Product r is split a(r) of A times split b(r) of B.
  static constexpr int digits_a[] = {2, 1, 0, 1, 0, 0}, digits_b[] = {0, 1, 2, 0, 1, 0};
  __device__ __forceinline__ static constexpr int a(int r) { return digits_a[r + 6 - products]; }
  __device__ __forceinline__ static constexpr int b(int r) { return digits_b[r + 6 - products]; }
};

template <class Config>
using SplitStreamOf = SplitStream<kOuterPad, Config::tile_k, Config::threads, Config::splits>;

// Adds `low` with its weight, and removes the scales of rows and columns.
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
  // Matrix instructions: kProduct for one product of all blocks; kStep and kEnd for a k-step and a k-tile; kMain before
  // the main products of a k-step; kBarrier before the barrier.
  constexpr int kProduct = kBlocks * Core::parts, kStep = Config::products * kProduct, kEnd = kSteps * kStep;
  constexpr int kMain = kStep - kProduct, kBarrier = kEnd - kStep / 2;
  // The main accumulators of block i are added in k-step i % kTurns + 1 of a round, after products of `low`: by then
  // they have long been complete. A branch would make the compiler read all at once.
  constexpr int kTurns = 2 * kSteps - 1;
  constexpr int kBuffer = 2 * Stream::words;
  __shared__ Words4 lds[2 * kBuffer];

  const TilePosition<Config> at(q.tile);
  if (q.guard(blockIdx.z, at.i, at.j)) return;
  const WavePlace<Config> place;
  Stream a(q.a, at.row()), b(q.b, at.column());
  typename Stream::Staged staged_a, staged_b;
  MatrixSums<Config> low, main;
  clear_sums<Config>(low);
  clear_sums<Config>(main);
  constexpr int kPairs = Core::sums / 2;
  Floats2 sum[kBlocks][kPairs] = {};  // pairs, since the compiler would add whole vectors at once
  Words4 from_a[2][Config::splits][Config::blocks_m], from_b[2][Config::splits][Config::blocks_n];

  constexpr int kReads = Config::splits * (Config::blocks_m + Config::blocks_n);
  const auto read_one = [&](int buffer, int step, int to, auto of_reads) {
    constexpr int kI = decltype(of_reads)::value / Config::splits, kSplit = decltype(of_reads)::value % Config::splits;
    const Words4 *tile = lds + buffer * kBuffer;
    if constexpr (kI < Config::blocks_m) {
      from_a[to][kSplit][kI] = Stream::read(tile, kSplit, place.lane, place.row + kI * Core::block, step);
    } else {
      constexpr int kJ = kI - Config::blocks_m;
      from_b[to][kSplit][kJ] =
          Stream::read(tile + Stream::words, kSplit, place.lane, place.column + kJ * Core::block, step);
    }
  };
  const auto store_one = [&](int buffer, int i) {
    if (i < Stream::copies) {
      a.store_one(lds + buffer * kBuffer, staged_a, i);
    } else {
      b.store_one(lds + buffer * kBuffer + Stream::words, staged_b, i - Stream::copies);
    }
  };
  const auto fetch_one = [&](int i) {
    if (i < Stream::copies) {
      a.fetch_one(staged_a, i);
    } else {
      b.fetch_one(staged_b, i - Stream::copies);
    }
  };
  // The last k-tile is fetched again.
  const auto advance = [&](bool more) {
    if (!more) return;
    a.advance();
    b.advance();
  };

  const int rounds = (q.tile.k_tiles + 1) / 2;
  for_constants<2 * Stream::copies>([&](auto i) { fetch_one(i); });
  advance(true);
  for_constants<2 * Stream::copies>([&](auto i) {
    store_one(0, i);
    fetch_one(i);
  });
  advance(rounds > 1);
  __syncthreads();
  for_constants<kReads>([&](auto i) { read_one(0, 0, 0, i); });
  keep_schedule();
#pragma unroll 1
  for (int left = rounds; left > 0; --left) {
    for_constants<2 * kEnd>([&](auto product) {
      constexpr int kTile = decltype(product)::value / kEnd, kAt = decltype(product)::value % kEnd;
      constexpr int kOfTile = kAt / kStep, kOfRound = kTile * kSteps + kOfTile, kFrom = kOfRound % 2;
      constexpr int kWithin = kAt % kStep, kR = kWithin / kProduct, kPart = kWithin % kProduct / kBlocks;
      constexpr int kBlock = kAt % kBlocks, kI = kBlock / Config::blocks_n, kJ = kBlock % Config::blocks_n;
      const Words4 x = from_b[kFrom][Config::b(kR)][kJ], y = from_a[kFrom][Config::a(kR)][kI];
      if constexpr (kWithin < kMain) {
        low[kI][kJ] = Core::multiply(x, y, kPart, low[kI][kJ]);
      } else {
        constexpr bool kAnew = kPart == 0 && kBlock % kTurns + 1 == kOfRound;
        main[kI][kJ] = Core::multiply(x, y, kPart, kAnew ? typename Core::Sums{} : main[kI][kJ]);
      }
      keep_schedule();
      if constexpr (kAt == kBarrier) {
        __syncthreads();
        keep_schedule();
      }
      if constexpr (kOfTile < kSteps - 1) {
        spread<kWithin, 0, kStep, kReads>([&](auto i) { read_one(kTile, kOfTile + 1, 1 - kFrom, i); });
      } else {
        spread<kAt, kBarrier, kEnd, kReads>([&](auto i) { read_one(1 - kTile, 0, 1 - kFrom, i); });
      }
      spread<kAt, kEnd / 4, kBarrier, 2 * Stream::copies>([&](auto i) {
        store_one(1 - kTile, i);
        fetch_one(i);
      });
      spread<kWithin, kBlocks / 2, kMain, (kOfRound > 0 ? (kBlocks - kOfRound) / kTurns + 1 : 0) * kPairs>([&](auto i) {
        constexpr int kTurn = decltype(i)::value / kPairs * kTurns + kOfRound - 1, kPair = decltype(i)::value % kPairs;
        const typename Core::Sums &from = main[kTurn / Config::blocks_n][kTurn % Config::blocks_n];
        sum[kTurn][kPair] += Floats2{ops::read_here(from[2 * kPair]), ops::read_here(from[2 * kPair + 1])};
        pin(sum[kTurn][kPair]);
      });
      if (kAt == kEnd - kProduct - 1) advance(left > 1 + kTile);
      keep_schedule();
    });
  }
#pragma unroll
  for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
    for (int e = 0; e < Core::sums; ++e)
      main[block / Config::blocks_n][block % Config::blocks_n][e] += sum[block][e / 2][e % 2];
  }
  const auto anew = read_anew(operands, q);
  finish_splits<Config>(main, low, anew.second, at, place);
  store_sums<Config>(main, output_tile(anew.first, anew.second.tile, at), place, [](int, int) { return true; });
}

}  // namespace libsgemm::hip
