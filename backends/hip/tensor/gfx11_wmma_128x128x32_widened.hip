// As gfx908_mfma_128x128x32_widened.hip, on AMD GPUs with WMMA (gfx11, gfx12): 2 x 4 waves of 32 multiply 4 x 2 blocks
// of 16 x 16 by v_wmma_f32_16x16x16.
#include "gpu/kernels.h"
#include "hip/level3/matrix_triangle.h"
#include "hip/tiles/widened_kernel.h"
#include "matrix.h"
#include "matrix_kernel.h"

namespace libsgemm::hip {

namespace {

template <Type kType>
struct Config : MatrixShape<WmmaWords<kType>, 128, 128, 32, 64, 32> {
  static constexpr int blocks = 2;  // gfx11: one
  static constexpr Fitted fitted = Fitted::gfx11_wmma_128x128x32_widened;
};

}  // namespace

template <Type kType, Fetch KindA, Fetch KindB, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config<kType>::threads, Config<kType>::blocks)
    gfx11_wmma_128x128x32_widened(const __grid_constant__ Operands operands, const __grid_constant__ WidenedProblem p) {
  if constexpr (Config<kType>::Core::available) matrix_vectors<Config<kType>, KindA, KindB>(operands, p);
}

template <Type kType, typename Operands>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config<kType>::threads, Config<kType>::blocks)
    gfx11_wmma_128x128x32_widened_elements(const __grid_constant__ Operands operands,
                                           const __grid_constant__ WidenedProblem p) {
  if constexpr (Config<kType>::Core::available) matrix_elements<Config<kType>>(operands, p);
}

template <Type kType, Fetch Kind>
__global__ void LIBSGEMM_LAUNCH_BOUNDS(Config<kType>::threads, Config<kType>::blocks)
    gfx11_wmma_128x128x32_widened_triangle(const __grid_constant__ StridedOperands operands,
                                           const __grid_constant__ TriangleProblem p) {
  if constexpr (Config<kType>::Core::available) matrix_syrk<Config<kType>, Kind>(operands, p);
}

namespace {

struct DeviceCode : MatrixCode<Config<Type::f16>> {
  static constexpr bool has_vectors = true, has_elements = true;
  static Tiling tiling(const GemmDesc &desc, int index) {
    Tiling tiling = MatrixCode::tiling(desc, index);
    if (device(index).family == Family::rdna3) tiling.blocks = 1;
    return tiling;
  }
  static bool runs_on(int index) { return !has_mfma(index) && matrix_rate(index, Type::f16) > 0; }
  template <Type kType, Fetch KindA, Fetch KindB, typename Operands>
  static auto vector_kernel() {
    return &gfx11_wmma_128x128x32_widened<kType, KindA, KindB, Operands>;
  }
  template <Type kType, typename Operands>
  static auto kernel() {
    return &gfx11_wmma_128x128x32_widened_elements<kType, Operands>;
  }
  template <Type kType, Fetch Kind>
  static auto triangle_kernel() {
    return &gfx11_wmma_128x128x32_widened_triangle<kType, Kind>;
  }
};

}  // namespace

KernelList gfx11_wmma_128x128x32_widened() { return widened_kernel<DeviceCode>("gfx11_wmma_128x128x32_widened"); }
KernelList gfx11_wmma_128x128x32_widened_triangle() {
  return widened_triangle_kernel<DeviceCode>("gfx11_wmma_128x128x32_widened_triangle");
}

}  // namespace libsgemm::hip
