#pragma once

#include "hip/tiles/one_sided.h"
#include "matrix.h"

namespace libsgemm::hip {

template <class Config, bool kSymmetric, bool kLeft, Fetch KindOther>
__device__ __forceinline__ void matrix_one_sided(const StridedOperands &operands, const OneSidedProblem &o) {
  using Core = typename Config::Core;
  using Tile = OneSidedTile<Config, kSymmetric, kLeft, KindOther, 0>;
  __shared__ Vec4 lds[kMatrixFloats<Core, typename Tile::Square, typename Tile::Other> / 4];
  auto *shared = reinterpret_cast<typename Core::Element *>(lds);
  const Tile tile(operands, o);
  const WavePlace<Config> place;
  MatrixSums<Config> sums;
  clear_sums<Config>(sums);
  tile.for_parts([&](auto &a, auto &other, const TileRange &range) {
    if constexpr (kLeft) {
      multiply_tiles<Config>(sums, a, other, range, place, shared);
    } else {
      multiply_tiles<Config>(sums, other, a, range, place, shared);
    }
  });
  const OutputTile out = tile.output();
  store_sums<Config>(sums, out, place, [](int, int) { return true; });
  if constexpr (!kSymmetric) {
    bool finite = true;
#pragma unroll
    for (int i = 0; i < Config::blocks_m; ++i) {
#pragma unroll
      for (int j = 0; j < Config::blocks_n; ++j) {
#pragma unroll
        for (int e = 0; e < Core::sums; ++e) finite = finite && fabs(sums[i][j][e]) < INFINITY;
      }
    }
    if (finite) return;
#pragma unroll 1
    for (int e = 0; e < Config::blocks_m * Config::blocks_n * Core::sums; ++e) {
      const int block = e / Core::sums;
      tile.mend(out, place.row + block / Config::blocks_n * Core::block + place.lane % Core::block,
                place.column + block % Config::blocks_n * Core::block + Core::sum_outer(place.lane) +
                    Core::sum_step(e % Core::sums));
    }
  }
}

}  // namespace libsgemm::hip
