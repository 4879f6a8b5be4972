// sm90_dmma_64x64x32_grouped.cu with the tiles of sm90_dmma_32x32x64_multistage.cu, for few rows or columns.
#include "cuda/fp64/sm90_dmma_32x32x64.h"
#include "dmma_grouped.cuh"
#include "dmma_grouped_kernel.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma32x32x64;

}  // namespace

LIBSGEMM_DMMA_GROUPED_CODE(sm90_dmma_32x32x64_grouped)

KernelList sm90_dmma_32x32x64_grouped() { return dmma_grouped_kernel<DeviceCode>("sm90_dmma_32x32x64_grouped"); }

}  // namespace libsgemm::cuda
