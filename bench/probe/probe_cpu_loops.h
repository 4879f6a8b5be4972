// The loops that `libsgemm probe` times on a CPU, a set for each vector width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace command {

constexpr size_t kCpuFlopsPerLane = 2 * 12;  // of fma() in an iteration
constexpr size_t kCpuLine = 512;             // read() and copy() take multiples of it

struct CpuLoops {
  int bits;  // of a vector; 32: scalar
  void (*fma)(int64_t iterations);
  void (*read)(const char *from, size_t bytes);
  void (*copy)(char *to, const char *from, size_t bytes);
};

// Adds registers in a chain: a cycle for each addition on every known CPU.
void cpu_add_chain(int64_t additions);

// The loops for this CPU, narrowest first.
std::vector<CpuLoops> cpu_loops();

}  // namespace command
