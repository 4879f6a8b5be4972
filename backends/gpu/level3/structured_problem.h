// Problems of the tile kernels of level 3. All routines have one form:
//
//   C (m x n) = alpha * (A B + [terms == 2] B^T A^T) + beta * C   on a part of C,
//
// with A m x k, which may be symmetric or triangular, and B k x n. symm and trmm from the right are the transposed
// problem, with swapped strides.
#pragma once

#include "contract/backend.h"
#include "gpu/batch.h"
#include "gpu/cost.h"

namespace libsgemm::gpu::level3 {

enum class Structure { general, symmetric, triangular };

// Strides along m or n (`outer`) and k (`depth`), one of which is 1.
struct Walk {
  int64_t outer, depth;
};

struct StructuredProblem {
  int64_t m, n, k;
  Walk a, b;
  int64_t c_row, c_col;
  float alpha, beta;
  int32_t terms;
  Stored::Part part;  // part that is written
  bool upper;         // symmetric A: the stored triangle; triangular A: the one that is not zero
  bool unit;          // triangular A: ones on the diagonal
};

// Any routine except trsm. For trmm, B must be a dense copy of C.
StructuredProblem structured_problem(const GemmDesc &desc);

int64_t tile_count(const StructuredProblem &problem, int tile_m, int tile_n);

// Calls for the kernels for triangles of C, also syrk of 16-bit inputs.
inline bool wants_triangle(const GemmDesc &desc) {
  return traits_of(desc).triangle_of_c && traits_of(desc).takes(desc.type) && desc.batch != Batch::pointers;
}

// B = A if the routine has no B.
GemmDesc with_b(const GemmDesc &desc);

// Product whose triangle is needed; for syr2k the first of two.
GemmDesc as_product(const GemmDesc &desc);

// Multiplies by all of A; trmm: with a copy of C as B.
GemmDesc as_gemm(const GemmDesc &desc);

// T X or T^-1 X in place, with T order x order and X order x count.
struct PanelProblem {
  int64_t order, count;
  Walk t, x;  // outer: rows of T, columns of X
  float alpha;
  bool upper, unit;
};

PanelProblem panel_problem(const GemmDesc &desc);

double panel_seconds(const GemmDesc &desc, int index);

double tiles_seconds(const GemmDesc &desc, const DeviceModel &device, const Tiling &tiling);

}  // namespace libsgemm::gpu::level3
