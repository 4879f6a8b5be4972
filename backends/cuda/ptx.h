// Instructions that CUDA C++ has no name for, one inline function each. Where the architecture lacks an instruction, or
// the code runs on a CPU, the function does the same in plain C++.
#pragma once

#include <cstdint>

namespace libsgemm::cuda::ptx {

// ---- Asynchronous copies from global to shared memory (sm_80). `valid` false: writes zeros and reads nothing.

__device__ __forceinline__ void copy_async_4(float *shared, const float *global, bool valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(target), "l"(global), "r"(valid ? 4 : 0)
               : "memory");
#else
  *shared = valid ? *global : 0.0f;
#endif
}

// Both addresses are multiples of 16 bytes.
__device__ __forceinline__ void copy_async_16(float *shared, const float *global, bool valid) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const uint32_t target = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global), "r"(valid ? 16 : 0)
               : "memory");
#else
  *reinterpret_cast<float4 *>(shared) =
      valid ? *reinterpret_cast<const float4 *>(global) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#endif
}

// Closes the group of copies that the thread has issued since the last one.
__device__ __forceinline__ void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most `Pending` of the thread's latest groups are under way.
template <int Pending>
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

}  // namespace libsgemm::cuda::ptx
