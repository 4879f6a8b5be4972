// The HIP source of device_kernels.h. Its clock is the constant one that all AMD GPUs have, of a rate that the host
// measures. The peak is that of MFMA where there is one for FP32 (CDNA), otherwise that of fused multiply-adds in
// pairs, which become v_dual_fmac_f32 on RDNA3 and later.
#include "device_kernels.h"

namespace command {

std::string hip_kernels() {
  return R"hip(
#if defined(__GFX11__) || defined(__GFX12__)
#define TICKS() __builtin_amdgcn_s_sendmsg_rtnl(0x83)
#else
#define TICKS() __builtin_amdgcn_s_memrealtime()
#endif

extern "C" __global__ void hold(unsigned long long ticks) {
  const unsigned long long start = TICKS();
  while (TICKS() - start < ticks) __builtin_amdgcn_s_sleep(1);
}

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || \
    defined(__gfx942__) || defined(__gfx950__)

typedef float Sums __attribute__((ext_vector_type(16)));

extern "C" __global__ void __launch_bounds__(256) peak(float *sink, unsigned iterations, float a, float b) {
  Sums x[4];
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 16; ++j) x[i][j] = (float)(__builtin_amdgcn_workitem_id_x() + 16 * i + j);
  }
  for (; iterations > 0; --iterations) {
#pragma unroll
    for (int i = 0; i < 8; ++i) x[i % 4] = __builtin_amdgcn_mfma_f32_32x32x2f32(a, b, x[i % 4], 0, 0, 0);
  }
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 16; ++j) sum += x[i][j];
  }
  if (sum == -1) *sink = sum;
}

#else

typedef float Pair __attribute__((ext_vector_type(2)));

// Rotations: multiply-adds into one of their operands, whose results stay small and cannot be known beforehand.
extern "C" __global__ void __launch_bounds__(256) peak(float *sink, unsigned iterations, float, float b) {
  Pair x[8], y[8], sine = {b, b}, minus = {-b, -b};
  for (int i = 0; i < 8; ++i) {
    x[i].x = (float)(__builtin_amdgcn_workitem_id_x() + 2 * i);
    x[i].y = x[i].x + 1;
    y[i] = x[i];
  }
  asm volatile("" : "+v"(sine), "+v"(minus));
  for (; iterations > 0; --iterations) {
#pragma unroll
    for (int link = 0; link < 8; ++link) {
#pragma clang fp contract(fast)
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = y[i] * minus + x[i];
#pragma unroll
      for (int i = 0; i < 8; ++i) y[i] = x[i] * sine + y[i];
    }
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += x[i].x + x[i].y + y[i].x + y[i].y;
  if (sum == -1) *sink = sum;
}

#endif
)hip";
}

}  // namespace command
