// Fetches an operand's tiles from memory into registers. An address is a base in scalar registers, common to the block,
// plus a constant offset in a vector register. Why, and what lies beyond the matrix: docs/kernels/amd.md.
#pragma once

#include <type_traits>

#include "gpu/tiles/tile.h"

namespace libsgemm::hip {

using namespace gpu;

// Keeps the distance out of vector registers.
__device__ __forceinline__ int64_t uniform_distance(int64_t bytes) {
  const auto low = static_cast<uint32_t>(uniform(static_cast<int>(bytes)));
  const auto high = static_cast<uint32_t>(uniform(static_cast<int>(bytes >> 32)));
  return static_cast<int64_t>(static_cast<uint64_t>(high) << 32 | low);
}

// Returns `bytes`, or 0 unless `whether`. kShort: `bytes` is less than 2^32.
template <bool kShort>
__device__ __forceinline__ int64_t choose(bool whether, int64_t bytes) {
  if constexpr (!kShort) return whether ? bytes : 0;
  return static_cast<uint32_t>(again(whether ? static_cast<int>(bytes) : 0));
}

// Addresses of a thread's elements in the next k-tile. kShort: a k-tile is less than 2^32 bytes.
template <int Depth, class Offset, int Offsets, bool kShort>
struct StreamPosition {
  Global<const char> *base;  // first element of the k-tile to fetch; the same in a wave
  int64_t k_bytes;           // distance of k elements
  Offset offset[Offsets];    // offsets of this thread's elements

  __device__ __forceinline__ void advance(int depth = Depth) { base = uniform(base + depth * k_bytes); }
  // advance() in two parts; distance() is 0 without `more`.
  __device__ __forceinline__ int64_t distance(bool more) const { return choose<kShort>(more, Depth * k_bytes); }
  __device__ __forceinline__ void advance_by(int64_t bytes) { base = uniform(base + bytes); }
  // All later fetches read what is at `base`, the same in all waves.
  __device__ __forceinline__ void stay() {
    k_bytes = 0;
    for (Offset &each : offset) each = 0;
  }
};

// A load adds a 32-bit offset to a scalar base. K-major rows fetched element by element may be further apart.
template <Fetch Kind>
using OffsetOf = std::conditional_t<Kind == Fetch::inner, int64_t, uint32_t>;

// Vectors require offsets_fit(). If K-major, each copy has its own offset; otherwise copies are a whole number of k
// apart, and share one offset.
template <int Outer, int Depth, int Threads, Fetch Kind, int Pad = 4,
          class Map = TileMap<Outer, Depth, Threads, Kind, Pad>>
struct TileStream : Map, StreamPosition<Depth, OffsetOf<Kind>, Map::along_k ? Map::copies : 1, Map::width == 4> {
  using Offset = OffsetOf<Kind>;
  using Position = typename TileStream::StreamPosition;
  using Position::base, Position::k_bytes, Position::offset;
  using Staged = float[Map::copies][Map::width];
  static constexpr bool along_k = Map::along_k;
  // Numbers of instructions, for matrix_plan.h.
  static constexpr int store_slots = 1;
  static constexpr int fetch_slots(int copy) { return along_k || copy == 0 ? 1 : 3; }

  static_assert(Kind != Fetch::outer || Outer % 64 == 0, "a wave fetches elements of one step of k");

  // `left`: outer elements from `first` on, at least one.
  __device__ __forceinline__ TileStream(const void *operand, int64_t ld, int64_t first, int64_t left, int64_t first_k) {
    const int64_t outer_bytes = 4 * (along_k ? ld : 1);
    k_bytes = 4 * (along_k ? 1 : ld);
    const int wave_k = Kind == Fetch::outer ? uniform(this->k) : 0;
    base = uniform(global(static_cast<const char *>(operand)) + first * outer_bytes + (first_k + wave_k) * k_bytes);
    const int last = static_cast<int>(left < Outer ? left : Outer) - (along_k ? 1 : Map::width);
#pragma unroll
    for (int i = 0; i < (along_k ? Map::copies : 1); ++i) {
      const int outer = min(this->outer + i * Map::step, last);
      offset[i] = static_cast<Offset>(outer) * static_cast<Offset>(outer_bytes) +
                  static_cast<Offset>(this->k - wave_k) * static_cast<Offset>(k_bytes);
    }
  }

  __device__ __forceinline__ void fetch_one(Staged &staged, int i) {
    Offset &within = offset[along_k ? i : 0];
    if constexpr (sizeof(Offset) == 4) keep_in_register(within);
    Global<const char> *from = base + (along_k ? 0 : i * Map::step * k_bytes) + within;
    if constexpr (Map::width == 4) {
      const Vec4 x = *reinterpret_cast<Global<const Vec4> *>(from);
      staged[i][0] = x.x, staged[i][1] = x.y, staged[i][2] = x.z, staged[i][3] = x.w;
    } else {
      staged[i][0] = *reinterpret_cast<Global<const float> *>(from);
    }
  }

  __device__ __forceinline__ void fetch(Staged &staged) {
#pragma unroll
    for (int i = 0; i < Map::copies; ++i) fetch_one(staged, i);
  }

  __device__ __forceinline__ void fetch_short(Staged &staged, int depth) {
#pragma unroll
    for (int i = 0; i < Map::copies; ++i) {
#pragma unroll
      for (int j = 0; j < Map::width; ++j) staged[i][j] = 0.0f;
      if (this->k + (along_k ? 0 : i * Map::step) < depth) fetch_one(staged, i);
    }
  }

  __device__ __forceinline__ void stay() {
    if constexpr (Kind == Fetch::outer) base = uniform(base - uniform(this->k) * k_bytes);  // the same in all waves
    Position::stay();
  }
};

// A Stream whose direction is known at compile time.
template <class Stream, bool kAlongK>
struct Directed : Stream {
  __device__ __forceinline__ Directed(const void *operand, int64_t ld, int64_t first, int64_t left, int64_t first_k)
      : Stream(operand, ld, kAlongK, first, left, first_k) {}
};

// Offsets within a tile of `outer` x `depth` must be below 2^32 bytes.
inline bool offsets_fit(int64_t ld, bool along_k, int outer, int depth) {
  return ld < (int64_t{1} << 30) / (along_k ? outer : depth) - outer;
}

}  // namespace libsgemm::hip
