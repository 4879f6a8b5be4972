// Main loop on the matrix cores, MFMA (CDNA) and WMMA (RDNA3 and later), for element types that they multiply exactly.
// LDS has four buffers as in valu.h. A round of the loop is two k-tiles, so that all addresses in LDS are constant.
// Why, and why C is transposed in blocks D = X Y + D: docs/kernels/amd.md.
//
// K-tiles of TF32 or 16-bit elements are too short for MFMA to hide a fetch: there two fetches are in flight (kStages
// 2), and matrix_plan.h gives each instruction its place.
//
// FP64 accumulators (MfmaDoubles) are rounded once, when C is stored; slices of k are doubles.
//
// Sources: patent CN110147248B, for the buffers; AMD's matrix instruction calculator, for the elements of a lane.
#pragma once

#include <type_traits>
#include <utility>

#include "contract/desc.h"
#include "gpu/tiles/tile.h"
#include "hip/tiles/tile_stream.h"
#include "hip/tiles/widened.h"
#include "matrix_cores.h"
#include "matrix_plan.h"
#include "unit_tile.h"

namespace libsgemm::hip {

using namespace libsgemm::gpu;

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

// Floats of LDS for two pairs of tiles.
template <class Core, class A, class B>
constexpr int kMatrixFloats = 2 * (A::floats + B::floats) * static_cast<int>(sizeof(typename Core::Element)) / 4;

template <typename Call, int... kEach>
__device__ __forceinline__ void for_constants(std::integer_sequence<int, kEach...>, const Call &call) {
  (call(std::integral_constant<int, kEach>{}), ...);
}
template <int kCount, typename Call>
__device__ __forceinline__ void for_constants(const Call &call) {
  for_constants(std::make_integer_sequence<int, kCount>{}, call);
}

// Spreads kCount pieces of work evenly over the products kFirst to kEnd - 1, and calls call(i) for those that follow
// product kAt. kLate: the last piece follows the last product; otherwise the first follows the first.
template <int kAt, int kFirst, int kEnd, int kCount, bool kLate = false, typename Call>
__device__ __forceinline__ void spread(const Call &call) {
  constexpr auto before = [](int product) {
    const int products = product < kFirst ? 0 : product < kEnd ? product - kFirst : kEnd - kFirst;
    return (products * kCount + (kLate ? 0 : kEnd - kFirst - 1)) / (kEnd - kFirst);
  };
  for_constants<before(kAt + 1) - before(kAt)>(
      [&](auto i) { call(std::integral_constant<int, before(kAt) + decltype(i)::value>{}); });
}

// Stores a thread's share of a k-tile in LDS, in `parts` pieces of work for each copy: the last one stores, the others
// convert or transpose. slots(part): instructions of a piece.
template <class Core, class Stream, bool kConverts = Core::kConverts>
struct Storing {
  static constexpr int parts = 1;
  static constexpr int slots(int) { return Stream::store_slots; }

  template <int kPart>
  __device__ __forceinline__ void part(const Stream &stream, const typename Stream::Staged &staged, int copy,
                                       typename Core::Element *tile) {
    stream.store_one(tile, staged, copy);
  }
};
template <class Core, int Outer, int Threads>
struct Storing<Core, UnitStream<Outer, Threads, Fetch::outer_x4>, false> {
  using Stream = UnitStream<Outer, Threads, Fetch::outer_x4>;
  static constexpr int parts = 2;
  static constexpr int slots(int part) { return part == 0 ? 2 : 1; }

  Words2 turned;

  template <int kPart>
  __device__ __forceinline__ void part(const Stream &stream, const typename Stream::Staged &staged, int copy,
                                       float *tile) {
    if constexpr (kPart == 0) {
      turned = stream.turned(staged, copy);
    } else {
      stream.put(tile, turned, copy);
    }
  }
};
template <class Core, class Stream>
struct Storing<Core, Stream, true> {
  static constexpr int conversions = Core::template conversions<Stream::width>;
  static constexpr int parts = conversions + 1;
  static constexpr int slots(int part) { return part < conversions ? Core::conversion_slots : 1; }

  typename Core::Element converted[Stream::width];

