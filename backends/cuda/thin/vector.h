// The matrix-vector product, for the kernels of vector.cuh. n = 1 (C = op(A) op(B)) and m = 1 (C^T = op(B)^T op(A)^T)
// are one problem: r = X y, where X has `rows` rows and k columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/backend.h"

namespace libsgemm::cuda {

namespace vector {

// K-major X:
constexpr int kRowsOfLane = 4;
constexpr int kBatchOfLane = 16;  // k of a lane's step
constexpr int kWarpsAlongK = 4;
template <int kLanes>
constexpr int kResidentAlongK = kLanes == 8 ? 3 : 4;  // registers limit the blocks

// X contiguous along its rows:
constexpr int kFloatsOfLane = 32;              // elements of a lane's step
constexpr int kMostWarps = 32;                 // warps of a block
constexpr int kWarpStep = 32 * kFloatsOfLane;  // elements of a warp's step

}  // namespace vector

struct VectorWork {
  const float *x, *y;
  float *c;
  int64_t rows, k;
  int64_t x_ld;  // leading dimension of X
  int64_t y_step, c_step;
  int64_t x_stride, y_stride, c_stride;
  float alpha, beta;

  int tile_rows;
  int warps_k;     // warps that divide k of the same rows
  int64_t slice;   // k of a slice, a multiple of 4
  float *partial;  // sums of several slices: [product][slice][row]
};

struct VectorPlan {
  VectorWork work;
  bool along_k;  // K-major X
  int shape;     // K-major: lanes that share a row; else the largest number of rows in a tile
  int64_t tiles, slices;
  int64_t blocks;
  int threads;
  size_t workspace_bytes;  // 0 if there is one slice
  double seconds;
};

bool vector_supports(const GemmDesc &desc, int device);
VectorPlan vector_plan(const GemmDesc &desc, int device);

}  // namespace libsgemm::cuda
