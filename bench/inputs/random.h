// splitmix64: the same on every machine, unlike the standard library's distributions.
#pragma once

#include <cstdint>

namespace command {

inline uint64_t next_random(uint64_t *state) {
  uint64_t x = (*state += 0x9e3779b97f4a7c15u);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Uniform in [0, 1).
inline double uniform_random(uint64_t *state) { return static_cast<double>(next_random(state) >> 11) * 0x1p-53; }

}  // namespace command
