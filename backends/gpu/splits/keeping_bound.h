// Mode fp32_fast: scheme fp16x2 with a guard that keeps FP32's error bound.
#pragma once

#include "split_kernel.h"

namespace libsgemm::gpu {

template <class DeviceCode>
struct KeepingBound {
  static SplitProduct product() {
    SplitProduct product = DeviceCode::product();
    product.keeps_bound = true;
    product.repair = launch_repair_fp64;
    return product;
  }
};

template <class DeviceCode>
Kernel fp32_fast_kernel(const char *name) {
  Kernel kernel = split_product_kernel<KeepingBound<DeviceCode>>(name, LIBSGEMM_MATH_FP32_FAST);
  kernel.purpose = "FP32's bound, tile by tile";
  return kernel;
}

}  // namespace libsgemm::gpu
