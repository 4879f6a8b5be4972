// Convolutions: the loop of valu.h on gathered tiles, and what matrix_gathered.h shares.
//
//   LDS: [tiles of the loop, or what storing C needs][places: gather_stream.h of A and of B]
//
// After the loop, addresses of rows and columns in the output replace the places.
#pragma once

#include "gather_stream.h"
#include "gpu/conv/conv_tile.h"
#include "hip/tiles/valu.h"

namespace libsgemm::hip {

using namespace gpu;

template <class Config, class A, class B, int Floats>
struct ConvLds {
  static constexpr int place_bytes = static_cast<int>(sizeof(ConvPlace)) * (A::places + B::places);
  static constexpr int first_place = Floats / 4;  // counted in vectors
  static constexpr int vectors =
      first_place + (place_bytes > kOutputPlaceBytes<Config> ? place_bytes : kOutputPlaceBytes<Config>) / 16;
  static_assert(Floats % 4 == 0, "places start at multiples of 16 bytes");
};

// One wave computes A's places of k, another one B's.
template <class Config, Fetch Kind, int Pad>
using StreamOfA = GatherStream<TileMap<Config::tile_m, Config::tile_k, Config::threads, Kind, Pad>, 0>;
template <class Config, Fetch Kind, int Pad>
using StreamOfB = GatherStream<TileMap<Config::tile_n, Config::tile_k, Config::threads, Kind, Pad>, 64>;

// Calls multiply(range) once all threads can read the places, unless the sum is empty.
template <class Config, typename Multiply>
__device__ __forceinline__ void multiply_gathered(const ConvTile<Config> &tile, const Multiply &multiply) {
  __syncthreads();
  const int64_t depth = static_cast<int64_t>(tile.range.count) * Config::tile_k;
  if (depth > 0) multiply(TileRange(0, depth, Config::tile_k));
}

template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void ping_pong_conv(const ConvProblems &problems) {
  using A = StreamOfA<Config, KindA, 4>;
  using B = StreamOfB<Config, KindB, 4>;
  using Lds = ConvLds<Config, A, B, kPingPongFloats<Config, A, B>>;
  __shared__ Vec4 lds[Lds::vectors];
  float *shared = reinterpret_cast<float *>(lds);
  const ConvTile<Config> tile(first_parameter(problems));
  if (!tile.exists()) return;
  ConvPlace *places = reinterpret_cast<ConvPlace *>(lds + Lds::first_place);
  const ConvProblem &p = tile.problem;
  A a(p.row, p.sum, p.a, tile.group, tile.row(), tile.first_k(), places);
  B b(p.column, p.sum, p.b, tile.group, tile.column(), tile.first_k(), places + A::places);
  Sums<Config> sums;
  multiply_gathered(tile, [&](const TileRange &range) { ping_pong_sums<Config>(sums, a, b, range, shared); });
  float sum[Config::thread_m][Config::thread_n];
  sums.get(sum);
  store_conv_tile<Config>(sum, tile, shared, places);
}

}  // namespace libsgemm::hip
