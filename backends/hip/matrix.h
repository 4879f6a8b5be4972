// The tiled product on the matrix cores: MFMA (CDNA) and WMMA (RDNA3 on), for any element type that they take exactly.
//
// The scheme is valu.h's: four buffers of LDS, tileA, tileB and tileA', tileB'. While the matrix cores multiply one
// pair, the next tiles travel from memory through registers into the other; then the pairs swap places. One barrier a
// k-tile.
//
// Source: CN110147248B, for the buffers; AMD's matrix instruction calculator, for what a lane holds (tests/simt lays
// the fragments out as it says).
//
//   LDS: pair 0 [tileA][tileB], pair 1 [tileA'][tileB']; what a tile looks like inside is its stream's matter
//
// The cores compute D = X Y + D of blocks whose columns are spread over the lanes and whose rows over a lane's
// registers. X is made from B and Y from A, so that D is a block of C transposed: consecutive lanes hold consecutive
// rows of a column of C, and plain stores of single floats fill whole lines of memory, at any alignment.
//
// FP32 (MfmaFloats) is FP32: AMD documents for MI200 (gfx90a) that these instructions keep denormals, and names no chip
// where they do not. The reduced-precision forms of gfx942 (xf32) are not used. The 16-bit types (MfmaWords, WmmaWords)
// multiply exactly and add in FP32. Their denormals, which the library promises to keep, are flushed by MI200, so they
// are not for it; AMD names no other chip that does so.
//
// Not yet run on AMD hardware: the tests of denormals have the last word there.
#pragma once

#include "desc.h"
#include "gpu/tile.h"
#include "matrix_ops.h"
#include "tile_stream.h"
#include "unit_tile.h"
#include "widened.h"

namespace libsgemm::hip {

using namespace libsgemm::gpu;

// What a kernel of this file is built from; its Config derives from it. A wave computes wave_m x wave_n.
template <class CoreType, int TileM, int TileN, int TileK, int WaveM, int WaveN>
struct MatrixShape {
  using Core = CoreType;
  static constexpr int tile_m = TileM, tile_n = TileN, tile_k = TileK;
  static constexpr int wave_m = WaveM, wave_n = WaveN;
  static constexpr int wave_rows = TileM / WaveM;
  static constexpr int threads = Core::wave * wave_rows * (TileN / WaveN);
  static constexpr int blocks_m = WaveM / Core::block, blocks_n = WaveN / Core::block;
  static constexpr int steps = TileK / Core::depth;
  static_assert(WaveM % 32 == 0 && WaveN % 32 == 0 && TileM % WaveM == 0 && TileN % WaveN == 0, "waves cover the tile");
  static_assert(steps % 2 == 0, "the last step of a k-tile leaves the fragments as the first expects them");
};

// FP32 by v_mfma_f32_32x32x2f32 (gfx908, 90a, 942, 950). A lane holds element (lane % 32, k + lane / 32) of a fragment.
// Of D: column lane % 32, rows 8 (r / 4) + 4 (lane / 32) + r % 4 for r < 16.
struct MfmaFloats {
#if defined(LIBSGEMM_HIP_MFMA)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
  static constexpr int wave = 64, block = 32, depth = 2;
  static constexpr int sums = 16;  // of a lane and block
  using Sums = Floats16;
  using Fragment = float;

  // The row of a lane's element r of D is sum_outer(lane) + sum_step(r).
  __device__ __forceinline__ static int sum_outer(int lane) { return 4 * (lane / 32); }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return 8 * (r / 4) + r % 4; }

  // Of a tile [k][Pitch] at `tile`: the fragment `at` + 32 * block + ... of step `step`.
  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    const int first = lane / 32 * Tile::pitch + outer + lane % 32;
    return tile[first + 2 * step * Tile::pitch + 32 * blocks];
  }
  __device__ __forceinline__ static Sums multiply([[maybe_unused]] Fragment x, [[maybe_unused]] Fragment y, Sums sums) {
#if defined(LIBSGEMM_HIP_MFMA)
    return ops::mfma_f32_32x32x2f32(x, y, sums);
#else
    return sums;
#endif
  }
};

