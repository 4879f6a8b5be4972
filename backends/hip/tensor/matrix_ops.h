// One function for each matrix instruction, D = A * B + C in blocks of 32 x 32 or 16 x 16, which all lanes of the wave
// must call. Elements of a lane: matrix_cores.h. tests/simt replaces this header on the CPU.
#pragma once

#include "gpu/gpu.h"
#include "matrix_types.h"

namespace libsgemm::hip {
namespace ops {

template <typename To, typename From>
__device__ __forceinline__ To bits_as(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "the same registers");
  return __builtin_bit_cast(To, from);
}

// One instruction; the compiler needs two. The first word's half is the low one.
__device__ __forceinline__ uint32_t low_halves(uint32_t first, uint32_t second) {
  return __builtin_amdgcn_perm(second, first, 0x05040100u);
}
__device__ __forceinline__ uint32_t high_halves(uint32_t first, uint32_t second) {
  return __builtin_amdgcn_perm(second, first, 0x07060302u);
}

// Moves one accumulator from the matrix cores' own registers here; the compiler would move all as soon as they are
// complete.
__device__ __forceinline__ float read_here(float sum) {
#if defined(__clang_major__) && __clang_major__ < 22
  gpu::pin(sum);
#endif
  return sum;
}

#if defined(LIBSGEMM_HIP_MFMA)
using Half4 = _Float16 __attribute__((ext_vector_type(4)));
using Short2 = short __attribute__((ext_vector_type(2)));
using Short4 = short __attribute__((ext_vector_type(4)));
using Sums16 = float __attribute__((ext_vector_type(16)));

__device__ __forceinline__ Floats16 mfma_f32_32x32x2f32(float a, float b, Floats16 c) {
  return bits_as<Floats16>(__builtin_amdgcn_mfma_f32_32x32x2f32(a, b, bits_as<Sums16>(c), 0, 0, 0));
}
__device__ __forceinline__ Floats16 mfma_f32_32x32x8f16(Words2 a, Words2 b, Floats16 c) {
  return bits_as<Floats16>(
      __builtin_amdgcn_mfma_f32_32x32x8f16(bits_as<Half4>(a), bits_as<Half4>(b), bits_as<Sums16>(c), 0, 0, 0));
}
#if defined(LIBSGEMM_HIP_MFMA_F64)
using Sums4 = double __attribute__((ext_vector_type(4)));

__device__ __forceinline__ Doubles4 mfma_f64_16x16x4f64(double a, double b, Doubles4 c) {
  return bits_as<Doubles4>(__builtin_amdgcn_mfma_f64_16x16x4f64(a, b, bits_as<Sums4>(c), 0, 0, 0));
}
#endif
#if defined(LIBSGEMM_HIP_MFMA_XF32)
using Pair = float __attribute__((ext_vector_type(2)));

// One instruction.
__device__ __forceinline__ Floats2 fused(Floats2 a, float b, Floats2 c) {
  return bits_as<Floats2>(__builtin_elementwise_fma(bits_as<Pair>(a), Pair{b, b}, bits_as<Pair>(c)));
}

__device__ __forceinline__ Floats16 mfma_f32_32x32x4_xf32(Floats2 a, Floats2 b, Floats16 c) {
  return bits_as<Floats16>(
      __builtin_amdgcn_mfma_f32_32x32x4_xf32(bits_as<Pair>(a), bits_as<Pair>(b), bits_as<Sums16>(c), 0, 0, 0));
}
#endif
#if defined(LIBSGEMM_HIP_MFMA_K16)
using Half8 = _Float16 __attribute__((ext_vector_type(8)));
using Bfloat8 = __bf16 __attribute__((ext_vector_type(8)));

__device__ __forceinline__ Floats16 mfma_f32_32x32x16_f16(Words4 a, Words4 b, Floats16 c) {
  return bits_as<Floats16>(
      __builtin_amdgcn_mfma_f32_32x32x16_f16(bits_as<Half8>(a), bits_as<Half8>(b), bits_as<Sums16>(c), 0, 0, 0));
}
__device__ __forceinline__ Floats16 mfma_f32_32x32x16_bf16(Words4 a, Words4 b, Floats16 c) {
  return bits_as<Floats16>(
      __builtin_amdgcn_mfma_f32_32x32x16_bf16(bits_as<Bfloat8>(a), bits_as<Bfloat8>(b), bits_as<Sums16>(c), 0, 0, 0));
}
#endif
#if defined(LIBSGEMM_HIP_MFMA_BF16_1K)
__device__ __forceinline__ Floats16 mfma_f32_32x32x8bf16_1k(Words2 a, Words2 b, Floats16 c) {
  return bits_as<Floats16>(
      __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(bits_as<Short4>(a), bits_as<Short4>(b), bits_as<Sums16>(c), 0, 0, 0));
}
#else
__device__ __forceinline__ Floats16 mfma_f32_32x32x4bf16(uint32_t a, uint32_t b, Floats16 c) {
  return bits_as<Floats16>(
      __builtin_amdgcn_mfma_f32_32x32x4bf16(bits_as<Short2>(a), bits_as<Short2>(b), bits_as<Sums16>(c), 0, 0, 0));
}
#endif
#endif

#if defined(LIBSGEMM_HIP_WMMA_GFX11)
using Half16 = _Float16 __attribute__((ext_vector_type(16)));
using Short16 = short __attribute__((ext_vector_type(16)));
using Sums8 = float __attribute__((ext_vector_type(8)));

__device__ __forceinline__ Floats8 wmma_f32_16x16x16_f16(Words8 a, Words8 b, Floats8 c) {
  return bits_as<Floats8>(
      __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(bits_as<Half16>(a), bits_as<Half16>(b), bits_as<Sums8>(c)));
}
__device__ __forceinline__ Floats8 wmma_f32_16x16x16_bf16(Words8 a, Words8 b, Floats8 c) {
  return bits_as<Floats8>(
      __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(bits_as<Short16>(a), bits_as<Short16>(b), bits_as<Sums8>(c)));
}
#endif

#if defined(LIBSGEMM_HIP_WMMA_GFX12)
using Half8 = _Float16 __attribute__((ext_vector_type(8)));
using Short8 = short __attribute__((ext_vector_type(8)));
using Sums8 = float __attribute__((ext_vector_type(8)));

__device__ __forceinline__ Floats8 wmma_f32_16x16x16_f16_gfx12(Words4 a, Words4 b, Floats8 c) {
  return bits_as<Floats8>(
      __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(bits_as<Half8>(a), bits_as<Half8>(b), bits_as<Sums8>(c)));
}
__device__ __forceinline__ Floats8 wmma_f32_16x16x16_bf16_gfx12(Words4 a, Words4 b, Floats8 c) {
  return bits_as<Floats8>(
      __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(bits_as<Short8>(a), bits_as<Short8>(b), bits_as<Sums8>(c)));
}
#endif

}  // namespace ops
}  // namespace libsgemm::hip
