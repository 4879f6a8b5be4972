// Elements of the 16-bit types as FP32, on any device: exact, with denormals, infinities and NaN.
#pragma once

#include "desc.h"
#include "gpu.h"
#include "half.h"

namespace libsgemm::gpu {

// `bits`: of the element, in its low half; what is above them does not count.
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

}  // namespace libsgemm::gpu
