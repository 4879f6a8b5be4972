// Products that a convolution is cut into, and how their operands are fetched.
#pragma once

#include "contract/backend.h"
#include "conv_problem.h"
#include "conv_product.h"

namespace libsgemm::gpu {

// True if the numbers of all products of the convolution fit the types in conv_problem.h.
bool conv_fits(const ConvDesc &desc);

// Product `index` of conv_products().
ConvProblem conv_problem(const ConvDesc &desc, int64_t index);
ConvProblem conv_problem(const ConvProduct &product, float alpha, float beta);
// True if the rows of its C are those of the image, so that ConvProblem::a is the image.
bool conv_image_is_a(const ConvDesc &desc, int64_t index);

// How the tiles of all problems of a launch are fetched: along which index an operand is contiguous, and whether four
// elements are read at once.
struct ConvFetch {
  bool a_along_k, b_along_k;
  bool a_vectors, b_vectors;
};
ConvFetch conv_fetch(const ConvProblem *problems, int count);

// Bytes of all tensors, each moved once; of the image, only what taps reach.
double conv_bytes(const ConvDesc &desc);

// Bytes of an output that has to be cleared as a whole before the products that have terms are stored: if no tap
// reaches some pixels, as with 1 x 1 filters and strides. 0: there are none, or they have to be written one by one.
size_t conv_cleared_bytes(const ConvDesc &desc);

}  // namespace libsgemm::gpu
