// Backend::scale: C = beta * C on the elements that a routine writes; for trmm and trsm C = 0. beta == 0 writes without
// reading. Bound by memory: a block of 32 x 8 threads computes 32 rows x 64 columns, with 128 contiguous bytes at once.
#pragma once

#include <type_traits>

#include "batch.h"
#include "gpu.h"
#include "kernels.h"
#include "launch.h"

namespace libsgemm::gpu {

constexpr int kScaleRows = 32, kScaleColumns = 64, kScaleColumnsAtOnce = 8;
constexpr int kScaleThreads = kScaleRows * kScaleColumnsAtOnce;

struct ScaleProblem {
  int64_t m, n, ldc;
  int64_t row_tiles, tiles;  // numbers for one product
  float beta;
  Stored::Part part;
};

template <typename Operands>
__device__ __forceinline__ void scale_tiles(const Operands &operands, const ScaleProblem &p, int64_t products) {
  for (int64_t at = blockIdx.x; at < p.tiles * products; at += gridDim.x) {
    const int64_t product = at / p.tiles, tile = at % p.tiles;
    const int64_t row = tile % p.row_tiles * kScaleRows + threadIdx.x;
    const int64_t first_column = tile / p.row_tiles * kScaleColumns + threadIdx.y;
    if (row >= p.m) continue;
    Global<float> *c = global(operands.c(product)) + row;
#pragma unroll
    for (int j = 0; j < kScaleColumns; j += kScaleColumnsAtOnce) {
      const int64_t column = first_column + j;
      if (column >= p.n || (p.part == Stored::upper && row > column) || (p.part == Stored::lower && row < column)) {
        continue;
      }
      Global<float> *to = c + column * p.ldc;
      *to = p.beta == 0.0f ? 0.0f : p.beta * *to;
    }
  }
}

template <typename KernelFor>
libsgemm_status_t enqueue_scale(const GemmDesc &desc, const Launch &launch, Error *error, const KernelFor &kernel_for) {
  ScaleProblem p = {};
  p.m = desc.m, p.n = desc.n, p.ldc = desc.ldc;
  p.row_tiles = (desc.m - 1) / kScaleRows + 1;
  p.tiles = p.row_tiles * ((desc.n - 1) / kScaleColumns + 1);
  p.beta = in_place(desc) ? 0.0f : desc.beta;
  p.part = stored_c(desc).part;
  return for_chunks(desc, launch, INT32_MAX, [&](const auto &operands, int64_t products) {
    constexpr int64_t kMostBlocks = most_blocks(kScaleThreads);
    const int64_t blocks = p.tiles < kMostBlocks / products ? p.tiles * products : kMostBlocks;
    return launch_kernel(kernel_for(operands), dim3(static_cast<unsigned>(blocks)),
                         dim3(kScaleRows, kScaleColumnsAtOnce), 0, launch, error, operands, p, products);
  });
}

}  // namespace libsgemm::gpu
