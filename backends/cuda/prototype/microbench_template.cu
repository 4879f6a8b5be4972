extern "C" __global__ void __launch_bounds__(256,1) k(float *out, int iters, float x) {
  __shared__ float4 sm[1024];
  for (int i = threadIdx.x; i < 1024; i += 256) sm[i] = make_float4(x,x,x,x);
  __syncthreads();
  float acc[128], a[16], b[8], z[32];
  float *f = (float*)sm;
  for (int i = 0; i < 128; ++i) acc[i] = f[i + threadIdx.x];
  for (int i = 0; i < 16; ++i) a[i] = f[i*3 + threadIdx.x];
  for (int i = 0; i < 8; ++i) b[i] = f[i*5 + threadIdx.x];
  for (int i = 0; i < 32; ++i) z[i] = f[i*7 + threadIdx.x];
  unsigned addr = (unsigned)__cvta_generic_to_shared(sm) + threadIdx.x % 32 * 16;
  asm volatile("mov.b32 %0, %0;" : "+r"(addr));
#pragma unroll 1
  for (int it = 0; it < iters; ++it) {
#pragma unroll
    for (int kk = 0; kk < L / 128; ++kk)
#pragma unroll
      for (int i = 0; i < 128; ++i) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(acc[i]) : "f"(a[i/8]), "f"(b[i%8]));
  }
  float s = 0;
  for (int i = 0; i < 128; ++i) s += acc[i];
  for (int i = 0; i < 16; ++i) s += a[i];
  for (int i = 0; i < 8; ++i) s += b[i];
  for (int i = 0; i < 32; ++i) s += z[i];
  s += addr;
  if (s == 1.2345f) out[0] = s;
}
