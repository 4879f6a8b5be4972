// What the rows of ref on packed tiles (packed.cpp) have in common with their chains of fused multiply-adds.
#pragma once

#include "matrix/product.h"
#include "solve.h"

namespace libsgemm {

// Rows and columns of a tile of C, and steps of k that are packed at a time. Its sums have columns of kMc numbers.
constexpr int64_t kMc = 128, kNc = 96, kKc = 256;

struct Tile {
  int64_t i0, i1, j0, j1;
};

// sum (MR x NR of a buffer with kMc rows) += x * y, panels of k steps.
template <typename Real>
using Micro = void (*)(int64_t k, const Real *x, const Real *y, Real *sum);

// Steps by which an element becomes one chain of FP32 fused multiply-adds in the order of k: all continue the sums that
// they find. The bits are the same on every CPU.
struct Chain {
  bool (*runs_here)();
  Micro<float> micro;
  int mr, nr;
  // Terms [first, last) where a triangle's diagonal crosses a tile.
  void (*cross)(const Product &p, const Tile &t, Span terms, float *sum);
  // Writes the tile with alpha and beta, as finish.h has it.
  void (*write)(const Output &out, const Tile &t, float alpha, float beta, const float *sum);
  // trsm, all of it. `scratch`: kSolveColumns * order floats.
  void (*solve)(const Triangle &s, float alpha, float *scratch);
};
constexpr int64_t kSolveColumns = 16;

// The fastest for the CPU at hand first; the last one runs anywhere.
constexpr int kChains = 3;
extern const Chain kChain[kChains];

}  // namespace libsgemm
