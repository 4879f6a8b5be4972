// Conversions of binary16 and bfloat16 to float are exact, NaN payloads included. Rounding floats to a math mode's
// inputs keeps NaN, Inf and signs of zeros.
#pragma once

#include <cstdint>
#include <cstring>

#include "host_device.h"
#include "libsgemm.h"
#include "math_mode.h"

namespace libsgemm {

LIBSGEMM_HOST_DEVICE inline uint32_t bits_of(float value) {
#if defined(__HIP__)  // has no memcpy for both
  return __builtin_bit_cast(uint32_t, value);
#else
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

LIBSGEMM_HOST_DEVICE inline float float_from_bits(uint32_t bits) {
#if defined(__HIP__)
  return __builtin_bit_cast(float, bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

inline float bf16_to_float(uint16_t bits) { return float_from_bits(static_cast<uint32_t>(bits) << 16); }

inline float f16_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return float_from_bits(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return float_from_bits(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

// No branch: loops vectorise.
LIBSGEMM_HOST_DEVICE inline uint32_t where(bool condition, uint32_t x, uint32_t y) {
  const uint32_t mask = 0u - static_cast<uint32_t>(condition);
  return (x & mask) | (y & ~mask);
}

// 11 significant bits, ties to even, as TMA converts. Infinite from 2^128 - 2^116.
LIBSGEMM_HOST_DEVICE inline float round_to_tf32(float value) {
  const uint32_t bits = bits_of(value);
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  return float_from_bits(finite ? (bits + 0xfffu + ((bits >> 13) & 1u)) & ~0x1fffu : bits);
}

// 8 significant bits, ties to even. Infinite from 2^128 - 2^119.
LIBSGEMM_HOST_DEVICE inline float round_to_bf16(float value) {
  const uint32_t bits = bits_of(value);
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  return float_from_bits(finite ? (bits + 0x7fffu + ((bits >> 16) & 1u)) & ~0xffffu : bits);
}

// 11 significant bits, below 2^-14 multiples of 2^-24, ties to even. Infinite from 65520.
LIBSGEMM_HOST_DEVICE inline float round_to_f16(float value) {
  const uint32_t bits = bits_of(value), sign = bits & 0x80000000u, magnitude = bits ^ sign;
  // Floats from 0.5 to 1 are multiples of 2^-24.
  const uint32_t small = bits_of((float_from_bits(magnitude) + 0.5f) - 0.5f);
  const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u)) & ~0x1fffu;
  const uint32_t finite = where(magnitude < 0x38800000u, small, where(magnitude >= 0x477ff000u, 0x7f800000u, normal));
  return float_from_bits(sign | where(magnitude > 0x7f800000u, magnitude, finite));
}

inline uint16_t bf16_from_float(float value) {
  const uint32_t bits = bits_of(round_to_bf16(value));
  return static_cast<uint16_t>(bits >> 16 | (value != value ? 0x40u : 0u));
}
inline uint16_t f16_from_float(float value) {
  const uint32_t bits = bits_of(round_to_f16(value)), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) return static_cast<uint16_t>(sign | (magnitude > 0x7f800000u ? 0x7fffu : 0x7c00u));
  if (magnitude >= 0x38800000u) return static_cast<uint16_t>(sign | (magnitude - (112u << 23)) >> 13);
  return static_cast<uint16_t>(sign | static_cast<uint32_t>(float_from_bits(magnitude) * 0x1p24f));
}

// Modes that split inputs keep all of it.
LIBSGEMM_HOST_DEVICE inline float rounded(float value, libsgemm_math_mode_t mode) {
  switch (mode_traits(mode).rounding) {
    case Rounding::tf32:
      return round_to_tf32(value);
    case Rounding::bf16:
      return round_to_bf16(value);
    case Rounding::f16:
      return round_to_f16(value);
    case Rounding::none:
      break;
  }
  return value;
}

}  // namespace libsgemm
