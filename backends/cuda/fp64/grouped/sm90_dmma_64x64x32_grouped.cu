// Groups of FP32 products of different sizes in one launch on the FP64 tensor cores of an H100 or H200: C = alpha op(A)
// op(B) + beta C for each. Tiles and loop: sm90_dmma_64x64x32_multistage.cu; table of products: dmma_grouped.h;
// figures: docs/kernels/fp64.md.
//
// Drivers before 530 refuse a module in which a kernel has more than 4 KiB of parameters. So this kernel has a file,
// and thus a module, of its own.
//
// Requires: gemm of FP32; sm_90; a driver of CUDA 12.1; sizes and leading dimensions below 2^30; arrays of pointers in
// host memory.
#include "cuda/fp64/sm90_dmma_64x64x32.h"
#include "dmma_grouped.cuh"
#include "dmma_grouped_kernel.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma64x64x32;

}  // namespace

LIBSGEMM_DMMA_GROUPED_CODE(sm90_dmma_64x64x32_grouped)

KernelList sm90_dmma_64x64x32_grouped() { return dmma_grouped_kernel<DeviceCode>("sm90_dmma_64x64x32_grouped"); }

}  // namespace libsgemm::cuda