  template <int kPart>
  __device__ __forceinline__ void part(const Stream &stream, typename Stream::Staged &staged, int copy,
                                       typename Core::Element *tile) {
    if constexpr (kPart < conversions) return Core::template convert<Stream::width, kPart>(staged[copy], converted);
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

template <class Config, class A, class B>
inline constexpr MatrixPlan<Config, A, B, Storing<typename Config::Core, A>, Storing<typename Config::Core, B>> kPlan;

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

// Reads the old values of a whole block of C before it writes any. Output has the members of OutputTile. keep(row,
// column): the element is stored.
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

// For operands that need no work before a k-tile is fetched, besides advance().
struct NoLookUps {
  static constexpr int parts = 0;
  template <int kPart>
  __device__ __forceinline__ void part() const {}
};

// Adds the products of k-tiles, like ping_pong_sums() in valu.h. look_ups.part<i>() for all i < parts runs for each
// k-tile from the third on.
template <class Config, class A, class B, class LookUps = NoLookUps>
__device__ __forceinline__ void multiply_tiles(MatrixSums<Config> &sums, A &a, B &b, const TileRange &range,
                                               const WavePlace<Config> &place, typename Config::Core::Element *shared,
                                               LookUps &&look_ups = {}) {
  using Core = typename Config::Core;
  constexpr int kPair = A::floats + B::floats, kTileB = A::floats;
  static_assert(A::floats % 4 == 0 && B::floats % 4 == 0, "tiles of vectors");
  // A k-step has kStep matrix instructions, a k-tile kEnd; the barrier follows instruction kBarrier. With one stage,
  // stores begin after kStores, and the next fetches after kFetchA and kFetchB.
  constexpr int kBlocks = Config::blocks_m * Config::blocks_n, kStep = kBlocks * Core::parts;
  constexpr int kEnd = kStep * Config::steps, kBarrier = kEnd - kStep / 2;
  constexpr int kStores = kBarrier - kEnd / 4, kFetchA = (kBarrier + kEnd) / 2 - 1, kFetchB = kEnd - 1;
  static_assert(kStep >= 4 && kStores >= 0, "products enough to hide all else behind");

  typename A::Staged staged_a[Core::kStages];  // k-tile i is in i % kStages
  typename B::Staged staged_b[Core::kStages];
  typename Core::Fragment from_a[2][Config::blocks_m], from_b[2][Config::blocks_n];

  // The operands of the first product come first.
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
    keep_order();  // merged reads would need their registers rearranged
  };
  constexpr int kReads = Config::blocks_m + Config::blocks_n;
  Storing<Core, A> storing_a;
  Storing<Core, B> storing_b;
  constexpr int kPartsA = A::copies * Storing<Core, A>::parts;
  constexpr int kParts = kPartsA + B::copies * Storing<Core, B>::parts;
  const auto store_part = [&](int pair, auto of_parts) {
    typename A::Staged &from_a = staged_a[pair % Core::kStages];
    typename B::Staged &from_b = staged_b[pair % Core::kStages];
    constexpr int kI = decltype(of_parts)::value;
    typename Core::Element *tile = shared + pair * kPair;
    // With two stages the copy fetched last is stored first, so that one wait covers all.
    constexpr auto copy_of = [](int copy, int copies) { return Core::kStages == 2 ? copies - 1 - copy : copy; };
    if constexpr (kI < kPartsA) {
      constexpr int kParts = Storing<Core, A>::parts, kCopy = copy_of(kI / kParts, A::copies);
      storing_a.template part<kI % kParts>(a, from_a, kCopy, tile);
    } else {
      constexpr int kParts = Storing<Core, B>::parts, kCopy = copy_of((kI - kPartsA) / kParts, B::copies);
      storing_b.template part<(kI - kPartsA) % kParts>(b, from_b, kCopy, tile + kTileB);
    }
  };
  const auto fetch_a = [&](int pair) { a.fetch(staged_a[pair % Core::kStages]); };
  const auto fetch_b = [&](int pair) { b.fetch(staged_b[pair % Core::kStages]); };

  const auto begin = [&](auto of_pair) {
    constexpr int kFirst = decltype(of_pair)::value;
    a.fetch_short(staged_a[kFirst % Core::kStages], range.first_depth);
    b.fetch_short(staged_b[kFirst % Core::kStages], range.first_depth);
    for_constants<kParts>([&](auto i) { store_part(kFirst, i); });
    // With two stages no branch skips a fetch, or the compiler would wait for all. Past the end the last k-tile is
    // fetched again, and not used.
    if constexpr (Core::kStages == 2) {
      if (range.count == 1) {
        a.stay();
        b.stay();
      }
      a.advance(range.count > 1 ? range.first_depth : 0);
      b.advance(range.count > 1 ? range.first_depth : 0);
      __syncthreads();
      fetch_a(kFirst + 1);
      fetch_b(kFirst + 1);
      a.advance_by(a.distance(range.count > 2));
      b.advance_by(b.distance(range.count > 2));
      fetch_a(kFirst);
      fetch_b(kFirst);
    } else {
      a.advance(range.first_depth);
      b.advance(range.first_depth);
      __syncthreads();
      if (range.count > 1) {
        fetch_a(kFirst + 1);
        fetch_b(kFirst + 1);
      }
    }
    for_constants<kReads>([&](auto i) { read_one(kFirst, 0, kFirst * Config::steps % 2, i); });
    keep_schedule();
  };

  const auto multiply = [&](auto of_pair, int left) {
    constexpr int kNow = decltype(of_pair)::value, kOther = 1 - kNow;
    [[maybe_unused]] int64_t step_a = 0, step_b = 0;
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
      // With two stages fragments are read in reverse order, so that one wait, for those needed first, covers all. The
      // two of a k-tile's first product are needed at once and read first.
      if constexpr (kOf == Config::steps - 1) {
        spread<kAt, kBarrier, kEnd, kReads, true>([&](auto i) {
          constexpr int kI = decltype(i)::value;
          constexpr int kRead = Core::kStages == 1 || kI < 2 ? kI : kReads + 1 - kI;
          read_one(kOther, 0, 1 - kFrom, std::integral_constant<int, kRead>{});
        });
      } else if constexpr (Core::kStages == 1) {
        spread<kAt, kOf * kStep, (kOf + 1) * kStep, kReads, true>(
            [&](auto i) { read_one(kNow, kOf + 1, 1 - kFrom, i); });
      } else {
        spread<kAt, kOf * kStep, kOf * kStep + kStep / 2, kReads>([&](auto i) {
          read_one(kNow, kOf + 1, 1 - kFrom, std::integral_constant<int, kReads - 1 - decltype(i)::value>{});
        });
      }
      // The last k-tile is stored once more, to a pair that is not read.
      if constexpr (Core::kStages == 1) {
        spread<kAt, kStores, kBarrier, kParts, true>([&](auto i) { store_part(kOther, i); });
        spread<kAt, 0, kBarrier, std::decay_t<LookUps>::parts>(
            [&](auto i) { look_ups.template part<decltype(i)::value>(); });
        if (kAt == 1) a.advance();
        if (kAt == kEnd / 2) b.advance();
        if (kAt == kFetchA && left > 2) fetch_a(kOther);
        if (kAt == kFetchB && left > 2) fetch_b(kOther);
      } else {
        for_constants<kParts>([&](auto i) {
          if constexpr (kPlan<Config, A, B>.store[decltype(i)::value] == kAt) store_part(kOther, i);
        });
        if (kAt == kPlan<Config, A, B>.choose) {
          step_a = a.distance(left > 3);
          step_b = b.distance(left > 3);
        }
        if (kAt == kPlan<Config, A, B>.advance_a) a.advance_by(step_a);
        if (kAt == kPlan<Config, A, B>.advance_b) b.advance_by(step_b);
        for_constants<A::copies>([&](auto i) {
          if constexpr (kPlan<Config, A, B>.fetch_a[decltype(i)::value] == kAt) a.fetch_one(staged_a[kOther], i);
        });
        for_constants<B::copies>([&](auto i) {
          if constexpr (kPlan<Config, A, B>.fetch_b[decltype(i)::value] == kAt) b.fetch_one(staged_b[kOther], i);
        });
      }
      keep_schedule();
    });
  };
  constexpr std::integral_constant<int, 0> kPair0;
  constexpr std::integral_constant<int, 1> kPair1;
  if constexpr (Core::wave == 32) {  // registers are scarce: each product of a round has code only once
    begin(kPair0);
#pragma unroll 1
    for (int left = range.count; left > 0; left -= 2) {
      multiply(kPair0, left);
      if (left > 1) multiply(kPair1, left - 1);
    }
  } else {
    // An odd number of k-tiles begins with a single one: if the loop could end within a round, the compiler would move
    // all accumulators there.
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

// FP32 operands. Rows of tiles are not padded (docs/kernels/amd.md).
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

// 16-bit operands, fetched by vectors; matrix_elements() fetches them element by element.
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
