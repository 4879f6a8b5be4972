// Products of different sizes in one wgmma launch. The tiles (clusters) of all products are numbered in sequence:
//
//   tiles     0 1 2 3 4 5 | 6 7 | 8 9 10 11 | 12      first = 0, 6, 8, 12, 13
//   product   0             1     2           3
//
// A block takes its tiles in ascending order. It finds its first product by bisection, the others by a linear search.
#pragma once

#include "cuda/wgmma/wgmma_engine.cuh"
#include "wgmma_grouped.h"

namespace libsgemm::cuda {

class WgmmaGroupWork {
 public:
  __device__ __forceinline__ WgmmaGroupWork(const WgmmaGroup &group, int first) : group_(group) {
    int end = group.count;
    while (end - now_ > 1) {
      const int middle = (now_ + end) / 2;
      (group.first[middle] <= first ? now_ : end) = middle;
    }
  }

  __device__ __forceinline__ int count() const { return group_.first[group_.count]; }
  __device__ __forceinline__ WgmmaTile tile(int index) {
    while (group_.first[now_ + 1] <= index) ++now_;
    return {problem(), index - group_.first[now_]};
  }
  __device__ __forceinline__ const WgmmaMaps &maps() const { return group_.maps[now_]; }
  __device__ __forceinline__ const WgmmaProblem &problem() const { return group_.problem[now_]; }
  __device__ __forceinline__ WgmmaRows rows(int row, int product) const { return {row, product}; }
  __device__ __forceinline__ void prepare() const {}
  // Prefetches the maps of tile `index`, if it belongs to another product.
  __device__ __forceinline__ void expect(int index) const {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    int next = now_;
    while (next < group_.count && group_.first[next + 1] <= index) ++next;
    if (next == now_ || next == group_.count) return;
    ptx::prefetch_map(&group_.maps[next].x);
    ptx::prefetch_map(&group_.maps[next].y);
#endif
  }

 private:
  const WgmmaGroup &group_;
  int now_ = 0;
};

}  // namespace libsgemm::cuda
