// C = alpha op(A) op(B) + beta C in the math mode TF32, on tensor cores from sm_80: nvcuda::wmma, asynchronous copies
// several k-tiles ahead. It is sm80_wmma_256x128x32_multistage for floats, which are rounded to the nearest TF32
// number, ties to even, when a warp reads its fragments. It needs no workspace.
//
// Sources: NVIDIA, CUDA C++ Programming Guide (warp matrix functions, asynchronous copies); the loop is described in
// tensor_multistage.cuh, the fragments in wmma.cuh.
//
//   tile of C: 128 x 128         warp: 64 x 64 = 4 x 4 blocks of 16 x 16
//   +--------+--------+          wmma does not specify which lane holds what
//   | warp 0 | warp 2 |
//   +--------+--------+
//   | warp 1 | warp 3 |
//   +--------+--------+
//
// Shared memory, bytes: stage s of 4, A at 0, B after it. An operand that is contiguous along k: 128 rows of 16
// elements, 80 bytes apart, 10240; any other: 16 rows of 128, 528 apart, 8448. At most 81920 in all. At the end a warp
// has 4352 for its accumulators: 16 columns of 68 floats.
//
// Requires: gemm of FP32, single or in strided batches, whose columns and products all start at multiples of 16 bytes;
// sm_80; up to 81920 bytes of shared memory a block. Any size and transposition.
//
// Parameters (Config): tile_m, tile_n, tile_k of a block; warp_m, warp_n of a warp; stages of shared memory; blocks,
// which with the threads bounds the registers; peak_fraction for the cost, relative to the rate of 16-bit numbers.
//
// Measured (H100 at 1980 MHz, TFLOP/s; cuBLAS 13.1 in the same run in brackets): 4096 NN 113, NT 115, TN 116, TT 110
// (TF32: 389, 264, 391, 383); 1024 40 (129). Its fragments are read word by word.
#include "gpu/kernels.h"
#include "tensor_multistage.cuh"
#include "tensor_row.h"
#include "wmma.cuh"

namespace libsgemm::cuda {

namespace {

struct Config : TensorShape<Number::tf32, 128, 128, 16, 64, 64> {
  static constexpr int min_arch = 80;
  static constexpr int stages = 4;
  static constexpr int blocks = 2;  // resident on a multiprocessor
  static constexpr double peak_fraction = 0.2;
};

}  // namespace

LIBSGEMM_TENSOR_ROW(sm80_wmma_128x128x16_multistage, LIBSGEMM_MATH_TF32, Config, WmmaTileOf, WmmaEngine)

}  // namespace libsgemm::cuda
