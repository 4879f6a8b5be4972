// The tiled product on the matrix cores: MFMA (CDNA) and WMMA (RDNA3 on), for any element type that they take exactly.
//
// The scheme is valu.h's: four buffers of LDS, tileA, tileB and tileA', tileB'. While the matrix cores multiply one
// pair, the next tiles travel from memory through registers into the other; then the pairs swap places. One barrier a
// k-tile, behind which those after the next ones are fetched. A round of the loop is two k-tiles, so that all places in
// LDS are constant.
//
// A matrix instruction keeps its cores busy for 4 to 16 instructions' time, in which the wave issues others. So each
// has a share of all else behind it, in the order of the source: no bunch of them holds the next matrix instruction up.
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
#include <utility>

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
template <class Core, class A, class B>
constexpr int kMatrixFloats = 2 * (A::floats + B::floats) * static_cast<int>(sizeof(typename Core::Element)) / 4;

// Calls call(i) for i = 0, 1, ..., kCount - 1, each a constant: integral_constant.
template <typename Call, int... kEach>
__device__ __forceinline__ void for_constants(std::integer_sequence<int, kEach...>, const Call &call) {
  (call(std::integral_constant<int, kEach>{}), ...);
}
template <int kCount, typename Call>
__device__ __forceinline__ void for_constants(const Call &call) {
  for_constants(std::make_integer_sequence<int, kCount>{}, call);
}

// Calls call(i) for those of kCount pieces of work whose place is behind product kAt, if they are spread evenly over
// the products from kFirst on to before kEnd; kLate: the last one behind the last of these, else the first behind the
// first.
template <int kAt, int kFirst, int kEnd, int kCount, bool kLate = false, typename Call>
__device__ __forceinline__ void spread(const Call &call) {
  constexpr auto before = [](int product) {  // the pieces whose place is before it
    const int products = product < kFirst ? 0 : product < kEnd ? product - kFirst : kEnd - kFirst;
    return (products * kCount + (kLate ? 0 : kEnd - kFirst - 1)) / (kEnd - kFirst);
  };
  for_constants<before(kAt + 1) - before(kAt)>(
      [&](auto i) { call(std::integral_constant<int, before(kAt) + decltype(i)::value>{}); });
}

// What a thread has fetched of a k-tile, on its way into LDS, a copy after the other. A copy is `parts` pieces of work:
// one that stores it, before it those that make of its elements what the matrix cores take.
template <class Core, class Stream, bool kConverts = Core::kConverts>
struct Storing {
  static constexpr int parts = 1;

  template <int kPart>
  __device__ __forceinline__ void part(const Stream &stream, const typename Stream::Staged &staged, int copy,
                                       typename Core::Element *tile) {
    stream.store_one(tile, staged, copy);
  }
};
template <class Core, class Stream>
struct Storing<Core, Stream, true> {
  static constexpr int at_once = Stream::width < Core::kConvertsAtOnce ? Stream::width : Core::kConvertsAtOnce;
  static constexpr int parts = Stream::width / at_once + 1;

  typename Core::Element converted[Stream::width];

  template <int kPart>
  __device__ __forceinline__ void part(const Stream &stream, const typename Stream::Staged &staged, int copy,
                                       typename Core::Element *tile) {
    if constexpr (kPart < parts - 1) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        converted[kPart * at_once + j] = Core::convert(staged[copy][kPart * at_once + j]);
      }
      return;
    }
    typename Core::Element *to = tile + stream.target + copy * Stream::target_step;
    constexpr int kOfVector = 16 / static_cast<int>(sizeof(typename Core::Element));
    if constexpr (Stream::element_step == 1 && Stream::width % kOfVector == 0) {
#pragma unroll
      for (int j = 0; j < Stream::width; j += kOfVector) {
        *reinterpret_cast<Words4 *>(to + j) = *reinterpret_cast<const Words4 *>(converted + j);
      }
    } else {
#pragma unroll
      for (int j = 0; j < Stream::width; ++j) to[j * Stream::element_step] = converted[j];
    }
  }
};

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

// Pieces of work that have to be done before a k-tile is fetched, besides advance(): none.
struct NoLookUps {
  static constexpr int parts = 0;
  template <int kPart>
  __device__ __forceinline__ void part() const {}
};

