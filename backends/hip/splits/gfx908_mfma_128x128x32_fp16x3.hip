// C = alpha op(A) op(B) + beta C of FP32 matrices with FP32-level error, from three products of FP16 on matrix cores
// (mode fp16x3; gfx908, 942, 950): A = A0 + A1, B = B0 + B1, C = A1 B0 + A0 B1 + A0 B0. Machine code:
// docs/kernels/amd.md.
//
// gfx908_mfma_128x128x32_fp32_fast: the same for mode fp32_fast (docs/kernels/splits.md) on gfx942 and 950.
//
// Launches: gpu/splits/split_kernel.h. Main loop: split_product.h. Splits, and sources: gpu/splits/splits.h. Tile,
// waves and lanes: gfx908_mfma_128x128x16_ping_pong, with three sets of sums. LDS, 64 KiB: 2 buffers of A0, A1, B0, B1.
//
// Requires: gemm of FP32, single or in strided batches; gfx908, 942 or 950; any size, transposition and alignment;
// workspace: 4 bytes for each element of a panel of A and B (k = 256; m, n rounded up to 128), each row and each
// column. Not gfx90a, whose FP16 instructions flush the denormals of splits. fp32_fast: 4 more bytes for each row and
// column, and FP64 matrix cores, which gfx908 does not have.
#include "gpu/kernels.h"
#include "gpu/splits/keeping_bound.h"
#include "split_matrix_kernel.h"

namespace libsgemm::hip {

namespace {

struct Config : SplitShape<Type::f16, 32, 2> {
  static constexpr int blocks = 1;
  static constexpr double peak_fraction = 0.7;  // share of the matrix cores' peak; assumed
};

}  // namespace

__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config::threads, Config::blocks)
    gfx908_mfma_128x128x32_fp16x3(const __grid_constant__ StridedOperands operands,
                                  const __grid_constant__ SplitProblem p) {
  if constexpr (Config::Core::available) split_product<Config>(operands, p);
}

namespace {

struct DeviceCode {
  static SplitProduct product() { return split_product_of<Config, gfx908_mfma_128x128x32_fp16x3>(Scheme::fp16x2); }
};

}  // namespace

KernelList gfx908_mfma_128x128x32_fp16x3() {
  return {split_product_kernel<DeviceCode>("gfx908_mfma_128x128x32_fp16x3", LIBSGEMM_MATH_FP16X3),
          fp32_fast_kernel<DeviceCode>("gfx908_mfma_128x128x32_fp32_fast")};
}
}  // namespace libsgemm::hip
