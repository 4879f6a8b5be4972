#pragma once

#include "gpu/kernels.h"
#include "gpu/level3/triangle_kernel.h"
#include "hip/tiles/valu_kernel.h"
#include "triangle.h"

namespace libsgemm::hip {

template <class TriangleCode>
Kernel kernel_of_triangle(const char *name) {
  Kernel kernel = triangle_kernel<TriangleCode>(name);
  kernel.invariant = TriangleCode::DeviceCode::chains;
  kernel.math_mode = TriangleCode::DeviceCode::math_mode;
  return kernel;
}

}  // namespace libsgemm::hip

// Defines the device code `NAME`, ENGINE of triangle.h or matrix_triangle.h, and NAME_code.
#define LIBSGEMM_HIP_TRIANGLE_CODE(NAME, ENGINE) \
  LIBSGEMM_HIP_BOUNDED_TRIANGLE_CODE(NAME, ENGINE, LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks))

#define LIBSGEMM_HIP_BOUNDED_TRIANGLE_CODE(NAME, ENGINE, BOUNDS)                    \
  template <Fetch KindA, Fetch KindB>                                               \
  __global__ void BOUNDS NAME(const __grid_constant__ StridedOperands operands,     \
                              const __grid_constant__ TriangleProblem p) {          \
    if constexpr (DeviceCode::available) ENGINE<Config, KindA, KindB>(operands, p); \
  }                                                                                 \
  namespace {                                                                       \
  struct NAME##_code {                                                              \
    using DeviceCode = ::libsgemm::hip::DeviceCode;                                 \
    template <Fetch KindA, Fetch KindB>                                             \
    static auto kernel() {                                                          \
      return &NAME<KindA, KindB>;                                                   \
    }                                                                               \
  };                                                                                \
  }
