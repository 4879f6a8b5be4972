// C = alpha op(A) op(B) + beta C on any GPU, tiles in shared memory: step 2 of the ladder (docs/kernels/ffma.md). Rows
// of 33 floats avoid bank conflicts of transposed stores.
//
// Source: NVIDIA, CUDA C++ Programming Guide, "Shared Memory".
//
// Requires: gemm of FP32.
#include "gpu/kernels.h"
#include "tile_kernel.h"

namespace libsgemm::cuda {

namespace {

struct Config {
  static constexpr int min_arch = 75;
  static constexpr int tile_m = 32, tile_n = 32, tile_k = 32;
  static constexpr int threads = 1024;
  static constexpr int blocks = 1;
  static constexpr double peak_fraction = 0.1;
};

// Fetches a tile, with zeros outside of the matrix. Consecutive threads read along the contiguous dimension.
__device__ __forceinline__ void fetch(float (&tile)[32][33], const float *source, int64_t ld, bool along_k,
                                      int64_t first_outer, int64_t extent, int64_t first_k, int64_t depth) {
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  const int outer = along_k ? y : x, k = along_k ? x : y;
  const int64_t at_outer = first_outer + outer, at_k = first_k + k;
  const int64_t offset = along_k ? at_k + at_outer * ld : at_outer + at_k * ld;
  tile[k][outer] = at_outer < extent && at_k < depth ? source[offset] : 0.0f;
}

}  // namespace

template <Fetch KindA, Fetch KindB, typename Operands>
__global__ void __launch_bounds__(Config::threads)
    sm75_ffma_32x32x32_shared(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {
  __shared__ float tile_a[32][33], tile_b[32][33];
  const TilePosition<Config> at(p);
  const float *a = global(static_cast<const float *>(operands.a(blockIdx.z)));
  const float *b = global(static_cast<const float *>(operands.b(blockIdx.z)));
  const int row = threadIdx.x % 32, column = threadIdx.x / 32;
  float sum = 0.0f;
  for (int64_t k = 0; k < p.k; k += Config::tile_k) {
    fetch(tile_a, a, p.lda, KindA == Fetch::inner, at.row(), p.m, k, p.k);
    fetch(tile_b, b, p.ldb, KindB == Fetch::inner, at.column(), p.n, k, p.k);
    __syncthreads();
#pragma unroll 8
    for (int kk = 0; kk < Config::tile_k; ++kk) sum = fmaf(tile_a[kk][row], tile_b[kk][column], sum);
    __syncthreads();
  }
  const OutputTile out = output_tile(operands, p, at);
  if (row < out.rows && column < out.columns) out.write(out.c + column * out.ld + row, scaled(out.alpha, sum));
}

namespace {

struct DeviceCode : TileCode<Config, Engine::scalar> {
  template <Fetch KindA, Fetch KindB, typename Operands>
  static auto kernel() {
    return &sm75_ffma_32x32x32_shared<KindA, KindB, Operands>;
  }
  template <Fetch KindA, Fetch KindB>
  static constexpr size_t shared_bytes() {
    return 0;
  }
};

}  // namespace

KernelList sm75_ffma_32x32x32_shared() { return ladder_kernel<DeviceCode>("sm75_ffma_32x32x32_shared"); }

}  // namespace libsgemm::cuda
