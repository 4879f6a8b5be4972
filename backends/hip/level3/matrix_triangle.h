// Triangles of C on the matrix cores: the loop of matrix.h for the tiles of a triangle (triangle.h).
#pragma once

#include "hip/tensor/matrix.h"
#include "triangle.h"

namespace libsgemm::hip {

template <class Config, class A, class B, bool kSyr2k>
__device__ __forceinline__ void matrix_triangle(const StridedOperands &operands, const TriangleProblem &t) {
  using Core = typename Config::Core;
  __shared__ Vec4 lds[kMatrixFloats<Core, A, B> / 4];
  const TilePosition<Config> at = triangle_position<Config>(t);
  const WavePlace<Config> place;
  MatrixSums<Config> sums;
  clear_sums<Config>(sums);
  for_terms<Config, A, B, kSyr2k>(operands, t, at, [&](A &a, B &b, const TileRange &range) {
    multiply_tiles<Config>(sums, a, b, range, place, reinterpret_cast<typename Core::Element *>(lds));
  });
  const auto anew = read_anew(operands, t);
  const OutputTile out = output_tile(anew.first, anew.second.product, at);
  if (at.i != at.j) {
    store_sums<Config>(sums, out, place, [](int, int) { return true; });
  } else {
    const bool upper = anew.second.upper;
    store_sums<Config>(sums, out, place, [&](int row, int column) { return upper ? row <= column : row >= column; });
  }
}

template <class Config, Fetch KindA, Fetch KindB>
__device__ __forceinline__ void matrix_triangle(const StridedOperands &operands, const TriangleProblem &t) {
  using A = TileStream<Config::tile_m, Config::tile_k, Config::threads, KindA, 0>;
  using B = TileStream<Config::tile_n, Config::tile_k, Config::threads, KindB, 0>;
  matrix_triangle<Config, A, B, true>(operands, t);
}

template <class Config, Fetch Kind>
__device__ __forceinline__ void matrix_syrk(const StridedOperands &operands, const TriangleProblem &t) {
  using A = Units<Config::tile_m, Config::threads, Kind>;
  using B = Units<Config::tile_n, Config::threads, Kind>;
  matrix_triangle<Config, A, B, false>(operands, t);
}

}  // namespace libsgemm::hip
