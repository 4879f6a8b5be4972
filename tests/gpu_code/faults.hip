// Kernels with one fault each, which check_amdgpu.py must find, and a sound one (test_check_amdgpu.py).
#include <hip/hip_runtime.h>

namespace {

constexpr int kThreads = 256;
using Vec4 = float __attribute__((ext_vector_type(4)));

template <int kSize>
__device__ __forceinline__ void multiply(const Vec4 *a, const Vec4 *b, float (&sum)[kSize][kSize], int k) {
#pragma unroll 1
  for (int step = 0; step < k; step += 4) {
#pragma unroll
    for (int l = 0; l < 4; ++l) {
      float x[kSize], y[kSize];
#pragma unroll
      for (int i = 0; i < kSize; ++i) {
        x[i] = a[(step + l) * 32 + i / 4][i % 4];
        y[i] = b[(step + l) * 32 + i / 4][i % 4];
      }
#pragma unroll
      for (int i = 0; i < kSize; ++i) {
#pragma unroll
        for (int j = 0; j < kSize; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
      }
    }
  }
}

template <int kSize>
__device__ __forceinline__ void product(const Vec4 *in, float *out, int k) {
  __shared__ Vec4 a[32 * 32], b[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += kThreads) a[i] = in[i], b[i] = in[i + 32 * 32];
  __syncthreads();
  float sum[kSize][kSize] = {};
  multiply<kSize>(a + threadIdx.x % 16, b + threadIdx.x / 16, sum, k);
#pragma unroll
  for (int i = 0; i < kSize; ++i) {
#pragma unroll
    for (int j = 0; j < kSize; ++j) out[(i * kSize + j) * kThreads + threadIdx.x] = sum[i][j];
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) gfx_fma_8x8x4_sound(const Vec4 *in, float *out, int k) {
  product<8>(in, out, k);
}

// 1024 threads leave 128 registers; the sums need 256.
extern "C" __global__ void __launch_bounds__(1024) gfx_fma_16x16x4_spilled(const Vec4 *in, float *out, int k) {
  product<16>(in, out, k);
}

// Indexing at run time keeps an array out of registers.
extern "C" __global__ void __launch_bounds__(kThreads)
    gfx_fma_64x1x1_indexed(const float *in, float *out, const int *where, int k) {
  float sum[64] = {};
  for (int l = 0; l < k; ++l) sum[where[l * kThreads + threadIdx.x] & 63] += in[l] * in[l + 1];
  for (int i = 0; i < 64; ++i) out[i] = sum[i];
}

// The address may be in LDS or memory, so loads are flat.
extern "C" __global__ void __launch_bounds__(kThreads) gfx_fma_1x1x1_flat(const float *in, float *out, int k) {
  __shared__ float tile[1024];
  for (int i = threadIdx.x; i < 1024; i += kThreads) tile[i] = in[i];
  __syncthreads();
  const float *from = static_cast<int>(threadIdx.x) < k ? tile : in;
  float sum = 0.0f;
#pragma unroll 1
  for (int l = 0; l < k; ++l) sum = fmaf(from[l + threadIdx.x], in[l], sum);
  out[threadIdx.x] = sum;
}

// Reads single LDS elements, with few FMAs for each.
extern "C" __global__ void __launch_bounds__(kThreads) gfx_fma_2x2x1_scalar(const float *in, float *out, int k) {
  __shared__ float tile[1024];
  for (int i = threadIdx.x; i < 1024; i += kThreads) tile[i] = in[i];
  __syncthreads();
  float sum[2][2] = {};
#pragma unroll 1
  for (int l = 0; l < k; ++l) {
    const int at = (l * 13 + threadIdx.x) % 509;
    const float x[2] = {tile[at], tile[at + 33]}, y[2] = {tile[2 * at], tile[2 * at + 5]};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) sum[i][j] = fmaf(x[i], y[j], sum[i][j]);
    }
  }
  for (int i = 0; i < 4; ++i) out[i * kThreads + threadIdx.x] = sum[i / 2][i % 2];
}

// v_fma_f32 cannot be issued in pairs.
extern "C" __global__ void __launch_bounds__(kThreads) gfx_fma_8x1x8_single(const float *in, float *out, int k) {
  float x[8], sum[8];
  for (int i = 0; i < 8; ++i) x[i] = in[i * kThreads + threadIdx.x], sum[i] = 0.0f;
#pragma unroll 1
  for (int l = 0; l < k; ++l) {
    for (int i = 0; i < 8; ++i) {
      asm volatile("v_fma_f32 %0, %1, %2, %0" : "+v"(sum[i]) : "v"(x[i]), "v"(x[(i + 1) % 8]));
    }
  }
  for (int i = 0; i < 8; ++i) out[i * kThreads + threadIdx.x] = sum[i];
}
