// The products that a convolution is cut into, and how their operands are fetched.
#pragma once

#include "contract/backend.h"
#include "conv_problem.h"
#include "conv_product.h"

namespace libsgemm::gpu {

// Whether the numbers of all its products fit conv_problem.h.
bool conv_fits(const ConvDesc &desc);

// Product `index` of conv_products().
ConvProblem conv_problem(const ConvDesc &desc, int64_t index);
ConvProblem conv_problem(const ConvProduct &product, float alpha, float beta);
// Whether its rows are those of the image: as ConvProblem::a.
bool conv_image_is_a(const ConvDesc &desc, int64_t index);

// How the tiles of such problems are fetched: along which index the elements of an operand are neighbours, and whether
// four at once. Both operands of all problems can do it.
struct ConvFetch {
  bool a_along_k, b_along_k;
  bool a_vectors, b_vectors;
};
ConvFetch conv_fetch(const ConvProblem *problems, int count);

// Bytes of all tensors, each moved once; of the image what taps meet.
double conv_bytes(const ConvDesc &desc);

// Bytes of an output to be cleared as a whole before the products that have terms are stored: where there are pixels
// that no tap meets, as with 1 x 1 filters and strides. 0: none, or it has to be done pixel by pixel.
size_t conv_cleared_bytes(const ConvDesc &desc);

}  // namespace libsgemm::gpu
