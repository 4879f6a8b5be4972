#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <string>
#define CK(x) do { auto e_ = (x); if (e_) { printf("error %d line %d\n", (int)e_, __LINE__); exit(1);} } while (0)
int main(int argc, char **argv) {
  CK(cudaFree(0)); float *out; CK(cudaMalloc(&out, 64));
  cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
  std::vector<std::vector<double>> t(argc); std::vector<CUfunction> fn(argc); std::vector<int> nf(argc), L(argc); std::vector<std::string> nm(argc);
  for (int i = 1; i < argc; ++i) { char *s = strdup(argv[i]); nm[i] = strtok(s, ":"); nf[i] = atoi(strtok(nullptr, ":")); L[i] = atoi(strtok(nullptr, ":")); CUmodule m; CK(cuModuleLoad(&m, (nm[i] + ".cubin").c_str())); CK(cuModuleGetFunction(&fn[i], m, "k")); }
  for (int blocks : {132}) for (int th : {128, 256}) {
    for (auto &x : t) x.clear();
    for (int r = 0; r < 7; ++r) for (int i = 1; i < argc; ++i) {
      int iters = 2000000 / L[i]; float x = 0.37f; void *p[] = {&out, &iters, &x};
      cudaEventRecord(e0); CK(cuLaunchKernel(fn[i], blocks, 1, 1, th, 1, 1, 0, 0, p, nullptr)); cudaEventRecord(e1); CK(cudaEventSynchronize(e1)); float ms; cudaEventElapsedTime(&ms, e0, e1);
      t[i].push_back(2.0 * nf[i] * iters * 32 * (th / 32) * blocks / ms * 1e-9);
    }
    printf("threads %d\n", th);
    for (int i = 1; i < argc; ++i) { std::sort(t[i].begin(), t[i].end()); printf("  %-14s F %d/%d  %.1f TF\n", nm[i].c_str(), nf[i], L[i], t[i][3]); }
  }
}
