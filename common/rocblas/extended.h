// Arguments of rocBLAS's extended entry points.
#pragma once

#include "gpu_blas/take.h"

namespace libsgemm {

struct Extended {
  int a_type, b_type;
  const void *c;
  int c_type;
  int64_t ldc;
  const void *d;
  int d_type;
  int64_t ldd;
  int compute, algorithm, solution;
  uint32_t flags;
  int64_t stride_c = 0, stride_d = 0;
};

void extend(Product *p, int64_t m, const Extended &x);

}  // namespace libsgemm
