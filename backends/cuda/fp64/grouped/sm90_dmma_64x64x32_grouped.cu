// Groups of products of different sizes, C = alpha op(A) op(B) + beta C each, in one launch on the FP64 tensor cores of
// an H100 or H200, for FP32 matrices. Every element is rounded once. For groups of products with more than a few rows
// and columns.
//
// The tiles, the loop and shared memory are those of sm90_dmma_64x64x32_multistage.cu. dmma_grouped.h describes the
// table of products, dmma_grouped.cuh how a block finds its own. The kernel has its own file, and so its own module,
// because drivers before 530 refuse a module in which a kernel has more than 4 KiB of parameters.
//
// Requires: gemm of FP32; sm_90; a driver of CUDA 12.1; any transposition and alignment; sizes and leading dimensions
// below 2^30; products one by one or at strides, and groups whose arrays of pointers are in host memory.
//
// Measured (H100, driver 580, CUDA 13.0, 1980 MHz, power cap at times; TFLOP/s and the time of
// cublasSgemmGroupedBatched over ours; 128 groups, m drawn up to 4096, TN; uniform, and by Zipf's law): n = k = 512 51
// (1.38), 35 (1.38); 2048 57 (1.45), 49 (1.70); 4096 57 (1.46), 52 (1.73). The least is 256 groups by Zipf at 512 with
// 1.05. Not transposed, where an odd m leaves A unaligned: 2048 1.09, 1.28.
#include "cuda/fp64/sm90_dmma_64x64x32.h"
#include "dmma_grouped.cuh"
#include "dmma_grouped_row.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma64x64x32;

}  // namespace

LIBSGEMM_DMMA_GROUPED_ROW(sm90_dmma_64x64x32_grouped)

}  // namespace libsgemm::cuda
