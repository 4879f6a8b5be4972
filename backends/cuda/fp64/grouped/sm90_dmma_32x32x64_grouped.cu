// Groups of products of different sizes, C = alpha op(A) op(B) + beta C each, in one launch on the FP64 tensor cores of
// an H100 or H200, for FP32 matrices. Every element is rounded once. For groups of products with few rows or columns,
// which would leave larger tiles mostly empty.
//
// The tiles, the loop and shared memory are those of sm90_dmma_32x32x64_multistage.cu. The rest, requirements included,
// is as in sm90_dmma_64x64x32_grouped.cu.
//
// Not measured by itself; its figures are those of sm90_dmma_32x32x64_multistage.
#include "cuda/fp64/sm90_dmma_32x32x64.h"
#include "dmma_grouped.cuh"
#include "dmma_grouped_row.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_GROUPED_ROW(sm90_dmma_32x32x64_grouped)

}  // namespace libsgemm::cuda
