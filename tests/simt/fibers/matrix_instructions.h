// Matrix instructions: those of AMD's GPUs, as AMD's matrix instruction calculator describes where each element lies,
// and mma.sync, as NVIDIA's PTX ISA does.
#pragma once

#include "simt.h"

namespace simt {

enum class MatrixType { f64, f32, f16, bf16 };  // tf32: f32, whose numbers must be rounded

struct MatrixPlace {
  int row, column;
};

// D = A * B + C, A m x k, B k x n; C and D share their registers.
struct MatrixOp {
  const char *name;
  MatrixType type;
  unsigned wave;
  int m, n, k;
  int operand_elements, accumulators;  // in each lane; operands in the order of its registers, low half first
  int (*k_of)(int lane, int element);  // A is at row lane % m, column k_of(); B at row k_of(), column lane % n
  MatrixPlace (*c_of)(int lane, int accumulator);
  // Maps for instructions whose outer dimension does not follow from the lane alone: the row of A (k_of is then for A
  // only), and the place in B.
  int (*row_of_a)(int lane, int element) = nullptr;
  MatrixPlace (*b_of)(int lane, int element) = nullptr;
  int b_elements = 0;
};

// Waves of 64. bf16 without 1k: gfx908 only. (On gfx90a, instructions for halves flush subnormal numbers to zero, which
// these do not; the backend does not use them there.)
extern const MatrixOp mfma_f32_32x32x2f32, mfma_f32_32x32x8f16, mfma_f32_32x32x4bf16, mfma_f32_32x32x8bf16_1k;
extern const MatrixOp mfma_f32_32x32x4_xf32, mfma_f64_16x16x4f64;
// Waves of 32: gfx11, where both halves of a wave bring the same operands, and gfx12.
extern const MatrixOp wmma_f32_16x16x16_f16, wmma_f32_16x16x16_bf16;
extern const MatrixOp wmma_f32_16x16x16_f16_gfx12, wmma_f32_16x16x16_bf16_gfx12;

// mma.sync.m16n8k16, .m16n8k8 and .m8n8k4.
extern const MatrixOp mma_f16, mma_bf16, mma_tf32, mma_f64, mma_f64_m8n8k4;
// Instructions of nvcuda::wmma, m16n16k16 and m16n16k8. Their places are not documented: any will do.
extern const MatrixOp wmma_f16, wmma_bf16, wmma_tf32;

}  // namespace simt
