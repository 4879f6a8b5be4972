// Kernels that rewrite operands for tensor cores (K-major, aligned, rounded: splits.h), and leave the product to the
// cheapest kernel for such operands.
#pragma once

#include "gpu/level3/gemm_step.h"
#include "split_kernel.h"

namespace libsgemm::gpu {

struct PackedProduct {
  bool (*runs_on)(int device);
  void (*pass)(PassProblem);
  // For the product after the pass; the mode is FP32 for 16-bit operands.
  bool (*packs)(const GemmDesc &desc, bool of_a);
  Type type;
  libsgemm_math_mode_t math_mode;
  // A kernel outside of the table may rely on the pass. Null: the cheapest of the table.
  const Kernel *kernel = nullptr;
};

Plan prepare_packed(const GemmDesc &desc, const PackedProduct &product, int device);
libsgemm_status_t launch_packed(const GemmDesc &desc, const PackedProduct &product, const Launch &launch, Error *error);

template <class DeviceCode>
Kernel packed_kernel(const char *name, libsgemm_math_mode_t mode) {
  Kernel kernel = {name, mode,
                   [](const GemmDesc &desc, int device) {
                     return DeviceCode::supports(desc) ? prepare_packed(desc, DeviceCode::product(desc), device)
                                                       : Plan();
                   },
                   [](const GemmDesc &desc, const Launch &launch, Error *error) {
                     return launch_packed(desc, DeviceCode::product(desc), launch, error);
                   }};
  kernel.truncates = true;
  kernel.in_steps = true;
  return kernel;
}

}  // namespace libsgemm::gpu
