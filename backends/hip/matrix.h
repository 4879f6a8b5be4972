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
// Sums in FP64 (MfmaDoubles) are rounded once, when C is stored; where k is split, the partial results are doubles.
#pragma once

#include <type_traits>

#include "desc.h"
#include "gpu/tile.h"
#include "matrix_cores.h"
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

__device__ __forceinline__ float fused(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ double fused(double a, double b, double c) { return fma(a, b, c); }

// Stores the sums of a wave whose first element is (row, column) of the tile. A lane's row is the same in all of a
// block; its columns are spread over the registers. What C holds is read for a whole block before anything is written.
// Output: as OutputTile. keep(row, column): whether that element of the tile is stored.
template <class Config, class Output, class Keep>
__device__ __forceinline__ void store_sums(const MatrixSums<Config> &sums, const Output &out,
                                           const WavePlace<Config> &place, const Keep &keep) {
  using Core = typename Config::Core;
  using Real = typename Core::Real;
  const int first = place.column + Core::sum_outer(place.lane);
  const int left = out.columns - first;
#pragma unroll
  for (int i = 0; i < Config::blocks_m; ++i) {
    const int r = place.row + i * Core::block + place.lane % Core::block;
    if (r >= out.rows) continue;
    const typename Output::Row c = out.row(r, first);
#pragma unroll
    for (int j = 0; j < Config::blocks_n; ++j) {
      Real x[Core::sums];
#pragma unroll
      for (int e = 0; e < Core::sums; ++e) x[e] = static_cast<Real>(out.alpha) * sums[i][j][e];
      if (out.beta != 0.0f) {
        float old[Core::sums];
#pragma unroll
        for (int e = 0; e < Core::sums; ++e) {
          const int to = j * Core::block + Core::sum_step(e);
          old[e] = to < left && keep(r, first + to) ? c[to] : 0.0f;
        }
#pragma unroll
        for (int e = 0; e < Core::sums; ++e) x[e] = fused(Real{out.beta}, Real{old[e]}, x[e]);
      }
#pragma unroll
      for (int e = 0; e < Core::sums; ++e) {
        const int to = j * Core::block + Core::sum_step(e);
        if (to < left && keep(r, first + to)) c[to] = static_cast<float>(x[e]);
      }
    }
  }
}

// The same of a slice of k, whose sums are doubles: in the workspace.
template <class Config>
__device__ __forceinline__ void store_partial(const MatrixSums<Config> &sums, const TilePosition<Config> &at,
                                              const WavePlace<Config> &place, const TileProblem &p) {
  using Core = typename Config::Core;
  const int64_t matrix = static_cast<int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  const int64_t first = at.column() + place.column + Core::sum_outer(place.lane);
  Global<double> *to = global(reinterpret_cast<double *>(p.partial)) + (matrix * p.n + first) * p.partial_ld;
#pragma unroll
  for (int i = 0; i < Config::blocks_m; ++i) {
    const int64_t row = at.row() + place.row + i * Core::block + place.lane % Core::block;
    if (row >= p.m) continue;
#pragma unroll
    for (int j = 0; j < Config::blocks_n; ++j) {
#pragma unroll
      for (int e = 0; e < Core::sums; ++e) {
        const int column = j * Core::block + Core::sum_step(e);
        if (first + column < p.n) to[column * p.partial_ld + row] = sums[i][j][e];
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
  static_assert(Config::steps % 2 == 0, "the last step of a k-tile leaves the fragments as the first expects them");

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
  if constexpr (std::is_same_v<typename Config::Core::Real, double>) {
    if (p.partial != nullptr) return store_partial<Config>(sums, at, place, p);
  }
  store_sums<Config>(sums, output_tile(operands, p, at), place, [](int, int) { return true; });
}

template <class Stream>
using PlainStream = Stream;

// A product of FP32 operands. The rows of the tiles are not padded (kernels/gfx908_mfma_128x128x16_ping_pong.hip).
template <class Config, Fetch KindA, Fetch KindB, template <class> class StreamOf = PlainStream, typename Operands>
__device__ __forceinline__ void matrix_floats(const Operands &operands, const TileProblem &p) {
  using A = StreamOf<TileStream<Config::tile_m, Config::tile_k, Config::threads, KindA, 0>>;
  using B = StreamOf<TileStream<Config::tile_n, Config::tile_k, Config::threads, KindB, 0>>;
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
