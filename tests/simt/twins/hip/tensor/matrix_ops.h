// Replaces backends/hip/tensor/matrix_ops.h.
#pragma once

#include <cmath>
#include <cstring>

#include "gpu/gpu.h"
#include "hip/tensor/matrix_types.h"
#include "simt/fibers/matrix_instructions.h"

namespace libsgemm::hip {
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

template <typename To, typename From>
To bits_as(const From &from) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &from, sizeof result);
  return result;
}
inline uint32_t low_halves(uint32_t first, uint32_t second) { return (first & 0xffffu) | second << 16; }
inline uint32_t high_halves(uint32_t first, uint32_t second) { return first >> 16 | (second & 0xffff0000u); }
inline float read_here(float sum) { return sum; }
inline Floats2 fused(Floats2 a, float b, Floats2 c) {
  return Floats2{std::fma(a[0], b, c[0]), std::fma(a[1], b, c[1])};
}

inline Floats16 mfma_f32_32x32x2f32(float a, float b, Floats16 c) {
  return multiply(simt::mfma_f32_32x32x2f32, a, b, c);
}
inline Floats16 mfma_f32_32x32x4_xf32(Floats2 a, Floats2 b, Floats16 c) {
  return multiply(simt::mfma_f32_32x32x4_xf32, a, b, c);
}
inline Doubles4 mfma_f64_16x16x4f64(double a, double b, Doubles4 c) {
  return multiply(simt::mfma_f64_16x16x4f64, a, b, c);
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
