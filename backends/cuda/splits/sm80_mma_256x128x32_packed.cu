// C = alpha op(A) op(B) + beta C of FP32 matrices in the math mode tf32. A pass rounds both operands to the nearest
// TF32 numbers, ties to even, and writes them to the workspace along k; this kernel multiplies them there.
//
// Compared with sm80_mma_256x128x32_multistage an element is rounded once, not by each warp that reads it, and operands
// may have any layout and alignment.
//
//   pass: block of 256 threads, 64 rows of an operand x 64 k, described in splits_pass.h
//
//   tile of C: 256 x 128, 4 x 2 warps
//   warp: 64 x 64, as in sm80_mma_256x128x64_multistage; the k of an instruction is 8
//
// Sources: NVIDIA, PTX ISA (mma.sync, ldmatrix and their fragment layouts). tensor_multistage.cuh describes the loop,
// tensor_tile.cuh the swizzle, mma.cuh the fragments.
//
// Shared memory, bytes: stage s of 3 at 49152 s: A at 0 (256 rows of 32 elements), B at 32768 (128 such rows). 147456
// in all. The epilogue reuses 33792 for accumulators: 32 columns of 264 floats.
//
// Requires: gemm of FP32, single or in strided batches; sm_80; 147456 bytes of shared memory per block; workspace for
// panels of k = 256: 4 k bytes for each row of A and column of B, whose numbers are rounded up to multiples of 128. A
// product that does not fit the workspace is multiplied in panels, which C accumulates. Any size, transposition and
// alignment.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; stages of shared memory; blocks,
// which with the threads bounds the registers; peak_fraction for the cost, relative to the rate of 16-bit numbers.
//
// Measured (H100, 1725 to 1980 MHz, TFLOP/s, pass included, 1 GiB of workspace; in brackets cuBLAS 13.1 in TF32 in the
// same run): NN 2048 168 (358), 4096 201 (398), 8192 209 (400); NT 4096 206 (253), 8192 219 (249). With 64 MiB NN 8192
// 172. The product alone 228 and 236; with 4 stages 231 and 237, with k-tiles of 16 213 and 217, with tiles of 128 x
// 128 220 and 220.
#include "gpu/kernels.h"
#include "gpu/splits/packed_row.h"
#include "runtime/device.h"
#include "splits/tf32_pass.h"
#include "tensor/mma.cuh"
#include "tensor/tensor_multistage.cuh"
#include "tensor/tensor_row.h"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::tf32, 256, 128, 32, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 3;
  static constexpr int blocks = 1;  // resident per multiprocessor
  static constexpr double peak_fraction = 0.47;
};

using Product = TensorProduct<Config, Number::tf32, MmaTileOf, MmaEngine, true, true>;

}  // namespace

__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm80_mma_256x128x32_packed(const __grid_constant__ StridedOperands operands,
                               const __grid_constant__ TileProblem p) {
  tensor_multistage<Product>(operands, p);
}

namespace {

// The kernel for operands that are TF32 numbers along k.
struct ProductRow {
  using Config = cuda::Config;
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_TF32;
  template <Number kNumber, bool AlongA, bool AlongB>
  static TensorInstance instance() {
    return {&sm80_mma_256x128x32_packed, Product::bytes};
  }
};

struct Row {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    static const Kernel kernel = tensor_kernel<ProductRow>("sm80_mma_256x128x32_packed");
    return {runs_code_of<Config::min_arch>,
            tf32_pass(),
            [](const GemmDesc &, bool) { return true; },
            Type::f32,
            LIBSGEMM_MATH_TF32,
            &kernel};
  }
};

}  // namespace

Kernel sm80_mma_256x128x32_packed() { return packed_kernel<Row>("sm80_mma_256x128x32_packed", LIBSGEMM_MATH_TF32); }

}  // namespace libsgemm::cuda
