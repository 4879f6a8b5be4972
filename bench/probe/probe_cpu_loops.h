// The loops that `libsgemm probe` times on a CPU, one set for each width of vectors that the CPU may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace command {

constexpr size_t kCpuFlopsPerLane = 2 * 12;  // by fma() in one iteration
constexpr size_t kCpuLine = 512;             // bytes; read() and copy() take multiples of it

struct CpuLoops {
  int bits;  // width of a vector; 32: one number
  void (*fma)(int64_t iterations);
  void (*read)(const char *from, size_t bytes);
  void (*copy)(char *to, const char *from, size_t bytes);
};

// Makes `additions` additions of registers, each to the result of the previous one: a cycle each on every known CPU.
void cpu_add_chain(int64_t additions);

// Returns the loops that this CPU can run, the narrowest first.
std::vector<CpuLoops> cpu_loops();

}  // namespace command
