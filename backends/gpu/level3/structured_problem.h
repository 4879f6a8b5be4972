// The problems that the tile kernels of level 3 compute, and the cost of a launch. All routines have one form:
//
//   C (m x n) = alpha * (A B + [terms == 2] B^T A^T) + beta * C   on a part of C,
//
// with A m x k, which may be symmetric or triangular, and B k x n. symm and trmm from the right are the transposed
// problem: operands are accessed by strides, of which a transposition swaps two.
#pragma once

#include "contract/backend.h"
#include "gpu/batch.h"
#include "gpu/cost.h"

namespace libsgemm::gpu::level3 {

// The structure of A in a tile kernel.
enum class Structure { general, symmetric, triangular };

// Strides of an operand: from one element to the next along m or n (`outer`) and along k (`depth`). One of them is 1.
struct Walk {
  int64_t outer, depth;
};

struct StructuredProblem {
  int64_t m, n, k;
  Walk a, b;
  int64_t c_row, c_col;
  float alpha, beta;
  int32_t terms;
  Stored::Part part;  // part of C that is written
  bool upper;         // symmetric A: the stored triangle; triangular A: the one that is not zero
  bool unit;          // triangular A: the diagonal is one
};

// Takes every routine except trsm. For trmm, B must be a dense copy of C, with leading dimension `ldb`.
StructuredProblem structured_problem(const GemmDesc &desc);

// Number of tiles of C that are computed, for one product.
int64_t tile_count(const StructuredProblem &problem, int tile_m, int tile_n);

// True for calls that the kernels for triangles of C take, also syrk of 16-bit inputs.
inline bool wants_triangle(const GemmDesc &desc) {
  return traits_of(desc).triangle_of_c && traits_of(desc).takes(desc.type) && desc.batch != Batch::pointers;
}

// Returns the description with B = A if the routine has no B.
GemmDesc with_b(const GemmDesc &desc);

// For a routine that writes a triangle of C: the product op(A) op(B) whose triangle is needed; for syr2k the first of
// two, which read the same data.
GemmDesc as_product(const GemmDesc &desc);

// For symm, or trmm with a copy of C as B: the gemm that it would be with all of A.
GemmDesc as_gemm(const GemmDesc &desc);

// trmm and trsm in place: T X or T^-1 X, with T order x order and X order x count.
struct PanelProblem {
  int64_t order, count;
  Walk t, x;  // outer: along rows of T, along columns of X
  float alpha;
  bool upper, unit;
};

PanelProblem panel_problem(const GemmDesc &desc);

// Predicted seconds of a panel kernel, see panel.h.
double panel_seconds(const GemmDesc &desc, int index);

double tiles_seconds(const GemmDesc &desc, const DeviceModel &device, const Tiling &tiling);

}  // namespace libsgemm::gpu::level3
