// The matrix instructions of AMD's GPUs, as AMD's matrix instruction calculator describes where each element lies.
#pragma once

#include "simt.h"

namespace simt {

enum class MatrixType { f32, f16, bf16 };

struct MatrixPlace {
  int row, column;
};

// D = A * B + C, A m x k, B k x n; C and D share their registers.
struct MatrixOp {
  const char *name;
  MatrixType type;
  unsigned wave;
  int m, n, k;
  int operand_elements, accumulators;  // of a lane; an operand's in the order of its registers, low half first
  int (*k_of)(int lane, int element);  // A is at row lane % m, column k_of(); B at row k_of(), column lane % n
  MatrixPlace (*c_of)(int lane, int accumulator);
};

// Waves of 64. bf16 without 1k: gfx908 only. (Those for halves of gfx90a take subnormal numbers as zeros, which these
// do not; the backend does not use them there.)
extern const MatrixOp mfma_f32_32x32x2f32, mfma_f32_32x32x8f16, mfma_f32_32x32x4bf16, mfma_f32_32x32x8bf16_1k;
// Waves of 32: gfx11, where both halves of a wave bring the same operands, and gfx12.
extern const MatrixOp wmma_f32_16x16x16_f16, wmma_f32_16x16x16_bf16;
extern const MatrixOp wmma_f32_16x16x16_f16_gfx12, wmma_f32_16x16x16_bf16_gfx12;

}  // namespace simt
