// Groups of 16-bit products of different, large sizes on sm_90: C = alpha op(A) op(B) + beta C for each, in one launch
// by wgmma. Main loop and sources: wgmma_engine.cuh; table of products: wgmma_grouped.h.
//
// Drivers before 530 refuse a module in which a kernel has more than 4 KiB of parameters. So this kernel has a file,
// and thus a module, of its own.
//
// A pair of blocks computes 256 x 256 of C: each multiplies 128 rows of x by 256 columns of y, and copies half of y to
// both. x is op(B), or op(A) if all products of the launch then need fewer tiles.
//
// Requires: gemm of FP16 or bfloat16 operands whose columns and products all start at multiples of 16 bytes; code for
// sm_90a; a driver of CUDA 12.1; arrays of pointers in host memory. One launch takes 65 products of the same
// transpositions; products of a group at constant strides count as one.
#include "gpu/kernels.h"
#include "wgmma_grouped_kernel.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_GROUPED_CODE(sm90_wgmma_256x128x64_grouped, 256, 4, 2)

KernelList sm90_wgmma_256x128x64_grouped() { return wgmma_grouped_kernel<DeviceCode>("sm90_wgmma_256x128x64_grouped"); }

}  // namespace libsgemm::cuda
