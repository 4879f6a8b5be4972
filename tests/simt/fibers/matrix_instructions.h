// Matrix instructions. Places of elements follow AMD's matrix instruction calculator and, for mma.sync, NVIDIA's PTX
// ISA.
#pragma once

#include "simt.h"

namespace simt {

enum class MatrixType { f64, f32, f16, bf16 };  // tf32: rounded f32

struct MatrixPlace {
  int row, column;
};

// D = A * B + C; A m x k, B k x n; C and D share registers.
struct MatrixOp {
  const char *name;
  MatrixType type;
  unsigned wave;
  int m, n, k;
  int operand_elements, accumulators;  // per lane, in the order of registers, low half first
  int (*k_of)(int lane, int element);  // A: row lane % m, column k_of(); B: row k_of(), column lane % n
  MatrixPlace (*c_of)(int lane, int accumulator);
  // If the outer dimension does not follow from the lane: the row of A (k_of is then A's), and the place in B.
  int (*row_of_a)(int lane, int element) = nullptr;
  MatrixPlace (*b_of)(int lane, int element) = nullptr;
  int b_elements = 0;
};

// Waves of 64. bf16 without 1k: gfx908. gfx90a's halves flush subnormal numbers, these do not; the backend does not use
// them there.
extern const MatrixOp mfma_f32_32x32x2f32, mfma_f32_32x32x8f16, mfma_f32_32x32x4bf16, mfma_f32_32x32x8bf16_1k;
extern const MatrixOp mfma_f32_32x32x4_xf32, mfma_f64_16x16x4f64;
// Waves of 32: gfx11, whose half waves have the same operands, and gfx12.
extern const MatrixOp wmma_f32_16x16x16_f16, wmma_f32_16x16x16_bf16;
extern const MatrixOp wmma_f32_16x16x16_f16_gfx12, wmma_f32_16x16x16_bf16_gfx12;

// True: FP64 products are added in pairs, in an order that a chip might have.
extern bool f64_adds_pairs;

extern const MatrixOp mma_f16, mma_bf16, mma_tf32, mma_f64, mma_f64_m8n8k4;
// nvcuda::wmma, m16n16k16 and m16n16k8. Places are undocumented: any will do.
extern const MatrixOp wmma_f16, wmma_bf16, wmma_tf32;

}  // namespace simt
