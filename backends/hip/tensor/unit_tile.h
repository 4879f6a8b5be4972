// Tiles of a 16-bit operand in LDS, in units as the matrix cores read them: eight k of one outer element (16 bytes).
// Unit (c, o) has k = 8 c to 8 c + 7 of outer element o, at 16 (c Outer + o') bytes, where o' = o ^ swizzle(c, o) is in
// the same aligned group of eight. Why: docs/kernels/amd.md. Each thread moves 4 outer elements x 4 k, as raw bits.
#pragma once

#include "gpu/tiles/tile.h"
#include "hip/tiles/tile_stream.h"
#include "matrix_ops.h"

namespace libsgemm::hip {

using namespace libsgemm::gpu;

constexpr int kUnitDepth = 32;  // k of a tile

template <int Outer, int Threads>
struct UnitTile {
  static constexpr int depth = kUnitDepth;
  static constexpr int floats = Outer * depth / 2;
  static constexpr int copies = 4;  // a thread's outer elements, with four k each
  static_assert(Outer / 4 * (depth / 4) == Threads, "4 x 4 elements a thread");

  int outer, k;  // the thread's first element

  __device__ __forceinline__ void place(bool along_k) {
    const int thread = static_cast<int>(threadIdx.x);
    outer = 4 * (along_k ? thread / (depth / 4) : thread % (Outer / 4));
    k = 4 * (along_k ? thread % (depth / 4) : thread / (Outer / 4));
  }

  __device__ __forceinline__ static int swizzle(int c, int o) { return (o / 8 % 4) ^ (2 * c % 8); }

  // Unit c of row first + within; `first` is a multiple of 32, `within` less than 32.
  __device__ __forceinline__ static Words4 unit(const float *tile, int c, int first, int within) {
    const int at = c * Outer + first + (within ^ swizzle(c, within));
    return reinterpret_cast<const Words4 *>(tile)[at];
  }

  __device__ __forceinline__ void put(float *tile, const Words2 &copy, int i) const {
    const int c = k / 8, half = k / 4 % 2;
    int to = outer ^ swizzle(c, outer);
#if defined(LIBSGEMM_HIP_WMMA_GFX11)
    pin(to);  // addresses kept in registers would make fragments spill
#endif
    reinterpret_cast<Words2 *>(tile)[2 * (c * Outer + (to ^ i)) + half] = copy;
  }
};

// Fetches vectors of four elements: columns must start at multiples of 8 bytes, and their length be a multiple of 4.
// Addresses are as in TileStream.
template <int Outer, int Threads, Fetch Kind>
struct UnitStream : UnitTile<Outer, Threads>, StreamPosition<kUnitDepth, uint32_t, 4, true> {
  using Tile = UnitTile<Outer, Threads>;
  using Staged = Words2[Tile::copies];  // one for each outer element, or k, in the order of memory
  static constexpr bool along_k = Kind == Fetch::inner_x4;
  static constexpr int store_slots = 1;  // instructions, as in TileStream, without transposing
  static constexpr int fetch_slots(int) { return 1; }

  __device__ __forceinline__ UnitStream(const void *operand, int64_t ld, int64_t first, int64_t left, int64_t first_k) {
    this->place(along_k);
    const int64_t outer_bytes = 2 * (along_k ? ld : 1);
    k_bytes = 2 * (along_k ? 1 : ld);
    base = uniform(global(static_cast<const char *>(operand)) + first * outer_bytes + first_k * k_bytes);
    const int last = static_cast<int>(left < Outer ? left : Outer) - (along_k ? 1 : 4);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int outer = min(this->outer + (along_k ? i : 0), last);
      const int k = this->k + (along_k ? 0 : i);
      offset[i] = static_cast<uint32_t>(outer) * static_cast<uint32_t>(outer_bytes) +
                  static_cast<uint32_t>(k) * static_cast<uint32_t>(k_bytes);
    }
  }

