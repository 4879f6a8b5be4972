// Kernels of one wgmma tile, right and wrong, for its emulation's tests.
#pragma once

#include <vector>

#include "runtime/tensor_map.h"
#include "tensor/tensor_tile.cuh"

namespace simt_test {

enum class WgmmaFault {
  none,
  no_fence,
  no_wait,      // before the accumulators are stored
  writes_sums,  // during a product
  never_waits,
  three_warps,      // the fourth issues nothing
  two_descriptors,  // the fourth warp's differs
  unaligned,        // x's box is off by 128 bytes
  uninitialised,    // the barrier
};

struct WgmmaTest {
  libsgemm::cuda::TensorMap x, y;
  float *c;     // 64 x n, dense rows
  float start;  // initial accumulators; zero: the first product does not add
  WgmmaFault fault;
};

// C = start + x y^T of one line of k; `line` 128: 64 steps of 16-bit numbers. Boxes: 64 rows of x, n of y; MN-major 64
// each.
struct WgmmaTile {
  libsgemm::cuda::Number number;
  int n;
  bool x_along_k, y_along_k;
  int line;
  void (*kernel)(WgmmaTest);
  size_t shared_bytes;
};
const std::vector<WgmmaTile> &wgmma_tiles();

}  // namespace simt_test