// FP16 or bfloat16 by MFMA of 32 x 32 (gfx908, 942, 950). A lane reads a unit (unit_tile.h): eight steps of k of row
// lane % 32, those of its half of the wave. An instruction takes four of them (two: bfloat16 on gfx908) from each half;
// that they are not neighbours in k does not matter, as long as both operands have the same. D as of MfmaFloats.
template <Type kType>
struct MfmaWords {
#if defined(LIBSGEMM_HIP_MFMA) && !defined(__gfx90a__)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
  static constexpr int wave = 64, block = 32, depth = 16;
  static constexpr int sums = 16;
  using Sums = Floats16;
  using Fragment = Words4;

  __device__ __forceinline__ static int sum_outer(int lane) { return MfmaFloats::sum_outer(lane); }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return MfmaFloats::sum_step(r); }

  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    return Tile::unit(tile, 2 * step + lane / 32, outer + 32 * blocks, lane % 32);
  }
  __device__ __forceinline__ static Sums multiply([[maybe_unused]] Fragment x, [[maybe_unused]] Fragment y, Sums sums) {
#if defined(LIBSGEMM_HIP_MFMA)
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      if constexpr (kType == Type::f16) {
        sums = ops::mfma_f32_32x32x8f16(Words2{x[i], x[i + 1]}, Words2{y[i], y[i + 1]}, sums);
      } else {
#if defined(LIBSGEMM_HIP_MFMA_BF16_1K)
        sums = ops::mfma_f32_32x32x8bf16_1k(Words2{x[i], x[i + 1]}, Words2{y[i], y[i + 1]}, sums);
#else
        sums = ops::mfma_f32_32x32x4bf16(x[i], y[i], sums);
        sums = ops::mfma_f32_32x32x4bf16(x[i + 1], y[i + 1], sums);
#endif
      }
    }
#endif
    return sums;
  }
};

// FP16 or bfloat16 by v_wmma_f32_16x16x16 in waves of 32. gfx11: a lane holds all 16 steps of k of row lane % 16, in
// both halves of the wave; of D: column lane % 16, rows 2 r + lane / 16 for r < 8. gfx12: a lane holds eight steps of k
// of row lane % 16, those of its half; of D: rows 8 (lane / 16) + r.
template <Type kType>
struct WmmaWords {
#if defined(LIBSGEMM_HIP_WMMA_GFX11) || defined(LIBSGEMM_HIP_WMMA_GFX12)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
  static constexpr int wave = 32, block = 16, depth = 16;
  static constexpr int sums = 8;
  using Sums = Floats8;

#if defined(LIBSGEMM_HIP_WMMA_GFX12)
  using Fragment = Words4;
  __device__ __forceinline__ static int sum_outer(int lane) { return 8 * (lane / 16); }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return r; }
  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    return Tile::unit(tile, 2 * step + lane / 16, outer + blocks / 2 * 32, blocks % 2 * 16 + lane % 16);
  }
  __device__ __forceinline__ static Sums multiply(Fragment x, Fragment y, Sums sums) {
    return kType == Type::f16 ? ops::wmma_f32_16x16x16_f16_gfx12(x, y, sums)
                              : ops::wmma_f32_16x16x16_bf16_gfx12(x, y, sums);
  }
#else
  using Fragment = Words8;
  __device__ __forceinline__ static int sum_outer(int lane) { return lane / 16; }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return 2 * r; }
  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    const int first = outer + blocks / 2 * 32, row = blocks % 2 * 16 + lane % 16;
    const Words4 low = Tile::unit(tile, 2 * step, first, row), high = Tile::unit(tile, 2 * step + 1, first, row);
    return Words8{low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
  }
  __device__ __forceinline__ static Sums multiply([[maybe_unused]] Fragment x, [[maybe_unused]] Fragment y, Sums sums) {
#if defined(LIBSGEMM_HIP_WMMA_GFX11)
    return kType == Type::f16 ? ops::wmma_f32_16x16x16_f16(x, y, sums) : ops::wmma_f32_16x16x16_bf16(x, y, sums);
#else
    return sums;
#endif
  }
#endif
};

// Floats of LDS: two pairs of tiles.
template <class A, class B>
constexpr int kMatrixFloats = 2 * (A::floats + B::floats);

