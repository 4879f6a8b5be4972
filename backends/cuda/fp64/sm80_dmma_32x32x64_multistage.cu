// Like sm80_dmma_64x64x32_multistage.cu, but with warps of 16 x 16, for small C. Not measured (docs/kernels/fp64.md).
#include "dmma_triangle.cuh"
#include "dmma_triangle_kernel.h"
#include "sm80_dmma_32x32x64.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm80Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_CODE(sm80_dmma_32x32x64_multistage)

KernelList sm80_dmma_32x32x64_multistage() {
  return {dmma_kernel<DeviceCode>("sm80_dmma_32x32x64_multistage"),
          dmma_split_kernel<DeviceCode>("sm80_dmma_32x32x64_split_k")};
}

LIBSGEMM_DMMA_TRIANGLE_CODE(sm80_dmma_32x32x64_triangle)

KernelList sm80_dmma_32x32x64_triangle() {
  return {dmma_triangle_kernel<TriangleCode>("sm80_dmma_32x32x64_triangle"),
          dmma_triangle_split_kernel<TriangleCode>("sm80_dmma_32x32x64_triangle_split_k")};
}

}  // namespace libsgemm::cuda
