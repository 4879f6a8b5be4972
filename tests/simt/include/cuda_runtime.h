// The names of CUDA C++ that kernels use, for the CPU emulation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "simt/fibers/simt.h"

// Enables sm_90a's kernels; ptx.h is replaced.
#define __CUDA_ARCH_FEAT_SM90_ALL 1

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __shared__ thread_local
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__

#define threadIdx (simt::current->index)
#define blockIdx (simt::current->block_index)
#define blockDim (simt::configuration().block)
#define gridDim (simt::configuration().grid)
#define __syncthreads() simt::barrier_sync(0, 0, __LINE__)
#define __syncthreads_count(predicate) simt::barrier_count((predicate) != 0, __LINE__)
#define __syncthreads_or(predicate) (__syncthreads_count(predicate) != 0)
#define __syncthreads_and(predicate) (__syncthreads_count((predicate) == 0) == 0)

constexpr int warpSize = 32;

using dim3 = simt::Index;
using cudaStream_t = void *;
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };

struct uint3 {
  unsigned x, y, z;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

using std::max;
using std::min;

namespace simt {
template <typename To, typename From>
To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}
}  // namespace simt

inline unsigned __float_as_uint(float value) { return simt::bits_as<unsigned>(value); }
inline int __float_as_int(float value) { return simt::bits_as<int>(value); }
inline float __uint_as_float(unsigned bits) { return simt::bits_as<float>(bits); }
inline float __int_as_float(int bits) { return simt::bits_as<float>(bits); }
inline int __double2hiint(double value) { return static_cast<int>(simt::bits_as<uint64_t>(value) >> 32); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits)); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned bits) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> bits % 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<uint64_t>(a) * b) >> 32); }

template <typename T>
T __ldg(const T *address) {
  return *address;
}
template <typename T>
T __ldcg(const T *address) {
  return *address;
}
template <typename T>
T __ldcs(const T *address) {
  return *address;
}
template <typename T>
T __ldcv(const T *address) {
  simt::yield();
  return *address;
}
template <typename T>
void __stcg(T *address, T value) {
  *address = value;
  simt::progress();
}
template <typename T>
void __stcs(T *address, T value) {
  *address = value;
}
inline void __threadfence() { simt::yield(); }
inline void __threadfence_block() { simt::yield(); }
inline void __threadfence_system() { simt::yield(); }
inline void __nanosleep(unsigned) { simt::yield(); }
inline long long clock64() { return static_cast<long long>(++simt::current->clock); }

// Atomic operations: threads switch only before the read-modify-write.
namespace simt {
template <typename T, typename Update>
T atomic(T *address, Update update) {
  yield();
  const T old = *address;
  const T updated = update(old);
  *address = updated;
  if (updated != old) progress();
  return old;
}
}  // namespace simt

template <typename T>
T atomicAdd(T *address, T value) {
  return simt::atomic(address, [value](T old) { return old + value; });
}
template <typename T>
T atomicSub(T *address, T value) {
  return simt::atomic(address, [value](T old) { return old - value; });
}
template <typename T>
T atomicExch(T *address, T value) {
  return simt::atomic(address, [value](T) { return value; });
}
template <typename T>
T atomicMax(T *address, T value) {
  return simt::atomic(address, [value](T old) { return std::max(old, value); });
}
template <typename T>
T atomicMin(T *address, T value) {
  return simt::atomic(address, [value](T old) { return std::min(old, value); });
}
template <typename T>
T atomicOr(T *address, T value) {
  return simt::atomic(address, [value](T old) { return old | value; });
}
template <typename T>
T atomicAnd(T *address, T value) {
  return simt::atomic(address, [value](T old) { return old & value; });
}
template <typename T>
T atomicCAS(T *address, T expected, T value) {
  return simt::atomic(address, [expected, value](T old) { return old == expected ? value : old; });
}
inline unsigned atomicInc(unsigned *address, unsigned limit) {
  return simt::atomic(address, [limit](unsigned old) { return old >= limit ? 0 : old + 1; });
}

// ---- Warps: 32 consecutive threads, also in waves of 64.

namespace simt {

inline unsigned warp_lane() { return current->rank % 32; }
// The lane of its wave at which the warp begins; `mask` shifted to the wave's lanes.
inline unsigned warp_begin() { return lane() - warp_lane(); }
inline uint64_t warp_mask(unsigned mask) { return static_cast<uint64_t>(mask) << warp_begin(); }

// The source lane of a shuffle, or the lane itself if that is outside its segment of `width` lanes.
inline unsigned segment_begin(int width) { return warp_lane() & ~(static_cast<unsigned>(width) - 1); }
inline unsigned source_up(unsigned delta, int width) {
  return warp_lane() - segment_begin(width) >= delta ? warp_lane() - delta : warp_lane();
}
inline unsigned source_down(unsigned delta, int width) {
  return warp_lane() - segment_begin(width) + delta < static_cast<unsigned>(width) ? warp_lane() + delta : warp_lane();
}
inline unsigned source_xor(unsigned lane_mask, int width) {
  const unsigned source = warp_lane() ^ lane_mask;
  return source < segment_begin(width) + static_cast<unsigned>(width) ? source : warp_lane();
}

template <typename T>
uint64_t bits_of(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "at most 8 bytes");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename T>
T shuffle(unsigned mask, T value, unsigned source) {
  const uint64_t bits = warp_exchange(WarpOp::shuffle, warp_mask(mask), bits_of(value), warp_begin() + source);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename T>
T uniform(T value) {
  expect_uniform(bits_of(value));
  return value;
}

inline unsigned reduce(WarpOp op, unsigned mask, unsigned value) {
  return static_cast<unsigned>(warp_exchange(op, warp_mask(mask), value));
}

}  // namespace simt

inline void __syncwarp(unsigned mask = 0xffffffffu) {
  simt::warp_exchange(simt::WarpOp::sync, simt::warp_mask(mask), 0);
}
template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned within = static_cast<unsigned>(source) & (static_cast<unsigned>(width) - 1);
  return simt::shuffle(mask, value, simt::segment_begin(width) + within);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return simt::shuffle(mask, value, simt::source_up(delta, width));
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return simt::shuffle(mask, value, simt::source_down(delta, width));
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  return simt::shuffle(mask, value, simt::source_xor(static_cast<unsigned>(lane_mask), width));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const uint64_t lanes = simt::warp_exchange(simt::WarpOp::ballot, simt::warp_mask(mask), predicate != 0);
  return static_cast<unsigned>(lanes >> simt::warp_begin());
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate == 0) == 0; }
inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return simt::reduce(simt::WarpOp::reduce_add, mask, value);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return simt::reduce(simt::WarpOp::reduce_min, mask, value);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return simt::reduce(simt::WarpOp::reduce_max, mask, value);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return simt::reduce(simt::WarpOp::reduce_or, mask, value);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return simt::reduce(simt::WarpOp::reduce_and, mask, value);
}
