// For test_check_sass.py: kernels with one fault each, which check_sass.py must refuse, and a sound one.
namespace {

constexpr int kThreads = 256;

__device__ void multiply(const float4 *a, const float4 *b, float (&sum)[8][8], int k) {
#pragma unroll 1
  for (int step = 0; step < k; step += 4) {
#pragma unroll
    for (int l = 0; l < 4; ++l) {
      const float4 columns[4] = {a[(step + l) * 32], a[(step + l) * 32 + 16], b[(step + l) * 32],
                                 b[(step + l) * 32 + 16]};
      const float x[8] = {columns[0].x, columns[0].y, columns[0].z, columns[0].w,
                          columns[1].x, columns[1].y, columns[1].z, columns[1].w};
      const float y[8] = {columns[2].x, columns[2].y, columns[2].z, columns[2].w,
                          columns[3].x, columns[3].y, columns[3].z, columns[3].w};
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          sum[i][j] += x[i] * y[i % 2 == 0 ? j : 7 - j];
        }
      }
    }
  }
}

__device__ void product(const float *in, float *out, int k) {
  __shared__ float4 a[32 * 32], b[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) {
    a[i] = make_float4(in[i], in[i + 1], in[i + 2], in[i + 3]);
    b[i] = make_float4(in[i + 4], in[i + 5], in[i + 6], in[i + 7]);
  }
  __syncthreads();
  float sum[8][8] = {};
  multiply(a + threadIdx.x % 16, b + threadIdx.x / 16, sum, k);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      out[(i * 8 + j) * kThreads + threadIdx.x] = sum[i][j];
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) sm75_ffma_8x8x4_sound(const float *in, float *out, int k) {
  product(in, out, k);
}

// Two blocks of 1024 threads leave 32 registers, half of what the sums need.
extern "C" __global__ void __launch_bounds__(1024, 2) sm75_ffma_8x8x4_spilled(const float *in, float *out, int k) {
  product(in, out, k);
}

// Indexing at run time keeps an array out of registers.
extern "C" __global__ void sm75_ffma_8x1x1_indexed(const float *in, float *out, const int *where, int k) {
  float sum[8] = {};
  for (int l = 0; l < k; ++l) {
    sum[where[l] & 7] += in[l] * in[l + 1];
  }
  for (int i = 0; i < 8; ++i) {
    out[i] = sum[i];
  }
}

// Reads single shared memory elements, with few FMAs for each.
extern "C" __global__ void sm75_ffma_2x2x1_scalar(const float *in, float *out, int k) {
  __shared__ float tile[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    tile[i] = in[i];
  }
  __syncthreads();
  float sum[2][2] = {};
#pragma unroll 4
  for (int l = 0; l < k; ++l) {
    const float x[2] = {tile[l * 8 + threadIdx.x % 8], tile[l * 8 + threadIdx.x % 8 + 33]};
    const float y[2] = {tile[l * 16 + threadIdx.x / 8], tile[l * 16 + threadIdx.x / 8 + 33]};
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        sum[i][j] += x[i] * y[j];
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    out[i * 1024 + threadIdx.x] = sum[i / 2][i % 2];
  }
}

// No FFMA shares a register with the previous one.
extern "C" __global__ void sm75_ffma_8x1x8_unshared(const float *in, float *out, int k) {
  float x[8], sum[8];
  for (int i = 0; i < 8; ++i) {
    x[i] = in[i * kThreads + threadIdx.x];
    sum[i] = in[(i + 8) * kThreads + threadIdx.x];
  }
#pragma unroll 4
  for (int l = 0; l < k; ++l) {
    for (int i = 0; i < 8; ++i) {
      sum[i] = x[i] * sum[(i + 1) % 8] + sum[i];
    }
  }
  for (int i = 0; i < 8; ++i) {
    out[i * kThreads + threadIdx.x] = sum[i];
  }
}
