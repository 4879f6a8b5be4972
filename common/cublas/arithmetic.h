// Arithmetic of cuBLAS's extended entry points.
#pragma once

#include "cublas/cublas.h"
#include "gpu_blas/take.h"

namespace libsgemm {

void compute_type(Product *p, int compute);
// `which` is a cublasGemmAlgo_t; every valid one is accepted.
void algorithm(Product *p, int which);

}  // namespace libsgemm
