// Random choices.
#pragma once

#include <cstdint>

namespace libsgemm {

// A number in [0, count) for each `at`, by the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
inline int64_t draw(uint64_t seed, uint64_t at, int64_t count) {
  uint64_t z = seed + at * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<int64_t>((z ^ (z >> 31)) % static_cast<uint64_t>(count));
}

}  // namespace libsgemm
