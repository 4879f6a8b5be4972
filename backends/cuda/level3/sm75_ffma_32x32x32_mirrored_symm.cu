// A symmetric matrix times a general one, by the fastest gemm: full rows of A are written to the workspace, as many as
// fit 64 MiB (all, up to order 4096). C[rows] = alpha A[rows] B + beta C[rows], or from the right C[, rows] = alpha B
// A[rows]^T + beta C[, rows].
//
// Requires: symm of order at most 65536, and the workspace.
#include <algorithm>

#include "gpu/cost.h"
#include "gpu/kernels.h"
#include "gpu/level3/gemm_step.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {
namespace {

constexpr int kTile = 32, kRowsAtOnce = 8;
constexpr int64_t kMostElements = static_cast<int64_t>(LIBSGEMM_WORKSPACE_DEFAULT_BYTES / sizeof(float));
constexpr int64_t kAlign = 64;        // rows written at once are a multiple of it, or all
constexpr int64_t kWorthwhile = 256;  // least order for which cost() searches for the gemm

// Writes rows [first, first + rows) of A, both triangles, to `target`, rows x order.
__global__ void __launch_bounds__(kTile *kRowsAtOnce)
    sm75_ffma_32x32x32_mirrored_symm_kernel(const float *a, int64_t lda, bool upper, int64_t first, int64_t rows,
                                            int64_t order, float *target, int64_t ld) {
  __shared__ float image[kTile][kTile + 1];
  const int64_t row_tiles = (rows + kTile - 1) / kTile;
  const int64_t row = blockIdx.x % row_tiles * kTile, i = first + row, l = blockIdx.x / row_tiles * kTile;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const bool above = i + kTile <= l, below = l + kTile <= i;
  const bool mirrored = (above && !upper) || (below && upper);
  if (mirrored) {
    for (int step = y; step < kTile; step += kRowsAtOnce) {
      if (row + step < rows && l + x < order) image[step][x] = a[(l + x) + (i + step) * lda];
    }
    __syncthreads();
  }
  for (int step = y; step < kTile; step += kRowsAtOnce) {
    const int64_t to_row = i + x, to_col = l + step;
    if (row + x >= rows || to_col >= order) continue;
    float value;
    if (mirrored) {
      value = image[x][step];
    } else {
      const bool stored = to_row == to_col || (to_row < to_col) == upper;
      value = stored ? a[to_row + to_col * lda] : a[to_col + to_row * lda];
    }
    target[(row + x) + to_col * ld] = value;
  }
}

int64_t columns_apart(int64_t rows) { return (rows + 3) / 4 * 4; }

int64_t rows_at_once(int64_t order) {
  if (columns_apart(order) * order <= kMostElements) return order;
  const int64_t most = kMostElements / order / kAlign * kAlign, cuts = (order + most - 1) / most;
  return ((order + cuts - 1) / cuts + kAlign - 1) / kAlign * kAlign;
}

template <libsgemm_math_mode_t kMode>
GemmDesc product(const GemmDesc &d, int64_t first, int64_t rows, const void *target, int64_t ld) {
  const bool left = d.side == LIBSGEMM_LEFT;
  GemmDesc gemm = gemm_step(d, left ? rows : d.m, left ? d.n : rows, d.k, d.alpha, d.beta);
  gemm.math_mode = kMode;
  gemm.transb = left ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS;
  gemm.a = left ? target : d.b;
  gemm.lda = left ? ld : d.ldb;
  gemm.b = left ? d.b : target;
  gemm.ldb = left ? d.ldb : ld;
  gemm.c = d.c + (left ? first : first * d.ldc);
  gemm.ldc = d.ldc;
  return gemm;
}

size_t workspace(const GemmDesc &desc, int) {
  return static_cast<size_t>(columns_apart(rows_at_once(desc.k)) * desc.k) * sizeof(float);
}

bool supports(const GemmDesc &desc, int) {
  return desc.routine == Routine::symm && desc.batch == Batch::none && desc.k <= kMostElements / (4 * kAlign);
}

template <libsgemm_math_mode_t kMode>
double cost(const GemmDesc &desc, int index) {
  const int64_t rows = rows_at_once(desc.k), ld = columns_apart(rows);
  const double cuts = static_cast<double>((desc.k + rows - 1) / rows), order = static_cast<double>(desc.k);
  const double written = cuts * kLaunchSeconds + memory_seconds(device(index), 8 * order * order);
  // A null pointer is aligned like the workspace.
  const GemmDesc gemm = product<kMode>(desc, 0, rows, nullptr, ld);
  if (desc.k < kWorthwhile) return written + gemm_seconds(device(index), gemm, {64, 64, 64, 6, 0.5});
  return written + cuts * step_seconds(gemm, index, 0);
}

template <libsgemm_math_mode_t kMode>
libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  const int64_t rows = rows_at_once(desc.k), ld = columns_apart(rows);
  const size_t used = (workspace(desc, launch.device) + 255) / 256 * 256;
  Launch rest = launch;
  const bool more = launch.workspace_bytes > used;
  rest.workspace = more ? static_cast<char *>(launch.workspace) + used : nullptr;
  rest.workspace_bytes = more ? launch.workspace_bytes - used : 0;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t first = 0; first < desc.k && status == LIBSGEMM_SUCCESS; first += rows) {
    const int64_t count = std::min(rows, desc.k - first);
    const int64_t tiles = ((count + kTile - 1) / kTile) * ((desc.k + kTile - 1) / kTile);
    status =
        launch_kernel(sm75_ffma_32x32x32_mirrored_symm_kernel, dim3(static_cast<unsigned>(tiles)),
                      dim3(kTile, kRowsAtOnce), 0, launch, error, static_cast<const float *>(desc.a), desc.lda,
                      desc.uplo == LIBSGEMM_UPPER, first, count, desc.k, static_cast<float *>(launch.workspace), ld);
    if (status == LIBSGEMM_SUCCESS)
      status =
          launch_step(product<kMode>(desc, first, count, launch.workspace, ld), rest, error, nullptr, "mirroring of A");
  }
  return status;
}

template <libsgemm_math_mode_t kMode>
Kernel kernel_of(const char *name) {
  Kernel kernel = {name, kMode, prepare_fixed<supports, cost<kMode>, workspace>, enqueue<kMode>};
  kernel.invariant = true;
  return kernel;
}

}  // namespace

KernelList sm75_ffma_32x32x32_mirrored_symm() {
  return {kernel_of<LIBSGEMM_MATH_FP32>("sm75_ffma_32x32x32_mirrored_symm"),
          kernel_of<LIBSGEMM_MATH_FP64>("sm75_ffma_32x32x32_mirrored_symm_fp64")};
}

}  // namespace libsgemm::cuda
