// C = alpha op(A) op(B) + beta C of FP32 matrices in math mode tf32 on sm_90, by wgmma. Main loop and sources:
// wgmma_engine.cuh; figures: docs/kernels/wgmma.md.
//
// wgmma truncates TF32 operands, so TMA rounds them as it copies. wgmma reads TF32 only K-major; one MN-major operand
// goes through registers, as x, so C is computed transposed if it is A. A pass (gpu/splits/splits_pass.h) writes
// operands that TMA cannot read, and the smaller one of two MN-major ones, to the workspace, K-major and rounded.
//
// Tile of C: 256 x 128, or 128 x 256 if A is MN-major. 224 KiB of shared memory, 4 stages.
//
// Requires: gemm of FP32, single or in strided batches; code for sm_90a; a workspace of 4 bytes for each element that
// the pass writes (rows of A and columns of B rounded up to multiples of 128). In a smaller one (at least 256 k) C
// accumulates panels of k.
#include "tf32_kernel.h"

namespace libsgemm::cuda {

LIBSGEMM_WGMMA_PACKED_CODE(sm90_wgmma_256x128x32_packed, 256, 4, 2)

KernelList sm90_wgmma_256x128x32_packed() {
  return packed_kernel<Tf32Code<Product>>("sm90_wgmma_256x128x32_packed", LIBSGEMM_MATH_TF32);
}

}  // namespace libsgemm::cuda
