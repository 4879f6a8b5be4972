// The second number of __launch_bounds__.
#pragma once

namespace libsgemm::cuda {

// How many blocks of a multiprocessor bound a kernel's registers. For sm_120 the compiler needs more of them than two
// blocks of 256 threads leave, and would spill.
constexpr int resident_blocks(int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
  return blocks == 2 ? 1 : blocks;
#else
  return blocks;
#endif
}

}  // namespace libsgemm::cuda
