// C = alpha op(A) op(B) + beta C of FP16 or bfloat16 operands, with FP32 accumulators and FP32 C, on AMD GPUs with
// matrix cores that keep denormals. Also syrk (gpu/level3/triangle.h).
//
// Waves of 64 multiply blocks of 32 x 32 by v_mfma_f32_32x32x8 (bfloat16 on gfx908: 32x32x4; on gfx950: 32x32x16). Main
// loop and source: matrix.h; tiles in LDS: unit_tile.h; tile of C, waves and lanes: gfx908_mfma_128x128x16_ping_pong;
// machine code: docs/kernels/amd.md.
//
// Requires: gemm or syrk of FP16 or bfloat16 operands; gfx908, 942 or 950; any transposition, alignment and size. gemm:
// any batch; syrk: a strided batch. lda and ldb less than 2^23 - 128 for a K-major operand, otherwise less than 2^25 -
// 128. Not gfx90a, whose instructions for these types flush denormals.
#include "gpu/kernels.h"
#include "hip/level3/matrix_triangle.h"
#include "hip/tiles/widened_kernel.h"
#include "matrix.h"
#include "matrix_kernel.h"

namespace libsgemm::hip {

namespace {

template <Type kType>
struct Config : MatrixShape<MfmaWords<kType>, 128, 128, 32, 64, 64> {
  static constexpr int blocks = 2;  // gfx908: one
  static constexpr Fitted fitted = Fitted::gfx908_mfma_128x128x32_widened;
};

}  // namespace

template <Type kType, Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config<kType>::threads, Config<kType>::blocks)
    gfx908_mfma_128x128x32_widened(const __grid_constant__ Operands operands,
                                   const __grid_constant__ WidenedProblem p) {
  if constexpr (Config<kType>::Core::available) matrix_vectors<Config<kType>, KindA, KindB>(operands, p);
}

template <Type kType, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config<kType>::threads, Config<kType>::blocks)
    gfx908_mfma_128x128x32_widened_elements(const __grid_constant__ Operands operands,
                                            const __grid_constant__ WidenedProblem p) {
  if constexpr (Config<kType>::Core::available) matrix_elements<Config<kType>>(operands, p);
}

template <Type kType, Fetch Kind>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config<kType>::threads, Config<kType>::blocks)
    gfx908_mfma_128x128x32_widened_triangle(const __grid_constant__ StridedOperands operands,
                                            const __grid_constant__ TriangleProblem p) {
  if constexpr (Config<kType>::Core::available) matrix_syrk<Config<kType>, Kind>(operands, p);
}

namespace {

struct DeviceCode : MatrixCode<Config<Type::f16>> {
  static constexpr bool has_vectors = true, has_elements = true;
  static Tiling tiling(const GemmDesc &desc, int index) {
    Tiling tiling = MatrixCode::tiling(desc, index);
    if (device(index).family == Family::cdna1) tiling.blocks = 1;
    return tiling;
  }
  static bool runs_on(int index) { return has_mfma(index) && matrix_rate(index, Type::f16) > 0; }
  template <Type kType, Fetch KindA, Fetch KindB, typename Operands>
  static auto vector_kernel() {
    return &gfx908_mfma_128x128x32_widened<kType, KindA, KindB, Operands>;
  }
  template <Type kType, typename Operands>
  static auto kernel() {
    return &gfx908_mfma_128x128x32_widened_elements<kType, Operands>;
  }
  template <Type kType, Fetch Kind>
  static auto triangle_kernel() {
    return &gfx908_mfma_128x128x32_widened_triangle<kType, Kind>;
  }
};

}  // namespace

KernelList gfx908_mfma_128x128x32_widened() { return widened_kernel<DeviceCode>("gfx908_mfma_128x128x32_widened"); }
KernelList gfx908_mfma_128x128x32_widened_triangle() {
  return widened_triangle_kernel<DeviceCode>("gfx908_mfma_128x128x32_widened_triangle");
}

}  // namespace libsgemm::hip
