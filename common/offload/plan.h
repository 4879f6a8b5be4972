// How a product of host memory is cut for a device: tiles of C, panels of A and B, and how many of each the device
// holds at a time. Pure functions of numbers.
//
// C is cut at rows[] and cols[] into tiles, the sum over k at depth[]. A unit is one tile of one product, or, of a
// batch of small products, several products whole; its steps are the blocks of k. A step needs one block of A and one
// of B. What the device holds already is not copied again; what was not used for longest makes room.
#pragma once

#include <vector>

#include "desc.h"

namespace libsgemm {

inline int64_t ceil_div(int64_t x, int64_t y) { return x / y + (x % y != 0 ? 1 : 0); }

// Assumed speeds, which decide between plans; a wrong one costs time, nothing else.
struct Rates {
  double up, down;  // bytes a second, from and to the call's host memory
  double flops;     // a second, on the device
};

enum class Order : int8_t {
  frontier,  // tiles as the panels that they need arrive, one of A and one of B in turn: everything stays
  by_rows,   // all tiles of a row panel, there and back in turn
  by_cols,
};

struct Plan {
  int64_t group;  // products in a unit; above 1 they are whole
  Order order;
  std::vector<int64_t> rows, cols, depth;  // bounds, from 0 to m, n, k
  int a_buffers, b_buffers, c_buffers;     // blocks that the device holds at a time
  size_t a_bytes, b_bytes, c_bytes;        // of each
  double seconds;                          // predicted

  int64_t row_panels() const { return static_cast<int64_t>(rows.size()) - 1; }
  int64_t col_panels() const { return static_cast<int64_t>(cols.size()) - 1; }
  int64_t steps() const { return static_cast<int64_t>(depth.size()) - 1; }
  int64_t tiles() const { return row_panels() * col_panels(); }
  size_t bytes() const {
    return static_cast<size_t>(a_buffers) * a_bytes + static_cast<size_t>(b_buffers) * b_bytes +
           static_cast<size_t>(c_buffers) * c_bytes;
  }
};

// The fastest plan that needs at most `budget` bytes of the device. False if there is none.
bool make_plan(const GemmDesc &desc, const Rates &rates, size_t budget, Plan *plan);

// Buffers for a plan that has its cuts. False if they need more than the budget.
bool fit_plan(const GemmDesc &desc, size_t budget, Plan *plan);

struct Unit {
  int64_t item, items;  // products
  int64_t i, j;         // tile
  bool back;            // its steps are taken from the last to the first
};

// All units in order. `part` of `parts`: those of one of several devices, whose tiles lie in neighbouring columns.
std::vector<Unit> make_units(const GemmDesc &desc, const Plan &plan, int part, int parts);

// A block of a stored matrix: the same part of several products. None: items == 0.
struct Block {
  int64_t item, items;
  int64_t row, rows, col, cols;
};

Block block_of_a(const GemmDesc &desc, const Plan &plan, const Unit &unit, int64_t step);
Block block_of_b(const GemmDesc &desc, const Plan &plan, const Unit &unit, int64_t step);
Block block_of_c(const Plan &plan, const Unit &unit);

// The product of a unit's blocks as a description for a device, without pointers; `depth` of k.
GemmDesc device_desc(const GemmDesc &desc, const Block &a, const Block &b, const Block &c, int64_t depth);

// On the device columns start at multiples of 16 bytes, which the fast kernels want, and the columns and products of a
// block follow each other.
inline int64_t device_ld(int64_t rows, size_t size) {
  const auto step = static_cast<int64_t>(16 / size);
  return (rows + step - 1) / step * step;
}
size_t device_bytes(const Block &block, size_t size);

}  // namespace libsgemm
