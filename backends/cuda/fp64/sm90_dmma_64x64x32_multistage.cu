// C = alpha op(A) op(B) + beta C of FP32 matrices, accumulated in FP64 on the FP64 tensor cores of an H100 or H200.
// Every element is rounded once. Figures: docs/kernels/fp64.md. Main loop: dmma_multistage.cuh. A warp's part and
// the sources: dmma.cuh.
//
// _split_k: split_k_sum_fp64() adds the slices in order. _triangle, _triangle_split_k: triangles of C
// (dmma_triangle.cuh). _trmm: trmm, which reads a copy of the matrix that it overwrites (dmma_one_sided.cuh).
//
//   tile of C: 64 x 64            warp: 32 x 32 = 4 x 2 instructions of 8 x 16 (k 16)
//   +--------+--------+
//   | warp 0 | warp 2 |
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Requires: sm_90; split_k: no arrays of pointers, a k for which more than one slice pays, a workspace of 8 * slices *
// (m rounded up to a multiple of 4) * n bytes per product, at most 32 MiB.
#include "dmma_one_sided.cuh"
#include "dmma_one_sided_kernel.h"
#include "dmma_triangle.cuh"
#include "dmma_triangle_kernel.h"
#include "sm90_dmma_64x64x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma64x64x32;

}  // namespace

LIBSGEMM_DMMA_CODE(sm90_dmma_64x64x32_multistage)

KernelList sm90_dmma_64x64x32_multistage() {
  return {dmma_kernel<DeviceCode>("sm90_dmma_64x64x32_multistage"),
          dmma_split_kernel<DeviceCode>("sm90_dmma_64x64x32_split_k")};
}

LIBSGEMM_DMMA_TRIANGLE_CODE(sm90_dmma_64x64x32_triangle)

KernelList sm90_dmma_64x64x32_triangle() {
  return {dmma_triangle_kernel<TriangleCode>("sm90_dmma_64x64x32_triangle"),
          dmma_triangle_split_kernel<TriangleCode>("sm90_dmma_64x64x32_triangle_split_k")};
}

LIBSGEMM_DMMA_ONE_SIDED_CODE(sm90_dmma_64x64x32_trmm, trmm, triangular)

KernelList sm90_dmma_64x64x32_trmm() {
  return dmma_one_sided_kernel<sm90_dmma_64x64x32_trmm_code<false>>("sm90_dmma_64x64x32_trmm");
}

}  // namespace libsgemm::cuda
