// sm75_ffma_64x64x16_trmm: the product of a triangle and a matrix, from a copy of the matrix.
//
// First a dense copy of C into the workspace, then one block of 64 threads a tile of C, 8 x 8 elements a thread, double
// buffered in 17408 bytes of shared memory; the picture, the shared-memory map and the sources are in level3_tile.cuh.
// A tile walks only along the part of k that the triangle leaves it, the longest tiles first; where the diagonal
// crosses it, each row adds only its own terms.
//
// Requires: trmm, and 4 m n bytes of workspace for each product of a batch. Any size, stride and alignment.
// Measured: its results on an H100, by the tests; its speed not yet.
#include "level3_tile.cuh"

namespace libsgemm::cuda {
namespace {

using namespace level3;
using Config = TileConfig<64, 64, 16, 6>;
constexpr Tiling kTiling = {Config::kM, Config::kN, Config::kThreads, Config::kResident, {0.5}};
constexpr int kCopyRows = 32, kCopyCols = 64, kColsAtOnce = 8;

// Block of 32 x 8 threads: 32 rows x 64 columns.
__global__ void __launch_bounds__(kCopyRows *kColsAtOnce)
    sm75_ffma_64x64x16_trmm_copy_kernel(const float *source, int64_t ld, int64_t stride, float *target, int64_t m,
                                        int64_t n, unsigned tiles) {
  const int64_t row_tiles = (m + kCopyRows - 1) / kCopyRows, item = blockIdx.x / tiles;
  const unsigned tile = blockIdx.x % tiles;
  const int64_t row = tile % row_tiles * kCopyRows + threadIdx.x;
  const int64_t first_col = tile / row_tiles * kCopyCols + threadIdx.y;
  source += item * stride;
  target += item * m * n;
#pragma unroll
  for (int j = 0; j < kCopyCols; j += kColsAtOnce) {
    const int64_t col = first_col + j;
    if (row < m && col < n) target[row + col * m] = source[row + col * ld];
  }
}

__global__ void __launch_bounds__(Config::kThreads, Config::kResident)
    sm75_ffma_64x64x16_trmm_kernel(const __grid_constant__ StridedOperands operands,
                                   const __grid_constant__ TileProblem problem, unsigned tiles) {
  compute_tile<Config, Structure::triangular, Type::f32>(operands, problem, tiles);
}

size_t copy_bytes(const GemmDesc &desc, int) {
  return static_cast<size_t>(desc.m) * static_cast<size_t>(desc.n) * static_cast<size_t>(desc.batch_count) *
         sizeof(float);
}

// Blocks that copy one C.
int64_t copy_tiles(const GemmDesc &desc) {
  return ((desc.m + kCopyRows - 1) / kCopyRows) * ((desc.n + kCopyCols - 1) / kCopyCols);
}

bool supports(const GemmDesc &desc, int) {
  return desc.routine == Routine::trmm && desc.batch != Batch::pointers &&
         desc.batch_count <= INT32_MAX / copy_tiles(desc);
}

double cost(const GemmDesc &desc, int index) {
  const double copy =
      kLaunchSeconds + memory_seconds(device(index), 2.0 * static_cast<double>(copy_bytes(desc, index)));
  return copy + tiles_seconds(desc, device(index), kTiling);
}

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  GemmDesc d = desc;
  d.b = launch.workspace;
  d.ldb = desc.m;
  d.stride_b = desc.m * desc.n;
  const int64_t tiles = copy_tiles(desc);
  const libsgemm_status_t status =
      launch_kernel(sm75_ffma_64x64x16_trmm_copy_kernel, dim3(static_cast<unsigned>(tiles * desc.batch_count)),
                    dim3(kCopyRows, kColsAtOnce), 0, launch, error, desc.c, desc.ldc, desc.stride_c,
                    static_cast<float *>(launch.workspace), desc.m, desc.n, static_cast<unsigned>(tiles));
  if (status != LIBSGEMM_SUCCESS) return status;
  return level3::launch_tiles<Config>(d, launch, error, sm75_ffma_64x64x16_trmm_kernel);
}

}  // namespace

Kernel sm75_ffma_64x64x16_trmm() {
  Kernel kernel = {"sm75_ffma_64x64x16_trmm", LIBSGEMM_MATH_FP32, supports, cost, copy_bytes, enqueue};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda
