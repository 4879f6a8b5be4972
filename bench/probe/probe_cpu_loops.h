// The loops that `libsgemm probe` times on a CPU, once for each width of vectors that it may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace command {

constexpr size_t kCpuFlopsPerLane = 2 * 12;  // of fma() in one iteration
constexpr size_t kCpuLine = 512;             // of which read() and copy() take whole ones

struct CpuLoops {
  int bits;  // of a vector; 32: one number
  void (*fma)(int64_t iterations);
  void (*read)(const char *from, size_t bytes);
  void (*copy)(char *to, const char *from, size_t bytes);
};

// So many additions of registers, each of what the one before gave: a cycle each on every CPU there is.
void cpu_add_chain(int64_t additions);

// Those that this CPU can run, the narrowest first.
std::vector<CpuLoops> cpu_loops();

}  // namespace command
