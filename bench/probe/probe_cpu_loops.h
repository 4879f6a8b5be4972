#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace command {

constexpr size_t kCpuFlopsPerLane = 2 * 12;  // FLOP of fma() in one iteration
constexpr size_t kCpuLine = 512;             // read() and copy() take multiples of it

struct CpuLoops {
  int bits;  // vector width; 32: scalar
  void (*fma)(int64_t iterations);
  void (*read)(const char *from, size_t bytes);
  void (*copy)(char *to, const char *from, size_t bytes);
};

// Adds registers in a chain: every known CPU takes a cycle for each.
void cpu_add_chain(int64_t additions);

// The narrowest come first.
std::vector<CpuLoops> cpu_loops();

}  // namespace command
