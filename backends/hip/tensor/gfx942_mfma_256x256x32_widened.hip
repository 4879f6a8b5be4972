// The product of gfx908_mfma_128x128x32_widened.hip on gfx942 and gfx950, with 2 x 4 waves of 128 x 64, for a large C.
// LDS does not limit this tile on gfx950 (docs/kernels/amd.md).
//
// Requires: gemm or syrk of FP16 or bfloat16 operands, one or a strided batch; gfx942 or 950; addresses that are
// multiples of 8 bytes; multiples of four elements for lda, ldb, the strides and the length of the contiguous
// dimension.
#include "gpu/kernels.h"
#include "hip/level3/matrix_triangle.h"
#include "hip/tiles/widened_kernel.h"
#include "matrix.h"
#include "matrix_kernel.h"

namespace libsgemm::hip {

namespace {

template <Type kType>
struct Config : MatrixShape<MfmaWords<kType>, 256, 256, 32, 128, 64> {
  static constexpr int blocks = 1;  // registers suffice for one
  static constexpr Fitted fitted = Fitted::gfx942_mfma_256x256x32_widened;
#if defined(LIBSGEMM_HIP_MFMA_BF16_1K)
  static constexpr bool available = MfmaWords<kType>::available;
#else
  static constexpr bool available = false;  // too few registers
#endif
};

}  // namespace

template <Type kType, Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config<kType>::threads, Config<kType>::blocks)
    gfx942_mfma_256x256x32_widened(const __grid_constant__ Operands operands,
                                   const __grid_constant__ WidenedProblem p) {
  if constexpr (Config<kType>::available) matrix_vectors<Config<kType>, KindA, KindB>(operands, p);
}

template <Type kType, Fetch Kind>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config<kType>::threads, Config<kType>::blocks)
    gfx942_mfma_256x256x32_widened_triangle(const __grid_constant__ StridedOperands operands,
                                            const __grid_constant__ TriangleProblem p) {
  if constexpr (Config<kType>::available) matrix_syrk<Config<kType>, Kind>(operands, p);
}

namespace {

struct DeviceCode : MatrixCode<Config<Type::f16>> {
  static constexpr bool has_vectors = true, has_elements = false;
  static bool runs_on(int index) { return device(index).family == Family::cdna3; }
  template <Type kType, Fetch KindA, Fetch KindB, typename Operands>
  static auto vector_kernel() {
    return &gfx942_mfma_256x256x32_widened<kType, KindA, KindB, Operands>;
  }
  template <Type kType, Fetch Kind>
  static auto triangle_kernel() {
    return &gfx942_mfma_256x256x32_widened_triangle<kType, Kind>;
  }
};

}  // namespace

KernelList gfx942_mfma_256x256x32_widened() { return widened_kernel<DeviceCode>("gfx942_mfma_256x256x32_widened"); }
KernelList gfx942_mfma_256x256x32_widened_triangle() {
  return widened_triangle_kernel<DeviceCode>("gfx942_mfma_256x256x32_widened_triangle");
}

}  // namespace libsgemm::hip
