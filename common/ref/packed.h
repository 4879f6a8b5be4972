// Declarations that the kernels of ref on packed tiles (packed.cpp) share with their chains of fused multiply-adds.
#pragma once

#include "matrix/product.h"
#include "solve.h"

namespace libsgemm {

// Rows and columns of a tile of C, and the part of k that is packed at a time. Columns of the tile's sums have kMc
// numbers.
constexpr int64_t kMc = 128, kNc = 96, kKc = 256;

struct Tile {
  int64_t i0, i1, j0, j1;
};

// sum (MR x NR of a buffer with kMc rows) += x * y, panels of depth k.
template <typename Real>
using Micro = void (*)(int64_t k, const Real *x, const Real *y, Real *sum);

// Functions that compute an element as one chain of FP32 fused multiply-adds in the order of k; all continue the sums
// that they find. The bits are the same on every CPU.
struct Chain {
  bool (*runs_here)();
  Micro<float> micro;
  int mr, nr;
  // Adds terms [first, last) where a triangle's diagonal crosses a tile.
  void (*cross)(const Product &p, const Tile &t, Span terms, float *sum);
  // Writes the tile with alpha and beta, as finish.h defines it.
  void (*write)(const Output &out, const Tile &t, float alpha, float beta, const float *sum);
  // Does all of trsm. `scratch`: kSolveColumns * order floats.
  void (*solve)(const Triangle &s, float alpha, float *scratch);
};
constexpr int64_t kSolveColumns = 16;

// Sorted by speed on CPUs that run them, the fastest first; the last one runs on any CPU.
constexpr int kChains = 3;
extern const Chain kChain[kChains];

}  // namespace libsgemm
