// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32 on sm_90, by warpgroup instructions: both
// operands are rounded to the nearest TF32 numbers, ties away from zero, and written to the workspace along k, since
// wgmma reads TF32 along k only and cuts off what it does not use (an operand that was left as it lies doubled the
// error).
//
//   pass: block of 256 threads, 64 rows of an operand x 64 steps of k, described in splits/splits.cuh
//
//   tile of C: 256 x 128, as in sm90_wgmma_256x128x64; an instruction takes 8 steps of k
//
// Sources: as the engine's (wgmma_engine.cuh).
//
// Shared memory, bytes: stage s of 4 at 49152 s: x at 0 (128 rows of 32 numbers), y at 16384 (256 rows); then 32768 of
// boxes on their way to C and 64 of barriers. 229440 in all.
//
// Requires: gemm of FP32, single or in strided batches; code for sm_90a; workspace for panels of 256 steps of k: 4
// bytes for each row of A and column of B (up to multiples of 128) and step. What the workspace does not hold at once
// is multiplied in panels, which C accumulates. Any size, transposition and alignment.
//
// Parameters (ShapeOf): those of WgmmaShape.
//
// Measured (H100 SXM, limited by power at 8192; TFLOP/s, pass included, 1 GiB of workspace; cuBLAS 13.1 in TF32 in the
// same run in brackets): 4096 NN 311 (391), NT 311 (253), TN 311 (388), TT 311 (386); 8192 NN 331 (357), NT 351 (233),
// TN 323 (356), TT 338 (346). The product alone reaches 396 at 4096 TN (399): the pass takes a fifth of the time there.
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
  static constexpr Fitted fitted = Fitted::sm90_wgmma_256x128x32_packed;  // of the rate of 16-bit numbers
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
