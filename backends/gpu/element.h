// 16-bit elements to FP32, exact also for denormals, infinities and NaN; and back, to the nearest, ties to even.
#pragma once

#include "contract/desc.h"
#include "contract/half.h"
#include "gpu.h"

namespace libsgemm::gpu {

// Ignores the high half of `bits`.
template <Type kType>
__device__ __forceinline__ float widen(uint32_t bits) {
  static_assert(kType != Type::f32, "a 16-bit type");
#if defined(__HIP__)
  if constexpr (kType == Type::bf16) return __builtin_bit_cast(float, bits << 16);
  return static_cast<float>(__builtin_bit_cast(_Float16, static_cast<uint16_t>(bits)));
#elif defined(__CUDA_ARCH__)
  if constexpr (kType == Type::bf16) return __uint_as_float(bits << 16);
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<unsigned short>(bits)));
  return value;
#else
  const uint16_t element = static_cast<uint16_t>(bits);
  return kType == Type::bf16 ? bf16_to_float(element) : f16_to_float(element);
#endif
}

// On NVIDIA GPUs, bf16 requires sm_80.
template <Type kType>
__device__ __forceinline__ uint16_t narrow(float x) {
  static_assert(kType != Type::f32, "a 16-bit type");
#if defined(__HIP__)
  if constexpr (kType == Type::f16) return __builtin_bit_cast(uint16_t, static_cast<_Float16>(x));
  const uint32_t bits = __builtin_bit_cast(uint32_t, x), nearest = bits + 0x7fffu + (bits >> 16 & 1u);
  return static_cast<uint16_t>((x != x ? bits | 0x00400000u : nearest) >> 16);
#elif defined(__CUDA_ARCH__)
  uint16_t bits = 0;
  if constexpr (kType == Type::f16) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  } else {
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#endif
  }
  return bits;
#else
  return kType == Type::bf16 ? bf16_from_float(x) : f16_from_float(x);
#endif
}

}  // namespace libsgemm::gpu