// Adds the product of the tiles that `a` and `b` bring, streams at the first k-tile of `range`. `shared`: two pairs of
// tiles, which nobody may read any more. `look_ups`: as NoLookUps; done for each k-tile from the third one on.
template <class Config, class A, class B, class LookUps = NoLookUps>
__device__ __forceinline__ void multiply_tiles(MatrixSums<Config> &sums, A &a, B &b, const TileRange &range,
                                               const WavePlace<Config> &place, typename Config::Core::Element *shared,
                                               LookUps &&look_ups = {}) {
  using Core = typename Config::Core;
  constexpr int kPair = A::floats + B::floats, kTileB = A::floats;
  static_assert(A::floats % 4 == 0 && B::floats % 4 == 0, "tiles of vectors");
  // Matrix instructions of a step, and of a k-tile; the one behind which the barrier stands, half a step before the
  // end, and the first one behind which a tile is stored.
  constexpr int kBlocks = Config::blocks_m * Config::blocks_n, kStep = kBlocks * Core::parts;
  constexpr int kEnd = kStep * Config::steps, kBarrier = kEnd - kStep / 2;
  constexpr int kStores = Core::kStages == 2 ? 0 : kBarrier - kEnd / 4;
  constexpr int kFetchA = (kBarrier + kEnd) / 2 - 1, kFetchB = Core::kStages == 2 ? kFetchA + 1 : kEnd - 1;
  static_assert(kStep >= 4 && kStores >= 0, "products enough to hide all else behind");

  typename A::Staged staged_a[Core::kStages];  // of k-tile i in i % kStages
  typename B::Staged staged_b[Core::kStages];
  typename Core::Fragment from_a[2][Config::blocks_m], from_b[2][Config::blocks_n];

  // What the first product takes is read first.
  const auto read_one = [&](int pair, int step, int to, auto of_reads) {
    constexpr int kI = decltype(of_reads)::value;
    const typename Core::Element *tile = shared + pair * kPair;
    if constexpr (kI == 1 || kI > Config::blocks_n) {
      constexpr int kM = kI == 1 ? 0 : kI - Config::blocks_n;
      from_a[to][kM] = Core::template read<A>(tile, place.lane, place.row, kM, step);
    } else {
      constexpr int kN = kI == 0 ? 0 : kI - 1;
      from_b[to][kN] = Core::template read<B>(tile + kTileB, place.lane, place.column, kN, step);
    }
    keep_order();  // two of them are not read as one, in registers that have to be sorted then
  };
  constexpr int kReads = Config::blocks_m + Config::blocks_n;
  Storing<Core, A> storing_a;
  Storing<Core, B> storing_b;
  constexpr int kPartsA = A::copies * Storing<Core, A>::parts;
  constexpr int kParts = kPartsA + B::copies * Storing<Core, B>::parts;
  const auto store_part = [&](int pair, auto of_parts) {
    const typename A::Staged &from_a = staged_a[pair % Core::kStages];
    const typename B::Staged &from_b = staged_b[pair % Core::kStages];
    constexpr int kI = decltype(of_parts)::value;
    typename Core::Element *tile = shared + pair * kPair;
    if constexpr (kI < kPartsA) {
      constexpr int kOfCopy = kI % Storing<Core, A>::parts;
      storing_a.template part<kOfCopy>(a, from_a, kI / Storing<Core, A>::parts, tile);
    } else {
      constexpr int kOfCopy = (kI - kPartsA) % Storing<Core, B>::parts;
      storing_b.template part<kOfCopy>(b, from_b, (kI - kPartsA) / Storing<Core, B>::parts, tile + kTileB);
    }
  };
  const auto fetch_a = [&](int pair) { a.fetch(staged_a[pair % Core::kStages]); };
  const auto fetch_b = [&](int pair) { b.fetch(staged_b[pair % Core::kStages]); };

  // The first k-tile, in pair of_pair, and those that are under way meanwhile.
  const auto begin = [&](auto of_pair) {
    constexpr int kFirst = decltype(of_pair)::value;
    a.fetch_short(staged_a[kFirst % Core::kStages], range.first_depth);
    b.fetch_short(staged_b[kFirst % Core::kStages], range.first_depth);
    for_constants<kParts>([&](auto i) { store_part(kFirst, i); });
    a.advance(range.first_depth);
    b.advance(range.first_depth);
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= Core::kStages; ++i) {
      if (i > 1) {
        a.advance();
        b.advance();
      }
      if (range.count > i) {
        fetch_a(kFirst + i);
        fetch_b(kFirst + i);
      }
    }
    for_constants<kReads>([&](auto i) { read_one(kFirst, 0, kFirst * Config::steps % 2, i); });
    keep_schedule();
  };

  const auto multiply = [&](auto of_pair, int left) {
    constexpr int kNow = decltype(of_pair)::value, kOther = 1 - kNow;
    for_constants<kEnd>([&](auto at) {
      constexpr int kAt = decltype(at)::value, kOf = kAt / kStep, kPart = kAt % kStep / kBlocks;
      constexpr int kFrom = (kNow * Config::steps + kOf) % 2;
      constexpr int kI = kAt % kBlocks / Config::blocks_n, kJ = kAt % Config::blocks_n;
      sums[kI][kJ] = Core::multiply(from_b[kFrom][kJ], from_a[kFrom][kI], kPart, sums[kI][kJ]);
      keep_schedule();
      if constexpr (kAt == kBarrier) {
        __syncthreads();
        keep_schedule();
      }
      if constexpr (kOf < Config::steps - 1) {
        spread<kAt, kOf * kStep, (kOf + 1) * kStep, kReads, true>(
            [&](auto i) { read_one(kNow, kOf + 1, 1 - kFrom, i); });
      } else {
        spread<kAt, kBarrier, kEnd, kReads, true>([&](auto i) { read_one(kOther, 0, 1 - kFrom, i); });
      }
      // The last round stores what it has once more, where nobody reads it.
      spread<kAt, kStores, kBarrier, kParts, true>([&](auto i) { store_part(kOther, i); });
      spread<kAt, 0, kBarrier, std::decay_t<LookUps>::parts>(
          [&](auto i) { look_ups.template part<decltype(i)::value>(); });
      // From the k-tile that was fetched last to the next one.
      if (kAt == 1) a.advance();
      if (kAt == kEnd / 2) b.advance();
      if (kAt == kFetchA && left > 1 + Core::kStages) fetch_a(kOther);
      if (kAt == kFetchB && left > 1 + Core::kStages) fetch_b(kOther);
      keep_schedule();
    });
  };
  constexpr std::integral_constant<int, 0> kPair0;
  constexpr std::integral_constant<int, 1> kPair1;
  if constexpr (Core::wave == 32) {  // of WMMA, whose registers are short, there is each product of a round once
    begin(kPair0);
#pragma unroll 1
    for (int left = range.count; left > 0; left -= 2) {
      multiply(kPair0, left);
      if (left > 1) multiply(kPair1, left - 1);
    }
  } else {
    // Of an odd number of k-tiles the first one stands alone: from a round's middle the compiler would leave it with
    // all sums in other registers.
    if (range.count % 2 == 1) {
      begin(kPair1);
      multiply(kPair1, range.count);
    } else {
      begin(kPair0);
    }
#pragma unroll 1
    for (int left = range.count / 2 * 2; left > 0; left -= 2) {
      multiply(kPair0, left);
      multiply(kPair1, left - 1);
    }
  }
}

// The product of the tiles that `a` and `b` bring, stored.
template <class Config, class A, class B, typename Operands>
__device__ __forceinline__ void matrix_product(A &a, B &b, const TilePosition<Config> &at, const TileRange &range,
                                               const Operands &operands, const TileProblem &p) {
  using Core = typename Config::Core;
  __shared__ Vec4 lds[kMatrixFloats<Core, A, B> / 4];
  const WavePlace<Config> place;
  MatrixSums<Config> sums;
  clear_sums<Config>(sums);
  multiply_tiles<Config>(sums, a, b, range, place, reinterpret_cast<typename Core::Element *>(lds));
  if constexpr (std::is_same_v<typename Core::Real, double>) {
    if (p.partial != nullptr) return store_partial<Config>(sums, at, place, p);
  }
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
