// The steps of a product that are compiled for each kind of CPU (steps.cpp). The loops around them are not (tile.h).
#pragma once

#include "matrix/product.h"

namespace libsgemm {

// Packs rows x terms floats as panels of `width` rows, `distance` apart, in each the rows of one term after the other.
// Copies of the last row fill the last panel: they raise no new floating-point flag.
template <typename Real>
struct Pack {
  using Function = void (*)(const float *data, int64_t step, int64_t rows, int64_t terms, int64_t distance, Real *out);
  int width;
  Function by_rows;   // element (i, l) is data[i + l * step]
  Function by_terms;  // element (i, l) is data[i * step + l]
};

// sum (x.width x y.width) continues chains along the terms of two panels.
template <typename Real>
struct Chains {
  int64_t terms;
  const Real *x, *y;
  const Real *from;  // the sums so far; NULL: zeros
  Real *to;
  bool add;  // to `to`, instead of replacing it
};

template <typename Real>
struct CpuSteps {
  Pack<Real> x, y;
  void (*chains)(const Chains<Real> &c);
  // x crosses the diagonal of a triangle: term l takes part in the rows up to first + l (upper), or from there on.
  void (*crossing_chains)(const Chains<Real> &c, int64_t first, bool upper);
  // Finishes rows [i0, i1) and columns [j0, j1) of `out`, at most those of one sum.
  void (*write)(const Output &out, Span rows, Span columns, float alpha, float beta, const Real *sum);
};

struct Cpu {
  const char *unit;  // "avx512", as kernels are named; NULL: plain code, in which `ref` is as fast
  bool has_fma;      // of FP32
  CpuSteps<float> fp32;
  CpuSteps<double> fp64;
  void (*widen)(Type type, const uint16_t *from, int64_t count, float *to);
};

const Cpu &this_cpu();

template <typename Real>
const CpuSteps<Real> &steps_of(const Cpu &cpu);
template <>
inline const CpuSteps<float> &steps_of(const Cpu &cpu) {
  return cpu.fp32;
}
template <>
inline const CpuSteps<double> &steps_of(const Cpu &cpu) {
  return cpu.fp64;
}

}  // namespace libsgemm