template <class Config>
using MatrixSums = typename Config::Core::Sums[Config::blocks_m][Config::blocks_n];

template <class Config>
__device__ __forceinline__ void clear_sums(MatrixSums<Config> &sums) {
#pragma unroll
  for (int i = 0; i < Config::blocks_m; ++i) {
#pragma unroll
    for (int j = 0; j < Config::blocks_n; ++j) sums[i][j] = typename Config::Core::Sums{};
  }
}

// A thread's place: its lane, and the first element of its wave in the tile of C.
template <class Config>
struct WavePlace {
  int lane, row, column;

  __device__ __forceinline__ WavePlace() {
    const int wave = uniform(static_cast<int>(threadIdx.x) / Config::Core::wave);
    lane = static_cast<int>(threadIdx.x) % Config::Core::wave;
    row = wave % Config::wave_rows * Config::wave_m;
    column = wave / Config::wave_rows * Config::wave_n;
  }
};

// Stores the sums of a wave whose first element is (row, column) of the tile. A lane's row is the same in all of a
// block; its columns are spread over the registers. What C holds is read for a whole block before anything is written.
// keep(row, column): whether that element of the tile is stored.
template <class Config, class Keep>
__device__ __forceinline__ void store_sums(const MatrixSums<Config> &sums, const OutputTile &out,
                                           const WavePlace<Config> &place, const Keep &keep) {
  using Core = typename Config::Core;
  const int first = place.column + Core::sum_outer(place.lane);
  const int left = out.columns - first;
#pragma unroll
  for (int i = 0; i < Config::blocks_m; ++i) {
    const int r = place.row + i * Core::block + place.lane % Core::block;
    if (r >= out.rows) continue;
    Global<float> *c = out.c + first * out.ld + r;
#pragma unroll
    for (int j = 0; j < Config::blocks_n; ++j) {
      float x[Core::sums];
#pragma unroll
      for (int e = 0; e < Core::sums; ++e) x[e] = out.alpha * sums[i][j][e];
      if (out.beta != 0.0f) {
        float old[Core::sums];
#pragma unroll
        for (int e = 0; e < Core::sums; ++e) {
          const int to = j * Core::block + Core::sum_step(e);
          old[e] = to < left && keep(r, first + to) ? c[to * out.ld] : 0.0f;
        }
#pragma unroll
        for (int e = 0; e < Core::sums; ++e) x[e] = fmaf(out.beta, old[e], x[e]);
      }
#pragma unroll
      for (int e = 0; e < Core::sums; ++e) {
        const int to = j * Core::block + Core::sum_step(e);
        if (to < left && keep(r, first + to)) c[to * out.ld] = x[e];
      }
    }
  }
}

// Adds the product of the tiles that `a` and `b` bring, streams at the first k-tile of `range`. `shared`: two pairs of
// tiles, which nobody may read any more.
template <class Config, class A, class B>
__device__ __forceinline__ void multiply_tiles(MatrixSums<Config> &sums, A &a, B &b, const TileRange &range,
                                               const WavePlace<Config> &place, float *shared) {
  using Core = typename Config::Core;
  constexpr int kPair = A::floats + B::floats, kTileB = A::floats;
  static_assert(A::floats % 4 == 0 && B::floats % 4 == 0, "tiles of vectors");

  typename A::Staged staged_a;
  typename B::Staged staged_b;
  a.fetch_short(staged_a, range.first_depth);
  b.fetch_short(staged_b, range.first_depth);
  a.store(shared, staged_a);
  b.store(shared + kTileB, staged_b);
  a.advance(range.first_depth);
  b.advance(range.first_depth);

  typename Core::Fragment from_a[2][Config::blocks_m], from_b[2][Config::blocks_n];
  int now = 0;  // where the pair is that is multiplied, floats

  const auto read = [&](int step) {
#pragma unroll
    for (int i = 0; i < Config::blocks_m; ++i) {
      from_a[step % 2][i] = Core::template read<A>(shared + now, place.lane, place.row, i, step);
    }
#pragma unroll
    for (int j = 0; j < Config::blocks_n; ++j) {
      from_b[step % 2][j] = Core::template read<B>(shared + now + kTileB, place.lane, place.column, j, step);
    }
    keep_schedule();
  };

  __syncthreads();
  read(0);
#pragma unroll 1
  for (int left = range.count; left > 0; --left) {
#pragma unroll
    for (int step = 0; step < Config::steps; ++step) {
      const bool last = step == Config::steps - 1;
      if (!last) read(step + 1);
#pragma unroll
      for (int e = 0; e < Config::blocks_m * Config::blocks_n; ++e) {
        const int i = e / Config::blocks_n, j = e % Config::blocks_n;
        sums[i][j] = Core::multiply(from_b[step % 2][j], from_a[step % 2][i], sums[i][j]);
        if (step == 0 && left > 1) {  // the last round stores what it has once more, where nobody reads it
          if (e == 0) {
            a.fetch(staged_a);
            a.advance();
          } else if (e == 1) {
            b.fetch(staged_b);
            b.advance();
          }
        }
        if (!last || e > 2) continue;
        keep_schedule();  // what ends the k-tile is spread behind products, which hide it
        if (e == 0) {
          a.store(shared + kPair - now, staged_a);
        } else if (e == 1) {
          b.store(shared + kPair - now + kTileB, staged_b);
        } else {
          now = kPair - now;  // the pairs swap
          __syncthreads();
          read(0);
        }
        keep_schedule();
      }
    }
  }
}

