// Host side of the kernels built on sliced_k.cuh.
#pragma once

#include "contract/backend.h"
#include "gpu/kernels.h"
#include "runtime/tensor_map.h"
#include "sliced_k.h"

namespace libsgemm::cuda {

struct SlicedKSizes {
  int rows, columns, box_rows;
  uint32_t shared_bytes, transpose_shared_bytes;
};

template <typename Shape>
constexpr SlicedKSizes sliced_k_sizes() {
  return {Shape::rows, Shape::columns, Shape::box_rows, Shape::shared_bytes, Shape::transpose_shared_bytes};
}

struct SlicedKKernel {
  using Function = void (*)(TensorMap, TensorMap, SlicedKProblem);
  Function instances[2][2][2];  // [swapped][rows along k][columns transposed]
};

bool sliced_k_supports(const GemmDesc &desc, const SlicedKSizes &sizes, int device);
double sliced_k_seconds(const GemmDesc &desc, const SlicedKSizes &sizes, int device);
libsgemm_status_t launch_sliced_k(const GemmDesc &desc, const SlicedKSizes &sizes, const SlicedKKernel &kernel,
                                  const Launch &launch, Error *error);

template <typename Shape>
Kernel sliced_k_entry(const char *name, libsgemm_status_t (*launch)(const GemmDesc &, const Launch &, Error *)) {
  return {name, LIBSGEMM_MATH_FP32,
          [](const GemmDesc &desc, int device) -> Plan {
            if (!sliced_k_supports(desc, sliced_k_sizes<Shape>(), device)) return {};
            return planned(sliced_k_seconds(desc, sliced_k_sizes<Shape>(), device));
          },
          launch};
}

}  // namespace libsgemm::cuda
