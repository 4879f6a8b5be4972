// Groups of products of different sizes, C = alpha op(A) op(B) + beta C each, in one launch on the FP64 tensor cores of
// an H100 or H200, for FP32 matrices. For products with more than a few rows and columns. Figures:
// docs/kernels/fp64.md.
//
// Tiles, loop and shared memory: sm90_dmma_64x64x32_multistage.cu; table of products: dmma_grouped.h. The kernel has a
// file, and so a module, of its own: drivers before 530 refuse a module in which a kernel has more than 4 KiB of
// parameters.
//
// Requires: gemm of FP32; sm_90; a driver of CUDA 12.1; any transposition and alignment; sizes and leading dimensions
// below 2^30; products one by one or at strides, and groups whose arrays of pointers are in host memory.
#include "cuda/fp64/sm90_dmma_64x64x32.h"
#include "dmma_grouped.cuh"
#include "dmma_grouped_row.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma64x64x32;

}  // namespace

LIBSGEMM_DMMA_GROUPED_ROW(sm90_dmma_64x64x32_grouped)

}  // namespace libsgemm::cuda
