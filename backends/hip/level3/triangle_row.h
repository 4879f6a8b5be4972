#pragma once

#include "gpu/kernels.h"
#include "gpu/level3/triangle_row.h"
#include "hip/tiles/valu_row.h"
#include "triangle.h"

// Defines the kernel `NAME` by ENGINE of triangle.h or matrix_triangle.h.
#define LIBSGEMM_HIP_TRIANGLE_ROW(NAME, ENGINE) \
  LIBSGEMM_HIP_BOUNDED_TRIANGLE_ROW(NAME, ENGINE, LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks))

#define LIBSGEMM_HIP_BOUNDED_TRIANGLE_ROW(NAME, ENGINE, BOUNDS)                 \
  template <Fetch KindA, Fetch KindB>                                           \
  __global__ void BOUNDS NAME(const __grid_constant__ StridedOperands operands, \
                              const __grid_constant__ TriangleProblem p) {      \
    if constexpr (Row::available) ENGINE<Config, KindA, KindB>(operands, p);    \
  }                                                                             \
  namespace {                                                                   \
  struct NAME##_row {                                                           \
    using Row = ::libsgemm::hip::Row;                                           \
    template <Fetch KindA, Fetch KindB>                                         \
    static auto kernel() {                                                      \
      return &NAME<KindA, KindB>;                                               \
    }                                                                           \
  };                                                                            \
  }                                                                             \
  KernelList NAME() {                                                           \
    Kernel kernel = triangle_kernel<NAME##_row>(#NAME);                         \
    kernel.invariant = Row::chains;                                             \
    kernel.math_mode = Row::math_mode;                                          \
    return kernel;                                                              \
  }
