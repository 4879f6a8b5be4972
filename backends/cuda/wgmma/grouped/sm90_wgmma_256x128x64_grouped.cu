// Groups of products of different sizes, each C = alpha op(A) op(B) + beta C, of 16-bit matrices on sm_90, in one
// launch by wgmma. For products with many rows and columns.
//
// Main loop and sources: wgmma_engine.cuh; table of products: wgmma_grouped.h; how a block finds the product of a tile:
// wgmma_grouped.cuh. The kernel has a file, and so a module, of its own: drivers before 530 refuse a module in which a
// kernel has more than 4 KiB of parameters.
//
// A pair of blocks computes 256 x 256 of C: each has 128 of x and all of y, of which it copies half to both. C is
// computed transposed where that takes fewer tiles for all products of a launch.
//
// Requires: gemm of FP16 or bfloat16 operands whose columns and products all start at multiples of 16 bytes; code for
// sm_90a; a driver of CUDA 12.1; arrays of pointers in host memory. Any sizes and transpositions. One launch takes 65
// products of the same transpositions; products of a group at constant strides count as one.
//
// Not measured by itself (docs/kernels/wgmma.md): the model parameters are those of kernels for single products with
// such tiles.
#include "gpu/kernels.h"
#include "wgmma_grouped_row.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_ROW(sm90_wgmma_256x128x64_grouped, 256, 4, 2)

}  // namespace libsgemm::cuda
