// Arithmetic of cuBLAS's extended entry points.
#pragma once

#include "cublas/cublas.h"
#include "gpu_blas/take.h"

namespace libsgemm {

// `compute` is a cublasComputeType_t.
void compute_type(Product *p, int compute);
// `which` is a cublasGemmAlgo_t; every valid one is accepted.
void algorithm(Product *p, int which);

}  // namespace libsgemm
