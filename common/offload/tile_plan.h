// How a product in host memory is cut for a device (docs/kernels/offload.md). rows[] and cols[] cut C into tiles,
// depth[] cuts the sum over k. A unit is a tile of one product, or several whole products of a batch of small ones.
// Each block of k is a launch, with a block of A and one of B.
//
// In a triangle of C, tiles on the diagonal run the same routine, the others products: A_i A_j^T for syrk; A_i B_j^T
// and B_i A_j^T, two launches, for syr2k.
#pragma once

#include <vector>

#include "contract/desc.h"

namespace libsgemm {

inline int64_t ceil_div(int64_t x, int64_t y) { return x / y + (x % y != 0 ? 1 : 0); }

// Assumed: a wrong speed costs only time.
struct Rates {
  double up, down;  // bytes a second, from and to the call's host memory
  double flops;     // FLOP a second
};

enum class Order : int8_t {
  frontier,  // tiles as their panels arrive, alternately of A and of B; all panels stay
  by_rows,   // row panel by row panel, alternately ascending and descending
  by_cols,
};

struct TilePlan {
  int64_t group;  // products in a unit; above 1 they are whole
  Order order;
  std::vector<int64_t> rows, cols, depth;  // from 0 to m, n, k
  int a_buffers, b_buffers, c_buffers;     // blocks on the device at a time
  size_t a_bytes, b_bytes, c_bytes;        // size of one buffer
  double seconds;                          // predicted

  int64_t row_panels() const { return static_cast<int64_t>(rows.size()) - 1; }
  int64_t col_panels() const { return static_cast<int64_t>(cols.size()) - 1; }
  int64_t steps() const { return static_cast<int64_t>(depth.size()) - 1; }
  int64_t tiles() const { return row_panels() * col_panels(); }  // a triangle has fewer
  size_t bytes() const {
    return static_cast<size_t>(a_buffers) * a_bytes + static_cast<size_t>(b_buffers) * b_bytes +
           static_cast<size_t>(c_buffers) * c_bytes;
  }
};

// Within `budget` bytes of device memory. False: none.
bool make_plan(const GemmDesc &desc, const Rates &rates, size_t budget, TilePlan *plan);

// For a plan with cuts. False: its buffers exceed the budget.
bool fit_plan(const GemmDesc &desc, size_t budget, TilePlan *plan);

struct Unit {
  int64_t item, items;  // products
  int64_t i, j;         // tile
  bool back;            // k runs from its last block to the first
};

// Units in order, for device `part` of `parts`. A device's tiles are in neighbouring columns.
std::vector<Unit> make_units(const GemmDesc &desc, const TilePlan &plan, int part, int parts);

// The same part of several products' matrices; items 0: none.
struct Block {
  int64_t item, items;
  int64_t row, rows, col, cols;
};

// A block of A or of B, in the place of either; block.items 0: none.
struct Factor {
  bool of_b;
  Block block;
};
struct Factors {
  Factor first, second;
  int64_t step;  // block of k
};

int64_t launches_per_step(const GemmDesc &desc, const Unit &unit);
inline int64_t launches_of(const GemmDesc &desc, const TilePlan &plan, const Unit &unit) {
  return plan.steps() * launches_per_step(desc, unit);
}
// Elements of C are rounded between blocks of k, or the products of syr2k.
bool rounds_between(const GemmDesc &desc, const TilePlan &plan);
Factors factors_of(const GemmDesc &desc, const TilePlan &plan, const Unit &unit, int64_t launch);
Block block_of_c(const TilePlan &plan, const Unit &unit);

// Describes a launch without pointers, as if it were its unit's first.
GemmDesc device_desc(const GemmDesc &desc, const TilePlan &plan, const Unit &unit, const Factors &factors);

inline bool has_triangle(const GemmDesc &desc) { return traits_of(desc).triangle_of_c; }

// Columns start at multiples of 16 bytes, for fast kernels; columns and products follow each other.
inline int64_t device_ld(int64_t rows, size_t size) {
  const auto step = static_cast<int64_t>(16 / size);
  return (rows + step - 1) / step * step;
}
size_t device_bytes(const Block &block, size_t size);

}  // namespace libsgemm
