// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32 on sm_90, by warpgroup instructions. They read
// TF32 along k only, and cut off what they do not use (bits that nobody rounded doubled the error). So TMA rounds to
// the nearest TF32 numbers as it copies, ties to even, and operands that lie otherwise, or where TMA cannot take them,
// are first written to the workspace along k, rounded as well.
//
//   pass: block of 256 threads, 64 rows of an operand x 64 steps of k, described in gpu/splits/splits_pass.h
//
//   tile of C: 256 x 128, as in sm90_wgmma_256x128x64; an instruction takes 8 steps of k
//
// Sources: as the engine's (wgmma_engine.cuh).
//
// Shared memory, bytes: stage s of 4 at 49152 s: x at 0 (128 rows of 32 numbers), y at 16384 (256 rows); then 32768 of
// boxes on their way to C and 64 of barriers. 229440 in all.
//
// Requires: gemm of FP32, single or in strided batches; code for sm_90a; workspace for panels of 256 steps of k of what
// is written: 4 bytes for each row of A and column of B (up to multiples of 128) and step. What the workspace does not
// hold at once is multiplied in panels, which C accumulates. Any size, transposition and alignment.
//
// Parameters (ShapeOf): those of WgmmaShape.
//
// Measured (H100 SXM at 1530 to 1980 MHz, limited by power; TFLOP/s, pass included, 1 GiB of workspace; in brackets the
// time of cuBLAS 13.1 in TF32 over ours in the same run): 2048 NN 293 (0.82), NT 243 (1.10), TN 371 (1.06), TT 287
// (0.83); 4096 NN 341 (0.90), NT 326 (1.28), TN 377 (1.01), TT 339 (0.90); 8192 NN 376 (0.96; 1.03 in another run), NT
// 375 (1.48), TN 378 (1.01), TT 366 (1.02); 4095 300 (2.2 to 2.5). With both operands rounded by the pass 4096 reached
// 311 in each. What is left is the pass over an operand along the other side, a tenth of the time at 4096.
#include "gpu/kernels.h"
#include "gpu/splits/packed_row.h"
#include "runtime/device.h"
#include "splits/tf32_pass.h"
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

// Whether TMA cannot bring an operand as wgmma reads it.
bool packs(const GemmDesc &desc, bool of_a) {
  if (!(of_a ? along_k_a(desc) : along_k_b(desc))) return true;
  const int64_t stride = desc.batch == Batch::strided ? (of_a ? desc.stride_a : desc.stride_b) : 0;
  const int64_t ld = of_a ? desc.lda : desc.ldb;
  return (reinterpret_cast<uintptr_t>(of_a ? desc.a : desc.b) % 16 | static_cast<uint64_t>(ld | stride) % 4) != 0;
}

struct Row {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    static const Kernel kernel = wgmma_kernel<ProductRow>("sm90_wgmma_256x128x32_packed");
    return {runs_code_of<90>, tf32_pass(), packs, Type::f32, LIBSGEMM_MATH_TF32, &kernel};
  }
};

}  // namespace

Kernel sm90_wgmma_256x128x32_packed() { return packed_kernel<Row>("sm90_wgmma_256x128x32_packed", LIBSGEMM_MATH_TF32); }

}  // namespace libsgemm::cuda
