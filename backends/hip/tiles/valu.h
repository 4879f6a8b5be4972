// Main loop by vector instructions, on any AMD GPU, with four buffers of LDS that swap addresses (docs/kernels/amd.md).
//
//   LDS: pair 0 [tileA][tileB], pair 1 [tileA'][tileB']
//
// Products are single instructions, of which gfx11 and later issue two at a time if the registers permit, or pairs
// (v_pk_fma_f32) on gfx90a and later CDNA.
//
// Sources: patent CN110147248B (four buffers that swap addresses); CN106681694A, its forerunner on Kepler (smA, smAx).
#pragma once

#include "tile_stream.h"

namespace libsgemm::hip {

// Single accumulators, or pairs of neighbouring rows.
template <class Config, bool Packed = LIBSGEMM_PACKED_FMA>
struct Sums {
  static constexpr int kM = Config::thread_m, kN = Config::thread_n;
  float sum[kM][kN] = {};

  __device__ __forceinline__ void multiply(const float (&a)[kM], const float (&b)[kN]) {
#pragma unroll
    for (int i = 0; i < kM; ++i) {
#pragma unroll
      for (int j = 0; j < kN; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
    }
  }
  // Reading pairs makes the compiler keep neighbours in neighbouring registers during the loop, as v_dual_fmac_f32
  // requires (docs/kernels/amd.md).
  __device__ __forceinline__ void get(float (&to)[kM][kN]) const {
#pragma unroll
    for (int i = 0; i < kM; i += 2) {
#pragma unroll
      for (int j = 0; j < kN; ++j) {
        Vec2 pair = vec2(sum[i][j], sum[i + 1][j]);
        keep_in_register(pair);
        to[i][j] = pair.x, to[i + 1][j] = pair.y;
      }
    }
  }
};

template <class Config>
struct Sums<Config, true> {
  static constexpr int kM = Config::thread_m, kN = Config::thread_n;
  Vec2 sum[kM / 2][kN];

  __device__ __forceinline__ Sums() {
#pragma unroll
    for (int i = 0; i < kM / 2; ++i) {
#pragma unroll
      for (int j = 0; j < kN; ++j) sum[i][j] = vec2(0.0f, 0.0f);
    }
  }
  __device__ __forceinline__ void multiply(const float (&a)[kM], const float (&b)[kN]) {
#pragma unroll
    for (int i = 0; i < kM / 2; ++i) {
#pragma unroll
      for (int j = 0; j < kN; j += 2) {
        const Vec2 rows = vec2(a[2 * i], a[2 * i + 1]), columns = vec2(b[j], b[j + 1]);
        sum[i][j] = fma2<0>(rows, columns, sum[i][j]);
        sum[i][j + 1] = fma2<1>(rows, columns, sum[i][j + 1]);
      }
    }
  }
  __device__ __forceinline__ void get(float (&to)[kM][kN]) const {
#pragma unroll
    for (int i = 0; i < kM / 2; ++i) {
#pragma unroll
      for (int j = 0; j < kN; ++j) to[2 * i][j] = sum[i][j].x, to[2 * i + 1][j] = sum[i][j].y;
    }
  }
};

__device__ __forceinline__ float *floats_at(float *shared, int bytes) {
  return reinterpret_cast<float *>(reinterpret_cast<char *>(shared) + bytes);
}

// Floats of LDS: two pairs of tiles, or what storing C needs.
template <class Config, class A, class B>
constexpr int kPingPongFloats = 2 * (A::floats + B::floats) > kStoreFloats<Config> ? 2 * (A::floats + B::floats)
                                                                                   : kStoreFloats<Config>;

// Adds the product of the streams `a` and `b`, which are at the first k-tile of `range`. `shared`: two pairs of tiles,
// no longer in use.
template <class Config, class A, class B>
__device__ __forceinline__ void ping_pong_sums(Sums<Config> &sums, A &a, B &b, const TileRange &range, float *shared) {
  constexpr int kPair = A::floats + B::floats, kTileB = A::floats;
  static_assert(A::floats % 4 == 0 && B::floats % 4 == 0, "rows of vectors");

  typename A::Staged staged_a;
  typename B::Staged staged_b;
  a.fetch_short(staged_a, range.first_depth);
  b.fetch_short(staged_b, range.first_depth);
  a.store(shared, staged_a);
  b.store(shared + kTileB, staged_b);
  a.advance(range.first_depth);
  b.advance(range.first_depth);

  using Place = ThreadPlace<Config>;
  const Place place;
  constexpr int kStrideA = Config::lane_rows * 4, kStrideB = Config::lane_columns * Config::group_n;
  float column[2][Config::thread_m], row[2][Config::thread_n];  // column of tileA, row of tileB
  const int read_a = 4 * place.row(), read_b = 4 * (kTileB + place.column());
  int now = 0;  // byte offset of the pair that is multiplied

  const auto read = [&](int k) {
    const int step = k % Config::tile_k;
    load_fragment<Config::thread_m, 4, kStrideA>(column[k % 2], floats_at(shared, now + read_a) + step * A::pitch);
    load_fragment<Config::thread_n, Config::group_n, kStrideB>(row[k % 2],
                                                               floats_at(shared, now + read_b) + step * B::pitch);
    keep_order();
  };
  static_assert(Config::tile_k % 2 == 0, "the last step of a k-tile leaves the fragments as the first expects them");

  __syncthreads();
  read(0);
#pragma unroll 1
  for (int left = range.count; left > 0; --left) {
    if (left > 1) {  // the last k-tile is stored once more, to an unused pair
      a.fetch(staged_a);
      b.fetch(staged_b);
      a.advance();
      b.advance();
    }
#pragma unroll
    for (int k = 0; k < Config::tile_k; ++k) {
      if (k == Config::tile_k - 1) {
        now = 4 * kPair - now;
        a.store(floats_at(shared, now), staged_a);
        b.store(floats_at(shared, now) + kTileB, staged_b);
        __syncthreads();
      }
      read(k + 1);
      sums.multiply(column[k % 2], row[k % 2]);
    }
  }
}

template <class Config, class A, class B, typename Operands>
__device__ __forceinline__ void ping_pong(A &a, B &b, const TilePosition<Config> &at, const TileRange &range,
                                          const Operands &operands, const TileProblem &p) {
  __shared__ Vec4 lds[kPingPongFloats<Config, A, B> / 4];
  float *shared = reinterpret_cast<float *>(lds);
  Sums<Config> sums;
  ping_pong_sums<Config>(sums, a, b, range, shared);
  float sum[Config::thread_m][Config::thread_n];
  sums.get(sum);
  store_tile<Config>(sum, output_tile(operands, p, at), shared);
}

template <class Config, Fetch KindA, Fetch KindB, typename Operands>
__device__ __forceinline__ void ping_pong(const Operands &operands, const TileProblem &p) {
  using A = TileStream<Config::tile_m, Config::tile_k, Config::threads, KindA>;
  using B = TileStream<Config::tile_n, Config::tile_k, Config::threads, KindB>;
  const TilePosition<Config> at(p);
  const TileRange range(p, Config::tile_k);
  A a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range.first_k);
  B b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range.first_k);
  ping_pong<Config>(a, b, at, range, operands, p);
}

}  // namespace libsgemm::hip
