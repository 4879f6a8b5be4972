// Mode fp32_fast: scheme fp16x2 with a guard that keeps FP32's error bound.
#pragma once

#include "split_row.h"

namespace libsgemm::gpu {

template <class Row>
struct KeepingBound {
  static SplitRow product() {
    SplitRow product = Row::product();
    product.keeps_bound = true;
    product.repair = launch_repair_fp64;
    return product;
  }
};

template <class Row>
Kernel fp32_fast_kernel(const char *name) {
  Kernel kernel = split_row_kernel<KeepingBound<Row>>(name, LIBSGEMM_MATH_FP32_FAST);
  kernel.purpose = "FP32's bound, tile by tile";
  return kernel;
}

}  // namespace libsgemm::gpu
