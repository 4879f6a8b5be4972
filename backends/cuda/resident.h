#pragma once

namespace libsgemm::cuda {

// Second argument of __launch_bounds__. On sm_120 the compiler needs more registers than two blocks leave.
constexpr int resident_blocks(int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
  return blocks == 2 ? 1 : blocks;
#else
  return blocks;
#endif
}

}  // namespace libsgemm::cuda
