// The host's side of the kernels built on halves.cuh.
#pragma once

#include "backend.h"
#include "halves.h"
#include "runtime/tensor_map.h"

namespace libsgemm::cuda {

// What the host knows of a HalvesShape.
struct HalvesSizes {
  int rows, columns, box_rows;
  uint32_t shared_bytes, turn_shared_bytes;
};

template <typename Shape>
constexpr HalvesSizes halves_sizes() {
  return {Shape::rows, Shape::columns, Shape::box_rows, Shape::shared_bytes, Shape::turn_shared_bytes};
}

struct HalvesKernel {
  using Function = void (*)(TensorMap, TensorMap, HalvesProblem);
  Function instances[2][2][2];  // [swapped][rows along k][columns turned]
};

bool halves_supports(const GemmDesc &desc, const HalvesSizes &sizes, int device);
double halves_seconds(const GemmDesc &desc, const HalvesSizes &sizes, int device);
libsgemm_status_t launch_halves(const GemmDesc &desc, const HalvesSizes &sizes, const HalvesKernel &kernel,
                                const Launch &launch, Error *error);

template <typename Shape>
Kernel halves_row(const char *name, libsgemm_status_t (*launch)(const GemmDesc &, const Launch &, Error *)) {
  return {name,
          LIBSGEMM_MATH_FP32,
          [](const GemmDesc &desc, int device) { return halves_supports(desc, halves_sizes<Shape>(), device); },
          [](const GemmDesc &desc, int device) { return halves_seconds(desc, halves_sizes<Shape>(), device); },
          [](const GemmDesc &, int) { return size_t{0}; },
          launch};
}

}  // namespace libsgemm::cuda
