// Names that CUDA C++, HIP and the CPU (tests/simt) spell differently.
#pragma once

#include <cstdint>
#include <type_traits>

#include "vendor.h"

// CUDA marks parameters that a kernel only reads, so that the compiler makes no copy.
#if defined(__HIP__) && !defined(__grid_constant__)
#define __grid_constant__
#endif

// `blocks`: resident on a compute unit. AMD's compiler would take it as waves of a SIMD, and spill to reach it.
#if defined(__HIP__)
#define LIBSGEMM_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads)
#else
#define LIBSGEMM_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#endif

// 1 if one instruction computes two FP32 FMAs on pairs of registers.
#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) || \
    defined(__gfx9_4_generic__)
#define LIBSGEMM_PACKED_FMA 1
#else
#define LIBSGEMM_PACKED_FMA 0
#endif

namespace libsgemm::gpu {

#if defined(__HIP__)

// The compiler would put structs of four floats into LDS or scratch.
using Vec4 = float __attribute__((ext_vector_type(4)));
using Vec2 = float __attribute__((ext_vector_type(2)));
__device__ __forceinline__ Vec4 vec4(float x, float y, float z, float w) { return Vec4{x, y, z, w}; }
__device__ __forceinline__ Vec2 vec2(float x, float y) { return Vec2{x, y}; }

// c + a * b[Element] for both halves. Assembly, because the compiler copies b.y into an even-numbered register although
// the instruction can select it.
template <int Element>
__device__ __forceinline__ Vec2 fma2(Vec2 a, Vec2 b, Vec2 c) {
#if LIBSGEMM_PACKED_FMA && defined(__AMDGCN__)
  if constexpr (Element == 0) {
    asm("v_pk_fma_f32 %0, %1, %2, %0 op_sel_hi:[1,0,1]" : "+v"(c) : "v"(a), "v"(b));
  } else {
    asm("v_pk_fma_f32 %0, %1, %2, %0 op_sel:[0,1,0]" : "+v"(c) : "v"(a), "v"(b));
  }
  return c;
#else
  const float x = Element == 0 ? b.x : b.y;
  return vec2(fmaf(a.x, x, c.x), fmaf(a.y, x, c.y));
#endif
}

// A kernel's first parameter in the memory of the launch, so that its arrays can be indexed at run time. The compiler
// would move an indexed copy of a struct with pointers to scratch.
template <typename T>
__device__ __forceinline__ const T &first_parameter([[maybe_unused]] const T &parameter) {
#if defined(__AMDGCN__)
  return *(const T *)__builtin_amdgcn_kernarg_segment_ptr();
#else
  return parameter;
#endif
}

// Global memory, read by global_load instead of flat_load. Pointers keep this type: the compiler folds away a cast to
// it and back.
#if defined(__AMDGCN__)
template <typename T>
using Global = __attribute__((address_space(1))) T;
#else
template <typename T>
using Global = T;  // for the host's pass
#endif
template <typename T>
__device__ __forceinline__ Global<T> *global(T *pointer) {
  return (Global<T> *)pointer;
}

// Puts a value that all threads of the block share into scalar registers, so that the compiler does not give each
// thread its own pointer to increment. (asm with "+s" fails with "illegal SGPR to VGPR copy" for pointers from an array
// in the parameters.)
__device__ __forceinline__ int uniform(int value) {
#if defined(__AMDGCN__)
  return __builtin_amdgcn_readfirstlane(value);
#else
  return value;
#endif
}
template <typename T>
__device__ __forceinline__ T *uniform(T *pointer) {
#if defined(__AMDGCN__)
  const uint64_t bits = reinterpret_cast<uint64_t>(pointer);
  const uint32_t low = __builtin_amdgcn_readfirstlane(static_cast<int>(bits));
  const uint32_t high = __builtin_amdgcn_readfirstlane(static_cast<int>(bits >> 32));
  return reinterpret_cast<T *>(static_cast<uint64_t>(high) << 32 | low);
#else
  return pointer;
#endif
}
// Hides the value's origin, so that the compiler computes what depends on it where it is used. A 32-bit offset is then
// converted in the instruction that adds it to a scalar base.
template <typename T>
__device__ __forceinline__ void keep_in_register(T &value) {
#if defined(__AMDGCN__)
  asm("" : "+v"(value));
#endif
}

// Pins a computation to its place. Otherwise the compiler hoists it into registers that it has to spill.
template <typename T>
__device__ __forceinline__ void pin(T &value) {
#if defined(__AMDGCN__)
  asm volatile("" : "+v"(value));
#endif
}

// A uniform value that the compiler does not recognize as the same. It would merge successive `if`s on one value, and
// keep the initial values of both branches live.
__device__ __forceinline__ int again(int value) {
#if defined(__AMDGCN__)
  value = uniform(value);
  asm volatile("" : "+s"(value));
#endif
  return value;
}

// No load or store moves across it. Otherwise the compiler reads whole tiles ahead, and spills.
__device__ __forceinline__ void keep_order() {
#if defined(__AMDGCN__)
  asm volatile("" ::: "memory");
#endif
}

// No instruction moves across it. Otherwise the compiler moves the reads of the next fragments after the products that
// should hide them.
__device__ __forceinline__ void keep_schedule() {
#if defined(__AMDGCN__)
  __builtin_amdgcn_sched_barrier(0);
#endif
}

// A wave of 64 holds two groups of 32 in lock step and accesses LDS in order, so only the compiler needs a barrier.
__device__ __forceinline__ void sync_warp() {
#if defined(__AMDGCN__)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}

template <typename T>
__device__ __forceinline__ T shuffle_xor(T value, int mask) {
  return __shfl_xor(value, mask, 32);
}

__device__ __forceinline__ void atomic_max(Global<uint32_t> *at, uint32_t value) {
#if defined(__AMDGCN__)
  __hip_atomic_fetch_max(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#endif
}

template <typename T>
using Raw = std::conditional_t<sizeof(T) == 16, Vec4, Vec2>;
template <typename T, typename From>
__device__ __forceinline__ T load_as(Global<From> *from) {
  return __builtin_bit_cast(T, *reinterpret_cast<Global<const Raw<T>> *>(from));
}
template <typename T>
__device__ __forceinline__ void store_as(Global<char> *to, const T &value) {
  *reinterpret_cast<Global<Raw<T>> *>(to) = __builtin_bit_cast(Raw<T>, value);
}

#else  // CUDA, and the CPU

using Vec4 = float4;
using Vec2 = float2;
__device__ __forceinline__ Vec4 vec4(float x, float y, float z, float w) { return make_float4(x, y, z, w); }
__device__ __forceinline__ Vec2 vec2(float x, float y) { return make_float2(x, y); }
template <int Element>
__device__ __forceinline__ Vec2 fma2(Vec2 a, Vec2 b, Vec2 c) {
  const float x = Element == 0 ? b.x : b.y;
  return vec2(fmaf(a.x, x, c.x), fmaf(a.y, x, c.y));
}

template <typename T>
using Global = T;
// Converting the address to global memory and back tells the compiler where it is.
template <typename T>
__device__ __forceinline__ T *global(T *pointer) {
#if defined(__CUDA_ARCH__)
  return static_cast<T *>(__cvta_global_to_generic(__cvta_generic_to_global(pointer)));
#else
  return pointer;
#endif
}

template <typename T>
__device__ __forceinline__ const T &first_parameter(const T &parameter) {
  return parameter;
}

template <typename T>
__device__ __forceinline__ T uniform(T value) {
#if defined(__CUDACC__)
  return value;
#else
  return simt::uniform(value);  // checks that it is uniform
#endif
}
template <typename T>
__device__ __forceinline__ void keep_in_register(T &) {}
template <typename T>
__device__ __forceinline__ void pin(T &) {}
__device__ __forceinline__ int again(int value) { return value; }
__device__ __forceinline__ void keep_order() {}
__device__ __forceinline__ void keep_schedule() {}
__device__ __forceinline__ void sync_warp() { __syncwarp(); }
template <typename T>
__device__ __forceinline__ T shuffle_xor(T value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
__device__ __forceinline__ void atomic_max(uint32_t *at, uint32_t value) { atomicMax(at, value); }
template <typename T, typename From>
__device__ __forceinline__ T load_as(From *from) {
  return *reinterpret_cast<const T *>(from);
}
template <typename T>
__device__ __forceinline__ void store_as(char *to, const T &value) {
  *reinterpret_cast<T *>(to) = value;
}

#endif

template <typename First, typename Second>
struct Parameters {
  const First &first;
  const Second &second;
};

// Reads a kernel's first parameter, or both, from memory again, so that their members do not occupy scalar registers
// all the time.
template <size_t kOffset = 0, typename T>
__device__ __forceinline__ const T &read_anew([[maybe_unused]] const T &parameter) {
#if defined(__AMDGCN__)
  using Bytes = __attribute__((address_space(4))) const char;
  Bytes *at = (Bytes *)__builtin_amdgcn_kernarg_segment_ptr();
  asm volatile("" : "+s"(at));
  return *(const T *)(at + kOffset);
#else
  return parameter;
#endif
}
template <typename First, typename Second>
__device__ __forceinline__ Parameters<First, Second> read_anew(const First &first, const Second &second) {
  constexpr size_t kSecond = (sizeof(First) + alignof(Second) - 1) / alignof(Second) * alignof(Second);
  return {read_anew(first), read_anew<kSecond>(second)};
}

}  // namespace libsgemm::gpu
