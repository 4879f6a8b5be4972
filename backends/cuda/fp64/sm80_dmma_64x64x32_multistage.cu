// sm90_dmma_64x64x32_multistage.cu on the FP64 tensor cores of an A100, A800 or A30 (sm_80, m8n8k4), for medium and
// large C, without trmm. Not measured (docs/kernels/fp64.md).
#include "dmma_triangle.cuh"
#include "dmma_triangle_kernel.h"
#include "sm80_dmma_64x64x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm80Dmma64x64x32;

}  // namespace

LIBSGEMM_DMMA_CODE(sm80_dmma_64x64x32_multistage)

KernelList sm80_dmma_64x64x32_multistage() {
  return {dmma_kernel<DeviceCode>("sm80_dmma_64x64x32_multistage"),
          dmma_split_kernel<DeviceCode>("sm80_dmma_64x64x32_split_k")};
}

LIBSGEMM_DMMA_TRIANGLE_CODE(sm80_dmma_64x64x32_triangle)

KernelList sm80_dmma_64x64x32_triangle() {
  return {dmma_triangle_kernel<TriangleCode>("sm80_dmma_64x64x32_triangle"),
          dmma_triangle_split_kernel<TriangleCode>("sm80_dmma_64x64x32_triangle_split_k")};
}

}  // namespace libsgemm::cuda
