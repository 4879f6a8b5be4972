// Description of a wgmma launch (wgmma_engine.cuh). Host and device.
//
// C is x by y here: x is the side whose operand wgmma takes first, 64 rows an instruction. A thread's accumulators run
// along y, so y is m where stores of C matter (C^T = op(B)^T op(A)^T); if m is large and n small, x is m.
#pragma once

#include <cstdint>
#include <utility>

#include "contract/host_device.h"
#include "gpu/divisor.h"
#include "runtime/tensor_map.h"

namespace libsgemm::cuda {

// Part of C that is computed; a triangle includes the diagonal.
enum class Part : int8_t { all, y_from_x, x_from_y };

// Clusters of a triangle that a launch computes.
enum class TriangleTiles : int8_t {
  squares,   // all, square
  lines,     // all, not square (TriangleLines)
  beside,    // squares off the diagonal
  halves,    // on the diagonal, half of a square's x with all of its y
  quarters,  // the rest of the triangle on the diagonal
};
LIBSGEMM_HOST_DEVICE constexpr bool y_has_x(TriangleTiles tiles) { return tiles >= TriangleTiles::halves; }

constexpr int kPromoteDepth = 64;   // k of splits after which sums leave the tensor cores
constexpr int kWgmmaThreads = 384;  // two warpgroups that multiply, one that copies

// 16-bit tiles of any width: k of a stage, rows of x.
constexpr int kWgmmaDepth = 64, kWgmmaRows = 128;
using WgmmaWidths =
    std::integer_sequence<int, 256, 240, 224, 208, 192, 176, 160, 144, 128, 112, 96, 80, 64, 48, 32, 16>;

constexpr int kWgmmaGroup = 8;  // rows of tiles computed together, which share operands in L2

constexpr int kWgmmaBox = 32;  // columns of y that TMA stores at once

// A cluster has 1 << log_x blocks along x, which share y, times 1 << log_y along y, which share x.
struct WgmmaCluster {
  int8_t log_x, log_y;  // log_y: 0 or 1

  LIBSGEMM_HOST_DEVICE constexpr int log_blocks() const { return log_x + log_y; }
  LIBSGEMM_HOST_DEVICE constexpr int blocks() const { return 1 << log_blocks(); }
  // Number of blocks that share an operand with a block, itself included. Their ranks are `rank` xor i.
  LIBSGEMM_HOST_DEVICE constexpr int sharers() const { return (1 << log_x) + (1 << log_y) - 1; }
  // Position in the cluster. Single blocks may be launched as pairs, so `rank` may be 1.
  LIBSGEMM_HOST_DEVICE constexpr int x(int rank) const { return rank & ((1 << log_x) - 1); }
  LIBSGEMM_HOST_DEVICE constexpr int y(int rank) const { return rank >> log_x & ((1 << log_y) - 1); }
  // Multicast masks.
  LIBSGEMM_HOST_DEVICE constexpr unsigned sharing_x(int rank) const {
    return (log_y > 0 ? 1u | 1u << (1 << log_x) : 1u) << x(rank);
  }
  LIBSGEMM_HOST_DEVICE constexpr unsigned sharing_y(int rank) const {
    return ((1u << (1 << log_x)) - 1) << (y(rank) << log_x);
  }
};

constexpr int kMostCluster = 4;  // blocks, for tiles of any width

struct WgmmaMaps {
  TensorMap x, y;  // indexed by (along lines, across them, plane, product)
  TensorMap c;     // if `boxes`; indexed by (y, x, 0, matrix), or x first if its step is 1
};

struct WgmmaProblem {
  int x, y;                  // sizes of C
  int tiles_x, tiles_y;      // C in tiles of a cluster
  gpu::Divisor tiles;        // tiles of a matrix that are computed
  gpu::Divisor last_height;  // tiles along y of the last group of kWgmmaGroup
  int width, stages;         // tile along y, stages of the ring; only for any_width
  int k_steps, slices;       // k-steps of the whole product, slices of k
  int slice_steps;           // least k-steps of a slice; some have one more
  int products;
  float alpha, beta;
  // Element (x, y) of product i is at c + i * c_elements + x * step_x + y * step_y; one step is 1. Slice s of product i
  // is matrix i * slices + s.
  float *c;
  int64_t step_x, step_y, c_elements;
  Part part;
  TriangleTiles triangle;
  WgmmaCluster cluster;   // only for tiles of any width
  bool moves_x, moves_y;  // false: all products have the same operand
  bool vectors;           // pairs along y can be stored
  bool boxes;             // TMA can store C

  // Tiles on a triangle's diagonal: x is the rows of y from x_row() on and is not copied.
  LIBSGEMM_HOST_DEVICE bool y_has_x() const { return cuda::y_has_x(triangle); }
  LIBSGEMM_HOST_DEVICE int x_row() const {
    return triangle == TriangleTiles::halves && part == Part::x_from_y ? kWgmmaRows : 0;
  }
};

// Lines of a triangle whose clusters are not square. A line is `line` wide. Its clusters, `across` wide and at most
// `most`, are those that begin before the line's end.
struct TriangleLines {
  int line, across, most;
  int end = 0, clusters = 0;
  LIBSGEMM_HOST_DEVICE TriangleLines(int line, int across, int most) : line(line), across(across), most(most) {}
  LIBSGEMM_HOST_DEVICE int next() {
    end += line;
    while (clusters < most && clusters * across < end) ++clusters;
    return clusters;
  }
};

}  // namespace libsgemm::cuda
