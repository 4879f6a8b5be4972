// harness: h sizes ops file.cubin...
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>
#include <string>
#include <algorithm>
#include <map>
#include "stream_k.cuh"
using libsgemm::cuda::StreamKProblem;
struct Operand { const float *p; int64_t ld; int mode; int pad; };
struct Args { int m, n, k; float alpha, beta; Operand a, b; float *c; int64_t ldc; int tiles_m, tiles_n; int cvec; };
#define CK(x) do { auto e_ = (x); if (e_) { printf("error %d at %s:%d %s\n", (int)e_, __FILE__, __LINE__, #x); exit(1);} } while (0)
__global__ void fill(float *p, size_t n, unsigned s) { for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < n; i += gridDim.x * 256ull) { unsigned x = (unsigned)i * 2654435761u + s; x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; x *= 3266489917u; x ^= x >> 16; p[i] = (int)x * (1.0f / 2147483648.0f); } }
__global__ void cmp(const float *a, const float *b, size_t n, float *mx) { float w = 0; for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < n; i += gridDim.x * 256ull) { float d = fabsf(a[i] - b[i]); if (!(d <= 1e30f)) d = 1e30f; w = fmaxf(w, d); } atomicMax((int *)mx, __float_as_int(w)); }
int main(int argc, char **argv) {
  const char *sizes = argv[1], *ops = argv[2];
  void *lib = dlopen("libcublas.so.13", RTLD_NOW); if (!lib) lib = dlopen("/usr/local/cuda/lib64/libcublas.so.13", RTLD_NOW);
  if (!lib) { printf("%s\n", dlerror()); return 1; }
  auto create = (int (*)(void **))dlsym(lib, "cublasCreate_v2");
  auto sgemm = (int (*)(void *, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *, float *, int))dlsym(lib, "cublasSgemm_v2");
  auto mathmode = (int (*)(void *, int))dlsym(lib, "cublasSetMathMode");
  CK(cudaFree(0));
  void *h; CK(create(&h)); CK(mathmode(h, 2));
  struct V { std::string f; CUfunction fn; int cfg[8]; };
  std::vector<V> vs;
  for (int i = 3; i < argc; ++i) {
    CUmodule mod; V v; v.f = argv[i]; if (cuModuleLoad(&mod, argv[i])) { printf("no %s\n", argv[i]); continue; } CK(cuModuleGetFunction(&v.fn, mod, "k1"));
    CUdeviceptr p; size_t n; CK(cuModuleGetGlobal(&p, &n, mod, "k_config")); CK(cudaMemcpy(v.cfg, (void *)p, 32, cudaMemcpyDefault));
    CK(cuFuncSetAttribute(v.fn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, v.cfg[2])); vs.push_back(v);
  }
  cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
  float *mx; cudaMalloc(&mx, 4);
  char *sz = strdup(sizes);
  for (char *s = strtok(sz, ","); s; s = strtok(nullptr, ",")) {
    long m, n, k; int pad = 0; if (sscanf(s, "%ldx%ldx%ld+%d", &m, &n, &k, &pad) < 3) { m = n = k = atol(s); }
    for (int o = 0; o < (int)strlen(ops) / 2; ++o) {
      bool ta = ops[2 * o] == 'T', tb = ops[2 * o + 1] == 'T';
      long lda = (ta ? k : m) + pad, ldb = (tb ? n : k) + pad, ldc = m + pad;
      size_t na = lda * (ta ? m : k), nb = ldb * (tb ? k : n), nc = ldc * n;
      float *a, *b, *c, *d; CK(cudaMalloc(&a, na * 4)); CK(cudaMalloc(&b, nb * 4)); CK(cudaMalloc(&c, nc * 4)); CK(cudaMalloc(&d, nc * 4));
      fill<<<1024, 256>>>(a, na, 1); fill<<<1024, 256>>>(b, nb, 77); 
      float alpha = 1.25f, beta = 0.5f, zero = 0; 
      double fl = 2.0 * m * n * k;
      auto ref = [&](float *cc, const float *be) { CK(sgemm(h, ta, tb, m, n, k, &alpha, a, lda, b, ldb, be, cc, ldc)); };
      auto ours = [&](V &v, float *cc, float be) {
        Args g; memset(&g, 0, sizeof g); g.m = m; g.n = n; g.k = k; g.alpha = alpha; g.beta = be; 
        g.a.p = a; g.a.ld = lda; g.a.mode = ta ? 2 : lda % 4 ? 1 : 0; g.b.p = b; g.b.ld = ldb; g.b.mode = !tb ? 2 : ldb % 4 ? 1 : 0;
        g.c = cc; g.ldc = ldc; g.tiles_m = (m + v.cfg[0] - 1) / v.cfg[0]; g.tiles_n = (n + v.cfg[1] - 1) / v.cfg[1]; g.cvec = ldc % 4 == 0;
        if (v.cfg[5]) {
          if (ta || !tb || lda % 4 || ldb % 4) return;
          CUtensorMap ma, mb; cuuint32_t box[2] = {128, 16}, es[2] = {1, 1};
          auto enc = [&](CUtensorMap *mp, const float *base, long rows, long ld) { cuuint64_t dim[2] = {(cuuint64_t)rows, (cuuint64_t)k}, st[1] = {(cuuint64_t)ld * 4};
            CK(cuTensorMapEncodeTiled(mp, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)base, dim, st, box, es, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)); };
          enc(&ma, a, m, lda); enc(&mb, b, n, ldb);
          StreamKProblem q; memset(&q, 0, sizeof q); q.m = m; q.n = n; q.ldc = ldc; q.alpha = alpha; q.beta = be; q.c = cc; q.tiles_m = g.tiles_m; q.tiles_n = g.tiles_n; q.k_tiles = (k + 15) / 16;
          q.k_tiles_inverse = 0xffffffffu / q.k_tiles; q.vectors = ldc % 4 == 0; int T = q.tiles_m * q.tiles_n, G = 132; 
          static const int sk = getenv("SK") ? atoi(getenv("SK")) : 1;
          q.stream_tiles = !sk || T % G == 0 ? 0 : T < G ? T : T % G + G; if (!sk) G = std::min(G, T);
          int tot = q.stream_tiles * q.k_tiles; q.share = tot / G; q.longer_shares = tot % G;
          static char *ws; if (!ws) { CK(cudaMalloc(&ws, 64 << 20)); cudaMemset(ws, 0, 64 << 20); } static uint64_t ep = 12345; q.launch = ++ep; q.finished = (uint64_t *)ws; q.partial = (float *)(ws + 4096);
          void *pp[] = {&ma, &mb, &q}; CK(cuLaunchKernel(v.fn, G, 1, 1, v.cfg[3], 1, 1, v.cfg[2], 0, pp, nullptr)); return;
        }
        int grid = std::min(132 * v.cfg[4], g.tiles_m * g.tiles_n);
        void *p[] = {&g}; CK(cuLaunchKernel(v.fn, grid, 1, 1, v.cfg[3], 1, 1, v.cfg[2], 0, p, nullptr));
      };
      printf("%ldx%ldx%ld+%d %c%c ", m, n, k, pad, ops[2 * o], ops[2 * o + 1]);
      std::vector<double> err;
      for (auto &v : vs) {
        fill<<<1024, 256>>>(c, nc, 5); fill<<<1024, 256>>>(d, nc, 5); ref(c, &beta); ours(v, d, beta);
        cudaMemset(mx, 0, 4); cmp<<<1024, 256>>>(c, d, nc, mx); float w; CK(cudaMemcpy(&w, mx, 4, cudaMemcpyDefault)); err.push_back(w / sqrt((double)k));
      }
      int rep = std::max(1, (int)(2e-3 * 5e13 / fl)); int rounds = 9;
      std::vector<std::vector<double>> t(vs.size() + 1);
      for (int r = 0; r < rounds; ++r)
        for (size_t i = 0; i <= vs.size(); ++i) {
          cudaEventRecord(e0);
          for (int q = 0; q < rep; ++q) if (i == vs.size()) ref(c, &zero); else ours(vs[i], d, 0.f);
          cudaEventRecord(e1); CK(cudaEventSynchronize(e1)); float ms; cudaEventElapsedTime(&ms, e0, e1); t[i].push_back(ms / rep);
        }
      auto med = [&](std::vector<double> x) { std::sort(x.begin(), x.end()); return fl / x[x.size() / 2] * 1e-9; };
      double rr = med(t.back()); printf("cublas %.1f\n", rr);
      for (size_t i = 0; i < vs.size(); ++i) printf("    %-28s %.1f  %.3f  err %.1e\n", vs[i].f.c_str(), med(t[i]), med(t[i]) / rr, err[i]);
      fflush(stdout);
      cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(d);
    }
  }
}
