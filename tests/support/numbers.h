// Random numbers, the same on every machine, and conversions of numbers, which share no code with the library.
#pragma once

#include <cstdint>
#include <cstring>

// Compiles a hot function for several vector widths; the program chooses one at run time.
#if defined(__x86_64__)
#define SGEMM_TEST_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SGEMM_TEST_VECTORS
#endif

namespace sgemm_test {

constexpr double kUnitRoundoff = 1.0 / 16777216.0;

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  int integer(int low, int high) {
    return low + static_cast<int>(next() % static_cast<uint64_t>(static_cast<int64_t>(high) - low + 1));
  }

  // Multiple of 2^-24 in (-1, 1), never zero.
  float uniform() {
    const float magnitude = static_cast<float>(1 + next() % 16777215u) / 16777216.0f;
    return next() % 2 == 0 ? magnitude : -magnitude;
  }

 private:
  uint64_t state_;
};

inline uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_of_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Round to nearest even; NaN stays NaN.
uint16_t half_from_float(float value);
uint16_t bfloat16_from_float(float value);

// Nearest float of 11 significant bits, ties to even.
float tf32_from_float(float value);

float float_from_half(uint16_t bits);
float float_from_bfloat16(uint16_t bits);

}  // namespace sgemm_test
