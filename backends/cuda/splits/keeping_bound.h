// Mode fp32_fast: a product of scheme fp16x2 whose guard keeps the promise of splits.h.
#pragma once

#include "gpu/splits/split_row.h"

namespace libsgemm::cuda {

using namespace gpu;

// The tiles that are left out, with sums in FP64 (splits_repair_fp64.cu).
libsgemm_status_t launch_repair_fp64(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error);

template <class Row>
struct KeepingBound {
  static SplitRow product() {
    SplitRow product = Row::product();
    product.keeps_bound = true;
    product.repair = launch_repair_fp64;
    return product;
  }
};

// Such a row, from that of mode fp16x3: by a kernel of each.
template <class Row>
Kernel fp32_fast_kernel(const char *name) {
  return split_row_kernel<KeepingBound<Row>>(name, LIBSGEMM_MATH_FP32_FAST);
}

}  // namespace libsgemm::cuda
