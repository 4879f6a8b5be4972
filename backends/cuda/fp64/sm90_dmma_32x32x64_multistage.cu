// sm90_dmma_64x64x32_multistage.cu with warps of 16 x 16, for small C; also symm.
#include "dmma_one_sided.cuh"
#include "dmma_one_sided_kernel.h"
#include "dmma_triangle.cuh"
#include "dmma_triangle_kernel.h"
#include "sm90_dmma_32x32x64.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_CODE(sm90_dmma_32x32x64_multistage)

KernelList sm90_dmma_32x32x64_multistage() {
  return {dmma_kernel<DeviceCode>("sm90_dmma_32x32x64_multistage"),
          dmma_split_kernel<DeviceCode>("sm90_dmma_32x32x64_split_k")};
}

LIBSGEMM_DMMA_TRIANGLE_CODE(sm90_dmma_32x32x64_triangle)

KernelList sm90_dmma_32x32x64_triangle() {
  return {dmma_triangle_kernel<TriangleCode>("sm90_dmma_32x32x64_triangle"),
          dmma_triangle_split_kernel<TriangleCode>("sm90_dmma_32x32x64_triangle_split_k")};
}

LIBSGEMM_DMMA_ONE_SIDED_CODE(sm90_dmma_32x32x64_trmm, trmm, triangular)

KernelList sm90_dmma_32x32x64_trmm() {
  return dmma_one_sided_kernel<sm90_dmma_32x32x64_trmm_code<false>>("sm90_dmma_32x32x64_trmm");
}

LIBSGEMM_DMMA_ONE_SIDED_CODE(sm90_dmma_32x32x64_symm, symm, symmetric)

KernelList sm90_dmma_32x32x64_symm() {
  return dmma_one_sided_kernel<sm90_dmma_32x32x64_symm_code<false>>("sm90_dmma_32x32x64_symm");
}

}  // namespace libsgemm::cuda
