// Kernels of one wgmma tile, right and wrong, for tests of its emulation.
#pragma once

#include <vector>

#include "runtime/tensor_map.h"
#include "tensor/tensor_tile.cuh"

namespace simt_test {

enum class WgmmaFault {
  none,
  no_fence,         // before the first product
  no_wait,          // before the accumulators are stored
  writes_sums,      // while a product is under way
  never_waits,      // at all
  three_warps,      // the fourth one issues nothing
  two_descriptors,  // the fourth warp has another descriptor
  unaligned,        // the box of x is off by 128 bytes
  uninitialised,    // the barrier
};

struct WgmmaTest {
  libsgemm::cuda::TensorMap x, y;
  float *c;     // 64 x n, rows dense
  float start;  // initial value of the accumulators; zero: the first product does not add
  WgmmaFault fault;
};

// C = start + x y^T of one line of k; with `line` 128 64 steps of 16-bit numbers. Boxes are 64 rows of x, n of y; along
// the outer side 64 each.
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
