// The arithmetic that cuBLAS's extended forms name.
#pragma once

#include "cublas/cublas.h"
#include "gpu_blas/take.h"

namespace libsgemm {

void compute_type(Product *p, int compute);
// cublasGemmAlgo_t, of which any will do.
void algorithm(Product *p, int which);

}  // namespace libsgemm