// The product of the tiles that `a` and `b` bring, stored.
template <class Config, class A, class B, typename Operands>
__device__ __forceinline__ void matrix_product(A &a, B &b, const TilePosition<Config> &at, const TileRange &range,
                                               const Operands &operands, const TileProblem &p) {
  __shared__ Vec4 lds[kMatrixFloats<A, B> / 4];
  const WavePlace<Config> place;
  MatrixSums<Config> sums;
  clear_sums<Config>(sums);
  multiply_tiles<Config>(sums, a, b, range, place, reinterpret_cast<float *>(lds));
  store_sums<Config>(sums, output_tile(operands, p, at), place, [](int, int) { return true; });
}

// A product of FP32 operands. The rows of the tiles are not padded (kernels/gfx908_mfma_128x128x16_ping_pong.hip).
template <class Config, Fetch KindA, Fetch KindB, typename Operands>
__device__ __forceinline__ void matrix_floats(const Operands &operands, const TileProblem &p) {
  using A = TileStream<Config::tile_m, Config::tile_k, Config::threads, KindA, 0>;
  using B = TileStream<Config::tile_n, Config::tile_k, Config::threads, KindB, 0>;
  const TilePosition<Config> at(p);
  const TileRange range(p, Config::tile_k);
  A a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(), range.first_k);
  B b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(), range.first_k);
  matrix_product<Config>(a, b, at, range, operands, p);
}

// A product of 16-bit operands, fetched by vectors, or element by element.
template <class Config, Fetch KindA, Fetch KindB, typename Operands>
__device__ __forceinline__ void matrix_vectors(const Operands &operands, const WidenedProblem &p) {
  const TilePosition<Config> at(p);
  const TileRange range(p, Config::tile_k);
  UnitStream<Config::tile_m, Config::threads, KindA> a(operands.a(blockIdx.z), p.lda, at.row(), p.m - at.row(),
                                                       range.first_k);
  UnitStream<Config::tile_n, Config::threads, KindB> b(operands.b(blockIdx.z), p.ldb, at.column(), p.n - at.column(),
                                                       range.first_k);
  matrix_product<Config>(a, b, at, range, operands, p);
}
template <class Config, typename Operands>
__device__ __forceinline__ void matrix_elements(const Operands &operands, const WidenedProblem &p) {
  const TilePosition<Config> at(p);
  const TileRange range(p, Config::tile_k);
  UnitElements<Config::tile_m, Config::threads> a(operands.a(blockIdx.z), p.lda, p.a_along_k, at.row(), p.m - at.row(),
                                                  range.first_k);
  UnitElements<Config::tile_n, Config::threads> b(operands.b(blockIdx.z), p.ldb, p.b_along_k, at.column(),
                                                  p.n - at.column(), range.first_k);
  matrix_product<Config>(a, b, at, range, operands, p);
}

}  // namespace libsgemm::hip
