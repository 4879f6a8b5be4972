// Stands for backends/hip/matrix_ops.h: the same functions, on the CPU.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpu/gpu.h"
#include "matrix_instructions.h"

#if defined(__gfx908__) || defined(__gfx942__) || defined(__gfx90a__)
#define LIBSGEMM_HIP_MFMA 1
#endif
#if defined(LIBSGEMM_HIP_MFMA) && !defined(__gfx908__)
#define LIBSGEMM_HIP_MFMA_BF16_1K 1
#endif
#if defined(__gfx1100__)
#define LIBSGEMM_HIP_WMMA_GFX11 1
#endif
#if defined(__gfx1201__)
#define LIBSGEMM_HIP_WMMA_GFX12 1
#endif

namespace libsgemm::hip {

using Floats8 = float __attribute__((vector_size(32)));
using Floats16 = float __attribute__((vector_size(64)));
using Words2 = uint32_t __attribute__((vector_size(8)));
using Words4 = uint32_t __attribute__((vector_size(16)));
using Words8 = uint32_t __attribute__((vector_size(32)));

namespace ops {

template <typename Operand, typename Sums>
Sums multiply(const simt::MatrixOp &op, const Operand &a, const Operand &b, const Sums &c) {
  float sums[sizeof(Sums) / sizeof(float)];
  std::memcpy(sums, &c, sizeof sums);
  simt::matrix_multiply(op, &a, &b, sums);
  Sums result;
  std::memcpy(&result, sums, sizeof sums);
  return result;
}

inline Floats16 mfma_f32_32x32x2f32(float a, float b, Floats16 c) {
  return multiply(simt::mfma_f32_32x32x2f32, a, b, c);
}
inline Floats16 mfma_f32_32x32x8f16(Words2 a, Words2 b, Floats16 c) {
  return multiply(simt::mfma_f32_32x32x8f16, a, b, c);
}
inline Floats16 mfma_f32_32x32x8bf16_1k(Words2 a, Words2 b, Floats16 c) {
  return multiply(simt::mfma_f32_32x32x8bf16_1k, a, b, c);
}
inline Floats16 mfma_f32_32x32x4bf16(uint32_t a, uint32_t b, Floats16 c) {
  return multiply(simt::mfma_f32_32x32x4bf16, a, b, c);
}
inline Floats8 wmma_f32_16x16x16_f16(Words8 a, Words8 b, Floats8 c) {
  return multiply(simt::wmma_f32_16x16x16_f16, a, b, c);
}
inline Floats8 wmma_f32_16x16x16_bf16(Words8 a, Words8 b, Floats8 c) {
  return multiply(simt::wmma_f32_16x16x16_bf16, a, b, c);
}
inline Floats8 wmma_f32_16x16x16_f16_gfx12(Words4 a, Words4 b, Floats8 c) {
  return multiply(simt::wmma_f32_16x16x16_f16_gfx12, a, b, c);
}
inline Floats8 wmma_f32_16x16x16_bf16_gfx12(Words4 a, Words4 b, Floats8 c) {
  return multiply(simt::wmma_f32_16x16x16_bf16_gfx12, a, b, c);
}

}  // namespace ops
}  // namespace libsgemm::hip
