// Second kernel of split-K: C = alpha * (sum of the slices' partial results, in order) + beta * C.
//
//   block: 256 threads = 256 / groups elements x groups (1, 2, 4 or 8, growing with the number of slices)
//   group g sums a contiguous range of slices; group 0 adds the groups' sums in order
//
// Several groups read slices at the same time, because a single thread would wait for memory at each slice. Sums of
// chains have one group, which adds them in ascending order.
#pragma once

#include "contract/finish.h"
#include "gpu/gpu.h"
#include "split_k_kernel.h"

namespace libsgemm::gpu {

constexpr int kSumThreads = 256;

__device__ __forceinline__ float finished(const TileProblem &p, float sum, const Global<float> *c) {
  return p.beta != 0.0f ? fmaf(p.alpha, sum, p.beta * *c) : p.alpha * sum;
}
__device__ __forceinline__ float finished(const TileProblem &p, double sum, const Global<float> *c) {
  return p.beta != 0.0f ? libsgemm::finished(p.alpha, sum, p.beta, *c) : libsgemm::finished(p.alpha, sum);
}

// Real: type of the partial results. wanted(element): false for elements of a slice that C does not have. place(row,
// column): address in C.
template <typename Real, class Wanted, class Place>
__device__ __forceinline__ void sum_slices_to(const TileProblem &p, int slices, const Wanted &wanted,
                                              const Place &place) {
  __shared__ Real sums[kSumThreads];
  const int64_t matrix = p.partial_ld * p.n;
  const int64_t element = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int each = (slices - 1) / static_cast<int>(blockDim.y) + 1;
  const int first = static_cast<int>(threadIdx.y) * each, end = min(slices, first + each);
  const Global<Real> *partial =
      global(reinterpret_cast<const Real *>(p.partial)) + static_cast<int64_t>(blockIdx.z) * slices * matrix + element;
  const bool inside = element < matrix && wanted(element);
  Real sum = 0;
  if (inside) {
#pragma unroll 8
    for (int s = first; s < end; ++s) sum += partial[s * matrix];
  }
  sums[threadIdx.y * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  const int64_t row = element % p.partial_ld, column = element / p.partial_ld;
  if (threadIdx.y != 0 || !inside || row >= p.m) return;
  for (unsigned g = 1; g < blockDim.y; ++g) sum += sums[g * blockDim.x + threadIdx.x];
  Global<float> *c = place(row, column);
  *c = finished(p, sum, c);
}

template <typename Real, class Wanted>
__device__ __forceinline__ void sum_slices(const StridedOperands &operands, const TileProblem &p, int slices,
                                           const Wanted &wanted) {
  sum_slices_to<Real>(p, slices, wanted, [&](int64_t row, int64_t column) {
    return global(operands.c(blockIdx.z)) + column * p.ldc + row;
  });
}

template <typename Real>
__device__ __forceinline__ void sum_slices(const StridedOperands &operands, const TileProblem &p, int slices) {
  sum_slices<Real>(operands, p, slices, [](int64_t) { return true; });
}

struct SumGrid {
  dim3 grid, block;

  SumGrid(const TileProblem &p, int slices, int64_t count) {
    const unsigned groups = p.chain_tiles != 0 ? 1 : slices >= 16 ? 8 : slices >= 8 ? 4 : slices >= 4 ? 2 : 1;
    block = dim3(kSumThreads / groups, groups);
    grid = dim3(static_cast<unsigned>((p.partial_ld * p.n - 1) / block.x + 1), 1, static_cast<unsigned>(count));
  }
};

// `kernel` may have more parameters.
template <typename... More>
libsgemm_status_t enqueue_sum(void (*kernel)(StridedOperands, TileProblem, int, More...), const TileProblem &p,
                              int slices, const StridedOperands &operands, int64_t count, const Launch &launch,
                              Error *error, More... more) {
  const SumGrid at(p, slices, count);
  return launch_kernel(kernel, at.grid, at.block, 0, launch, error, operands, p, slices, more...);
}

}  // namespace libsgemm::gpu
