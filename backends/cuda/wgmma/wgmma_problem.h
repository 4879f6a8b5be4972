// What a launch of the wgmma engine (wgmma_engine.cuh) computes. Host and device.
//
// The engine knows C as x by y: x is the side whose operand wgmma takes first, 64 rows an instruction, y the other one.
// A thread's sums lie along y, so that y is m wherever C is written much: there the product is computed transposed,
// C^T = op(B)^T op(A)^T. Where m is large and n small, x is m.
#pragma once

#include <cstdint>
#include <utility>

#include "contract/host_device.h"
#include "gpu/divisor.h"
#include "runtime/tensor_map.h"

namespace libsgemm::cuda {

// What of C is computed, by its sides: a triangle with its diagonal.
enum class Part : int8_t { all, y_from_x, x_from_y };

// Which of a triangle's clusters a launch has, and in what order.
enum class TriangleTiles : int8_t {
  squares,   // all: they have as many rows as columns
  lines,     // all: they do not (TriangleLines)
  beside,    // squares, but for those on the diagonal
  halves,    // of those on it the half that has all of y
  quarters,  // and what is left of them
};
LIBSGEMM_HOST_DEVICE constexpr bool y_has_x(TriangleTiles tiles) { return tiles >= TriangleTiles::halves; }

constexpr int kPromoteDepth = 64;   // steps of k, of splits, after which sums leave the tensor cores
constexpr int kWgmmaThreads = 384;  // two warpgroups that multiply, one that copies

// Of 16-bit products in tiles of any width: steps of k of a stage, rows of x of most tiles, columns of y.
constexpr int kWgmmaDepth = 64, kWgmmaRows = 128;
using WgmmaWidths =
    std::integer_sequence<int, 256, 240, 224, 208, 192, 176, 160, 144, 128, 112, 96, 80, 64, 48, 32, 16>;

constexpr int kWgmmaGroup = 8;  // rows of tiles that are computed together: they share operands in the L2 cache

constexpr int kWgmmaBox = 32;  // columns of y that TMA stores at once

// Blocks of a cluster, by powers of two: 1 << log_x side by side along x, which share y, and 1 << log_y of those along
// y, which share x.
struct WgmmaCluster {
  int8_t log_x, log_y;  // log_y is 0 or 1

  LIBSGEMM_HOST_DEVICE constexpr int log_blocks() const { return log_x + log_y; }
  LIBSGEMM_HOST_DEVICE constexpr int blocks() const { return 1 << log_blocks(); }
  // Those that a block shares an operand with, and itself. They are `rank` with each of 0 .. sharers() - 1 exclusively
  // or'ed, in clusters of up to 4 blocks.
  LIBSGEMM_HOST_DEVICE constexpr int sharers() const { return (1 << log_x) + (1 << log_y) - 1; }
  // Where block `rank` is. (Blocks alone may have been launched as pairs.)
  LIBSGEMM_HOST_DEVICE constexpr int x(int rank) const { return rank & ((1 << log_x) - 1); }
  LIBSGEMM_HOST_DEVICE constexpr int y(int rank) const { return rank >> log_x & ((1 << log_y) - 1); }
  // The blocks that share its x, its y, as bits.
  LIBSGEMM_HOST_DEVICE constexpr unsigned sharing_x(int rank) const {
    return (log_y > 0 ? 1u | 1u << (1 << log_x) : 1u) << x(rank);
  }
  LIBSGEMM_HOST_DEVICE constexpr unsigned sharing_y(int rank) const {
    return ((1u << (1 << log_x)) - 1) << (y(rank) << log_x);
  }
};

constexpr int kMostCluster = 4;  // blocks of a cluster of tiles of any width

struct WgmmaMaps {
  TensorMap x, y;  // of (along the lines, across them, plane, product)
  TensorMap c;     // of (y, x, 0, matrix), or with x first where its step is 1, if WgmmaProblem::boxes
};

struct WgmmaProblem {
  int x, y;                  // sizes of C
  int tiles_x, tiles_y;      // of a cluster's tiles
  gpu::Divisor tiles;        // those of a matrix: of a triangle fewer
  gpu::Divisor last_height;  // in tiles, of the last kWgmmaGroup rows of them
  int width, stages;         // of a tile, along y; of the ring: of tiles of any width
  int k_steps, slices;       // stages of k, of the whole product; in how many slices
  int slice_steps;           // of a slice, or one more
  int products;
  float alpha, beta;
  // Element (x, y) of product i: c + i * c_elements + x * step_x + y * step_y; one of the steps is 1. Of slices the
  // same, each with a matrix of its own, slice s of product i being number i * slices + s.
  float *c;
  int64_t step_x, step_y, c_elements;
  Part part;
  TriangleTiles triangle;  // of a part
  WgmmaCluster cluster;    // of tiles of any width
  bool moves_x, moves_y;   // else all products have the same operand
  bool vectors;            // step_y is 1, and pairs of y are aligned to 8 bytes
  bool boxes;              // TMA can store C, along the side whose step is 1

  // Of a triangle's tiles on the diagonal, whose operands are one matrix: x are rows of y, from so many on, and not
  // copied themselves.
  LIBSGEMM_HOST_DEVICE bool y_has_x() const { return cuda::y_has_x(triangle); }
  LIBSGEMM_HOST_DEVICE int x_row() const {
    return triangle == TriangleTiles::halves && part == Part::x_from_y ? kWgmmaRows : 0;
  }
};

// The lines of clusters of a triangle that are not squares, one after the other: each, `line` wide, has those that
// begin before its end, `across` wide, of `most` there are.
struct TriangleLines {
  int line, across, most;
  int end = 0, clusters = 0;
  LIBSGEMM_HOST_DEVICE TriangleLines(int line, int across, int most) : line(line), across(across), most(most) {}
  // How many the next line has.
  LIBSGEMM_HOST_DEVICE int next() {
    end += line;
    while (clusters < most && clusters * across < end) ++clusters;
    return clusters;
  }
};

}  // namespace libsgemm::cuda
