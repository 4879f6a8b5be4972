// C = alpha op(A) op(B) + beta C with m or n = 1, the product of a matrix and a vector. One kernel takes a matrix
// contiguous along k (..._along_k<lanes>), one along its rows (..._along_rows<rows>). vector.cpp plans them;
// split_k_sum.cu adds slices of k. Source, rows, lanes and steps: vector.cuh. Why, and figures: docs/kernels/ffma.md.
//
// Requires: gemm of FP32; one product or a strided batch; min(m, n) = 1; any transposition, alignment and leading
// dimension.
#include <algorithm>

#include "gpu/kernels.h"
#include "gpu/tiles/split_k_kernel.h"
#include "runtime/launch.h"
#include "vector.cuh"

namespace libsgemm::cuda {

template <int kLanes>
__global__ void __launch_bounds__(32 * vector::kWarpsAlongK, vector::kResidentAlongK<kLanes>)
    sm75_ffma_32x1x32_vector_along_k(const __grid_constant__ VectorWork work) {
  vector::along_k<kLanes>(work);
}

template <int kTileRows>
__global__ void __launch_bounds__(32 * vector::kMostWarps)
    sm75_ffma_32x1x32_vector_along_rows(const __grid_constant__ VectorWork work) {
  vector::along_rows<kTileRows>(work);
}

namespace {

auto *kernel_of(const VectorPlan &plan) {
  if (plan.along_k) return plan.shape == 8 ? sm75_ffma_32x1x32_vector_along_k<8> : sm75_ffma_32x1x32_vector_along_k<32>;
  switch (plan.shape) {
    case 8:
      return sm75_ffma_32x1x32_vector_along_rows<8>;
    case 16:
      return sm75_ffma_32x1x32_vector_along_rows<16>;
    case 32:
      return sm75_ffma_32x1x32_vector_along_rows<32>;
    default:
      return sm75_ffma_32x1x32_vector_along_rows<64>;
  }
}

libsgemm_status_t sum_slices(const GemmDesc &desc, const VectorPlan &plan, const Launch &launch, Error *error) {
  TileProblem p = {};
  p.m = desc.m, p.n = desc.n, p.ldc = desc.ldc;
  p.alpha = desc.alpha, p.beta = desc.beta;
  p.partial = plan.work.partial;
  p.partial_ld = desc.m;
  StridedOperands operands = {};
  operands.c_base = plan.work.c, operands.c_elements = plan.work.c_stride;
  return launch_split_k_sum(p, static_cast<int>(plan.slices), operands, desc.batch_count, launch, error);
}

libsgemm_status_t launch_vector(const GemmDesc &desc, const Launch &launch, Error *error) {
  VectorPlan plan = vector_plan(desc, launch.device);
  VectorWork &work = plan.work;
  work.partial = static_cast<float *>(launch.workspace);
  for (int64_t first = 0; first < desc.batch_count; first += kMostProducts) {
    const int64_t count = std::min(desc.batch_count - first, kMostProducts);
    const dim3 grid(static_cast<unsigned>(plan.tiles), static_cast<unsigned>(plan.slices),
                    static_cast<unsigned>(count));
    const libsgemm_status_t status =
        launch_kernel(kernel_of(plan), grid, dim3(static_cast<unsigned>(plan.threads)), 0, launch, error, work);
    if (status != LIBSGEMM_SUCCESS) return status;
    if (plan.slices > 1) return sum_slices(desc, plan, launch, error);  // one launch takes all products
    work.x += count * work.x_stride, work.y += count * work.y_stride, work.c += count * work.c_stride;
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace

KernelList sm75_ffma_32x1x32_vector() {
  const auto prepare = [](const GemmDesc &desc, int device) -> Plan {
    if (!vector_supports(desc, device)) return {};
    const VectorPlan plan = vector_plan(desc, device);
    return planned(plan.seconds, plan.workspace_bytes);
  };
  return Kernel{"sm75_ffma_32x1x32_vector", LIBSGEMM_MATH_FP32, prepare, launch_vector};
}

}  // namespace libsgemm::cuda
