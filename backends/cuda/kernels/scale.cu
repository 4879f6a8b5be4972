// scale: Backend::scale, C = beta * C on the elements that a routine writes, of every product of a batch; of trmm and
// trsm C = 0. Bound by memory.
//
// Block of 32 x 8 threads: a tile of 32 rows x 64 columns of C, 8 columns apart a thread, so that a warp touches 128
// contiguous bytes. No shared memory. beta == 0 writes without reading.
// Measured: its results on an H100, by the tests; its speed not yet.
#include "../batch.h"
#include "../kernels.h"
#include "../launch.h"

namespace libsgemm::cuda {
namespace {

constexpr int kRows = 32, kCols = 64, kColsAtOnce = 8;

struct ScaleProblem {
  int64_t m, n, ldc;
  float beta;
  Stored::Part part;
};

template <typename Operands>
__global__ void __launch_bounds__(kRows *kColsAtOnce)
    scale_kernel(const __grid_constant__ Operands operands, const __grid_constant__ ScaleProblem p, unsigned tiles) {
  const unsigned tile = blockIdx.x % tiles;
  const int64_t row_tiles = (p.m + kRows - 1) / kRows;
  const int64_t row = tile % row_tiles * kRows + threadIdx.x;
  const int64_t first_col = tile / row_tiles * kCols + threadIdx.y;
  float *c = operands.c(blockIdx.x / tiles);
  if (row >= p.m) return;
#pragma unroll
  for (int j = 0; j < kCols; j += kColsAtOnce) {
    const int64_t col = first_col + j;
    if (col >= p.n || (p.part == Stored::upper && row > col) || (p.part == Stored::lower && row < col)) continue;
    float *at = c + row + col * p.ldc;
    *at = p.beta == 0.0f ? 0.0f : p.beta * *at;
  }
}

}  // namespace

libsgemm_status_t scale(const GemmDesc &desc, const Launch &launch, Error *error) {
  const Stored c = stored_c(desc);
  const ScaleProblem problem = {desc.m, desc.n, desc.ldc, in_place(desc) ? 0.0f : desc.beta, c.part};
  const int64_t tiles = ((desc.m + kRows - 1) / kRows) * ((desc.n + kCols - 1) / kCols);
  return for_chunks(desc, launch, INT32_MAX / tiles, [&](const auto &operands, int64_t count) {
    return launch_kernel(scale_kernel<std::decay_t<decltype(operands)>>, dim3(static_cast<unsigned>(tiles * count)),
                         dim3(kRows, kColsAtOnce), 0, launch, error, operands, problem, static_cast<unsigned>(tiles));
  });
}

}  // namespace libsgemm::cuda
