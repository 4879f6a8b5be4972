// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32, by wgmma.
#include "gpu/kernels.h"
#include "splits/packed_row.h"
#include "wgmma_row.h"

namespace libsgemm::cuda {

namespace {

template <int kCluster>
using ShapeOf = WgmmaShape<Number::tf32, ptx::AlongK<128>, ptx::AlongK<128>, 1, 256, 32, 4, kCluster>;

}  // namespace

template <int kCluster>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    sm90_wgmma_256x128x32_packed(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaProblem p) {
  wgmma_product<ShapeOf<kCluster>>(maps, p, PlainFinish());
}

namespace {

// Of operands that are TF32 numbers and lie along k.
struct ProductRow {
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_TF32;
  static constexpr Figures figures = {0.37, 0.05, 13, 5e-7};  // of the rate of 16-bit numbers
  static constexpr int most_cluster = 2;
  template <Number, bool, bool, int kCluster>
  using Shape = ShapeOf<kCluster>;
  template <Number, bool, bool, int kCluster>
  static WgmmaKernel kernel() {
    return &sm90_wgmma_256x128x32_packed<kCluster>;
  }
};

struct Row {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    static const Kernel kernel = wgmma_kernel<ProductRow>("sm90_wgmma_256x128x32_packed");
    return {90, tf32_pass(), [](const GemmDesc &, bool) { return true; }, Type::f32, LIBSGEMM_MATH_TF32, &kernel};
  }
};

}  // namespace

Kernel sm90_wgmma_256x128x32_packed() { return packed_kernel<Row>("sm90_wgmma_256x128x32_packed", LIBSGEMM_MATH_TF32); }

}  // namespace libsgemm::cuda
