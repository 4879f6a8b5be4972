// Shared by packed.cpp and chain.cpp.
#pragma once

#include "matrix/product.h"
#include "solve.h"

namespace libsgemm {

// Rows and columns of a tile of C, and the k packed at a time.
constexpr int64_t kMc = 128, kNc = 96, kKc = 256;

struct Tile {
  int64_t i0, i1, j0, j1;
};

// sum (MR x NR of a buffer with kMc rows) += x * y, panels of depth k.
template <typename Real>
using Micro = void (*)(int64_t k, const Real *x, const Real *y, Real *sum);

// An element is a sequence of FP32 FMAs in the order of k, with the same bits on every CPU. Functions continue `sum`.
struct Chain {
  bool (*runs_here)();
  Micro<float> micro;
  int mr, nr;
  void (*cross)(const Product &p, const Tile &t, Span terms, float *sum);
  // Uses finish.h.
  void (*write)(const Output &out, const Tile &t, float alpha, float beta, const float *sum);
  // All of trsm. `scratch`: kSolveColumns * order floats.
  void (*solve)(const Triangle &s, float alpha, float *scratch);
};

// Fastest first; the last runs on any CPU.
constexpr int kChains = 3;
extern const Chain kChain[kChains];

}  // namespace libsgemm
