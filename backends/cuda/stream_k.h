// The persistent product of sm_90, between host and device: what a launch computes and how its blocks share the work.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tensor_map.h"

namespace libsgemm::cuda {

// How the blocks share the work.
enum class Sharing {
  stream,   // tiles are dealt out; some of them are cut along k where the blocks' equal shares end
  cluster,  // the blocks of a cluster take slices of k of one tile and add them up in shared memory
  slices    // the blocks take slices of k of one tile and leave them to stream_k_sum()
};

// How an operand comes to where it is multiplied. The copy engine wants addresses at multiples of 16 bytes; a matrix
// without that is seen as four, of every fourth column, whose starts are rounded down: column 4 j + v is column j of
// view v, `shift[v]` rows further down.
enum class Route : int32_t {
  direct,            // its columns run along m or n: by the copy engine alone
  turned,            // its columns run along k: transposed on the way
  turned_unaligned,  // the same, as four views
  shifted            // its columns run along m or n, as four views
};

struct StreamKOperand {
  TensorMap views[4];
  int32_t shift[4];
  Route route;
  int32_t view_count;
  uint32_t bytes;  // that the copy engine brings for one k-tile
};

struct StreamKOperands {
  StreamKOperand a, b;
  bool interleaved;  // the steps of k of a stage: 0 4 8 12 1 5 ..., as four views of columns bring them
};

// Besides its operands. The tile's rows are those of the kernel's A, which, swapped, is the caller's op(B)^T: then the
// tile is one of C^T.
struct StreamKProblem {
  int64_t m, n, ldc;  // of C
  float alpha, beta;
  float *c;
  bool vectors;  // columns of C start at multiples of 16 bytes
  int tiles_m, tiles_n, k_tiles;
  unsigned k_tiles_inverse;  // (2^32 - 1) / k_tiles
  int slices;                // cluster, slices: of each tile
  int stream_tiles;  // stream: the first tiles are cut along k into shares for all blocks; the others stay whole
  int share;         // stream: k-tiles of a block, of which the first `longer_shares` blocks have one more
  int longer_shares;
  float *partial;      // stream, slices: one tile for each block
  unsigned *finished;  // stream: one for each block, 0; not 0 once its partial tile is written
};

}  // namespace libsgemm::cuda
