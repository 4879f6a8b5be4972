// sm75_ffma_256x256x256_blocked_triangle for syrk of FP16 or bfloat16 matrices. A gemm computes the blocks on the
// diagonal as whole squares in the workspace, 32 MiB of them at a time; the kernel here adds their triangles to C. Why:
// docs/kernels/level3.md.
//
// Requires: syrk of FP16 (sm_75) or bfloat16 (sm_80) operands, and the workspace. Results and speed: not measured.
#include <algorithm>

#include "contract/finish.h"
#include "gpu/level3/blocked.h"
#include "runtime/launch.h"
#include "tensor/tensor_kernel.h"

namespace libsgemm::cuda {
namespace {

using namespace level3;

constexpr int kRows = 32, kColumns = 64, kColumnsAtOnce = 8;
constexpr int64_t kMostElements = static_cast<int64_t>(LIBSGEMM_WORKSPACE_DEFAULT_BYTES / 2 / sizeof(float));

__global__ void __launch_bounds__(kRows *kColumnsAtOnce)
    sm75_mma_256x256x256_blocked_triangle_kernel(const float *squares, int64_t ld, float *c, int64_t ldc,
                                                 int64_t stride_c, int64_t order, bool upper, float beta,
                                                 unsigned tiles) {
  const int64_t row_tiles = (order + kRows - 1) / kRows, item = blockIdx.x / tiles;
  const unsigned tile = blockIdx.x % tiles;
  const int64_t row = tile % row_tiles * kRows + threadIdx.x;
  const int64_t first_column = tile / row_tiles * kColumns + threadIdx.y;
  squares += item * ld * order;
  c += item * stride_c;
#pragma unroll
  for (int j = 0; j < kColumns; j += kColumnsAtOnce) {
    const int64_t column = first_column + j;
    if (row >= order || column >= order || (upper ? row > column : row < column)) continue;
    const float sum = squares[row + column * ld];
    float *to = c + row + column * ldc;
    *to = beta == 0.0f ? sum : accumulated(sum, beta, *to);
  }
}

// Columns of a square start at multiples of 16 bytes.
int64_t columns_apart(int64_t order) { return ceil_div(order, 4) * 4; }

int64_t squares_at_once(int64_t order, int64_t count) {
  return std::clamp<int64_t>(kMostElements / (columns_apart(order) * order), 1, count);
}

size_t squares_bytes(int64_t order, int64_t count) {
  const int64_t elements = squares_at_once(order, count) * columns_apart(order) * order;
  return static_cast<size_t>(ceil_div(elements, 64) * 64) * sizeof(float);
}

size_t workspace(const GemmDesc &desc, int) {
  const DiagonalBlocks blocks = diagonal_blocks(desc);
  return squares_bytes(blocks.order, blocks.count);
}

// The blocks on the diagonal as whole squares; the caller sets C.
GemmDesc whole_squares(const GemmDesc &d) {
  GemmDesc gemm = gemm_step(d, d.n, d.n, d.k, d.alpha, 0.0f);
  gemm.type = d.type;
  gemm.transa = d.transa;
  gemm.transb = d.transa == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  gemm.a = gemm.b = d.a;
  gemm.lda = gemm.ldb = d.lda;
  gemm.ldc = columns_apart(d.n);
  gemm.batch = d.batch;
  gemm.batch_count = d.batch_count;
  gemm.stride_a = gemm.stride_b = d.stride_a;
  gemm.stride_c = gemm.ldc * d.n;
  return gemm;
}

libsgemm_status_t launch_diagonal(const GemmDesc &desc, const Launch &launch, Error *error) {
  const size_t used = squares_bytes(desc.n, desc.batch_count);
  Launch rest = launch;
  const bool more = launch.workspace_bytes > used;
  rest.workspace = more ? static_cast<char *>(launch.workspace) + used : nullptr;
  rest.workspace_bytes = more ? launch.workspace_bytes - used : 0;
  const int64_t tiles = ceil_div(desc.n, kRows) * ceil_div(desc.n, kColumns);
  const int64_t at_once = squares_at_once(desc.n, desc.batch_count);
  auto *squares = static_cast<float *>(launch.workspace);
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  for (int64_t first = 0; first < desc.batch_count && status == LIBSGEMM_SUCCESS; first += at_once) {
    const GemmDesc item = desc.batch == Batch::none ? desc : batch_item(desc, first);
    GemmDesc gemm = whole_squares(item);
    gemm.c = squares;
    gemm.batch_count = std::min(at_once, desc.batch_count - first);
    if (gemm.batch_count > 1) gemm.batch = Batch::strided;
    status = launch_step(gemm, rest, error, nullptr);
    if (status == LIBSGEMM_SUCCESS) {
      status = launch_kernel(
          sm75_mma_256x256x256_blocked_triangle_kernel, dim3(static_cast<unsigned>(tiles * gemm.batch_count)),
          dim3(kRows, kColumnsAtOnce), 0, launch, error, static_cast<const float *>(squares), gemm.ldc, item.c,
          item.ldc, item.stride_c, item.n, item.uplo == LIBSGEMM_UPPER, item.beta, static_cast<unsigned>(tiles));
    }
  }
  return status;
}

// Stands for a good gemm on tensor cores, which saves a search of the table for each step.
double gemm_of_16_bits(const GemmDesc &gemm, int index) {
  const Device &device = cuda::device(index);
  const double rate = static_cast<double>(device.tensor_per_clock) / device.fma_per_clock;
  Tiling tiling = {128, 128, 256, 2, {0.6 * rate}};
  tiling.figures.steps *= rate;
  return gemm_seconds(device, gemm, tiling);
}

double step_of_16_bits(const GemmDesc &step, int index) {
  if (step.routine == Routine::gemm) return gemm_of_16_bits(step, index);
  const double elements = static_cast<double>(step.n) * static_cast<double>(step.n + 1) / 2;
  const double bytes = static_cast<double>(step.batch_count) * elements * (step.beta == 0.0f ? 8 : 12);
  return gemm_of_16_bits(whole_squares(step), index) + kLaunchSeconds + memory_seconds(device(index), bytes);
}

bool supports(const GemmDesc &desc, int index) {
  return wants_triangle(desc) && desc.type != Type::f32 && has_tensor_cores(desc.type, index);
}

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  return launch_squares(desc, launch, error, enqueue, launch_diagonal);
}

double cost(const GemmDesc &desc, int index) { return squares_seconds(desc, index, step_of_16_bits); }

}  // namespace

KernelList sm75_mma_256x256x256_blocked_triangle() {
  Kernel kernel = {"sm75_mma_256x256x256_blocked_triangle", LIBSGEMM_MATH_FP32,
                   prepare_fixed<supports, cost, workspace>, enqueue};
  kernel.truncates = true;
  kernel.in_steps = true;
  return kernel;
}

}  // namespace libsgemm::cuda
