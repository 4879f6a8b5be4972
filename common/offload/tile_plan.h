// How a product of host memory is cut for a device: tiles of C, panels of A and B, and how many of each the device
// holds at a time. Pure functions of numbers.
//
// C is cut at rows[] and cols[] into tiles, the sum over k at depth[]. A unit is one tile of one product, or, of a
// batch of small products, several products whole. It takes a launch for each block of k, which needs one block of A
// and one of B. A block that the device holds already is not copied again; the least recently used one makes room.
//
// Where only a triangle of C belongs to the routine (syrk, syr2k, gemmtr), rows and columns are cut alike. Tiles on the
// diagonal are computed by the same routine, those in the triangle as products: A_i A_j^T for syrk; A_i B_j^T and B_i
// A_j^T for syr2k, which are two launches.
#pragma once

#include <vector>

#include "contract/desc.h"

namespace libsgemm {

inline int64_t ceil_div(int64_t x, int64_t y) { return x / y + (x % y != 0 ? 1 : 0); }

// Assumed speeds, which decide between plans; a wrong one costs time, nothing else.
struct Rates {
  double up, down;  // bytes a second, from and to the call's host memory
  double flops;     // a second, on the device
};

enum class Order : int8_t {
  frontier,  // tiles as their panels arrive, alternately one of A and one of B; all panels stay
  by_rows,   // row panel by row panel, alternately in ascending and descending order
  by_cols,
};

struct TilePlan {
  int64_t group;  // products in a unit; above 1 they are whole
  Order order;
  std::vector<int64_t> rows, cols, depth;  // bounds, from 0 to m, n, k
  int a_buffers, b_buffers, c_buffers;     // blocks that the device holds at a time
  size_t a_bytes, b_bytes, c_bytes;        // bytes of one buffer
  double seconds;                          // predicted

  int64_t row_panels() const { return static_cast<int64_t>(rows.size()) - 1; }
  int64_t col_panels() const { return static_cast<int64_t>(cols.size()) - 1; }
  int64_t steps() const { return static_cast<int64_t>(depth.size()) - 1; }
  int64_t tiles() const { return row_panels() * col_panels(); }  // at most
  size_t bytes() const {
    return static_cast<size_t>(a_buffers) * a_bytes + static_cast<size_t>(b_buffers) * b_bytes +
           static_cast<size_t>(c_buffers) * c_bytes;
  }
};

// Makes the fastest plan that needs at most `budget` bytes of the device. False if there is none.
bool make_plan(const GemmDesc &desc, const Rates &rates, size_t budget, TilePlan *plan);

// Assigns buffers to a plan that has its cuts. False if they need more than the budget.
bool fit_plan(const GemmDesc &desc, size_t budget, TilePlan *plan);

struct Unit {
  int64_t item, items;  // products
  int64_t i, j;         // tile
  bool back;            // k is processed from its last block to the first
};

// Returns the units of one device, `part` of `parts`, in order. The tiles of a device are in neighbouring columns.
std::vector<Unit> make_units(const GemmDesc &desc, const TilePlan &plan, int part, int parts);

// A block of a stored matrix: the same part of several products. None: items == 0.
struct Block {
  int64_t item, items;
  int64_t row, rows, col, cols;
};

// A factor of a launch: a block of A or of B, in the place of either. None: block.items == 0.
struct Factor {
  bool of_b;
  Block block;
};
struct Factors {
  Factor first, second;
  int64_t step;  // the block of k
};

int64_t launches_per_step(const GemmDesc &desc, const Unit &unit);
inline int64_t launches_of(const GemmDesc &desc, const TilePlan &plan, const Unit &unit) {
  return plan.steps() * launches_per_step(desc, unit);
}
// True if an element of C is rounded between parts of its sum: blocks of k, or the two products of syr2k.
bool rounds_between(const GemmDesc &desc, const TilePlan &plan);
Factors factors_of(const GemmDesc &desc, const TilePlan &plan, const Unit &unit, int64_t launch);
Block block_of_c(const TilePlan &plan, const Unit &unit);

// Describes a launch for a device, without pointers and as if it were the first launch of its unit.
GemmDesc device_desc(const GemmDesc &desc, const TilePlan &plan, const Unit &unit, const Factors &factors);

// True if only a triangle of C belongs to the routine.
inline bool has_triangle(const GemmDesc &desc) { return traits_of(desc).triangle_of_c; }

// Leading dimension of a block on the device. Columns start at multiples of 16 bytes, which the fast kernels require;
// the columns and products of a block follow each other.
inline int64_t device_ld(int64_t rows, size_t size) {
  const auto step = static_cast<int64_t>(16 / size);
  return (rows + step - 1) / step * step;
}
size_t device_bytes(const Block &block, size_t size);

}  // namespace libsgemm