  __device__ __forceinline__ void fetch_one(Staged &staged, int i) {
    keep_in_register(offset[i]);
    staged[i] = *reinterpret_cast<Global<const Words2> *>(base + offset[i]);
  }
  __device__ __forceinline__ void fetch(Staged &staged) {
#pragma unroll
    for (int i = 0; i < 4; ++i) fetch_one(staged, i);
  }
  // Elements from `depth` k on become zero.
  __device__ __forceinline__ void fetch_short(Staged &staged, int depth) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      staged[i] = Words2{};
      if (this->k + (along_k ? 0 : i) < depth) fetch_one(staged, i);
    }
  }

  __device__ __forceinline__ static Words2 turned(const Staged &staged, int i) {
    const auto pair = [&](const Words2 &low, const Words2 &high) {
      const uint32_t x = low[i / 2], y = high[i / 2];
      return i % 2 == 0 ? ops::low_halves(x, y) : ops::high_halves(x, y);
    };
    const uint32_t last = pair(staged[2], staged[3]);  // fetched last: waiting for it covers all
    return Words2{pair(staged[0], staged[1]), last};
  }
  __device__ __forceinline__ void store_one(float *tile, const Staged &staged, int i) const {
    this->put(tile, along_k ? staged[i] : turned(staged, i), i);
  }
};

// Fetches element by element, for any alignment and direction.
template <int Outer, int Threads>
struct UnitElements : UnitTile<Outer, Threads>, StreamPosition<kUnitDepth, uint32_t, 4, false> {
  using Tile = UnitTile<Outer, Threads>;
  using Staged = uint32_t[Tile::copies][4];  // [outer element][k]
  static constexpr int store_slots = 3;
  static constexpr int fetch_slots(int) { return 4; }

  __device__ __forceinline__ UnitElements(const void *operand, int64_t ld, bool along_k, int64_t first, int64_t left,
                                          int64_t first_k) {
    this->place(along_k);
    const int64_t outer_bytes = 2 * (along_k ? ld : 1);
    k_bytes = uniform_distance(2 * (along_k ? 1 : ld));
    base = uniform(global(static_cast<const char *>(operand)) + first * outer_bytes + first_k * k_bytes);
    const int last = static_cast<int>(left < Outer ? left : Outer) - 1;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      offset[i] = static_cast<uint32_t>(min(this->outer + i, last)) * static_cast<uint32_t>(outer_bytes) +
                  static_cast<uint32_t>(this->k) * static_cast<uint32_t>(k_bytes);
    }
  }

  __device__ __forceinline__ uint32_t element(int i, int step) {
    keep_in_register(offset[i]);
    return *reinterpret_cast<Global<const uint16_t> *>(base + step * k_bytes + offset[i]);
  }
  __device__ __forceinline__ void fetch_one(Staged &staged, int i) {
#pragma unroll
    for (int step = 0; step < 4; ++step) staged[i][step] = element(i, step);
  }
  __device__ __forceinline__ void fetch(Staged &staged) {
#pragma unroll
    for (int i = 0; i < 4; ++i) fetch_one(staged, i);
  }
  __device__ __forceinline__ void fetch_short(Staged &staged, int depth) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        staged[i][step] = 0;
        if (this->k + step < depth) staged[i][step] = element(i, step);
      }
    }
  }

  __device__ __forceinline__ void store_one(float *tile, const Staged &staged, int i) const {
    this->put(tile, Words2{staged[i][0] | staged[i][1] << 16, staged[i][2] | staged[i][3] << 16}, i);
  }
};

template <int Outer, int Threads, Fetch Kind>
using Units = std::conditional_t<Kind == Fetch::outer_x4 || Kind == Fetch::inner_x4, UnitStream<Outer, Threads, Kind>,
                                 Directed<UnitElements<Outer, Threads>, Kind == Fetch::inner>>;

}  // namespace libsgemm::hip
