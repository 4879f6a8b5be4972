// Second kernels of split-K on FP64 tensor cores: gpu/tiles/split_k_sum.h.
#include "dmma_triangle_kernel.h"
#include "gpu/tiles/split_k_sum.h"

namespace libsgemm::cuda {
namespace {

__global__ void __launch_bounds__(kSumThreads) split_k_sum_fp64(const __grid_constant__ StridedOperands operands,
                                                                const __grid_constant__ TileProblem p, int slices) {
  sum_slices<double>(operands, p, slices);
}

__global__ void __launch_bounds__(kSumThreads)
    split_k_sum_fp64_triangle(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p,
                              int slices, bool upper) {
  sum_slices<double>(operands, p, slices, [&](int64_t element) {
    const int64_t row = element % p.partial_ld, column = element / p.partial_ld;
    return upper ? row <= column : row >= column;
  });
}

}  // namespace

libsgemm_status_t launch_split_k_sum_fp64(const TileProblem &p, int slices, const StridedOperands &operands,
                                          int64_t count, const Launch &launch, Error *error) {
  return enqueue_sum(&split_k_sum_fp64, p, slices, operands, count, launch, error);
}

libsgemm_status_t launch_split_k_sum_fp64_triangle(const TriangleProblem &p, int slices,
                                                   const StridedOperands &operands, int64_t count, const Launch &launch,
                                                   Error *error) {
  return enqueue_sum(&split_k_sum_fp64_triangle, p.product, slices, operands, count, launch, error, p.upper);
}

}  // namespace libsgemm::cuda
