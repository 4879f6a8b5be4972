// The products of a convolution, and how their operands are fetched.
#pragma once

#include "contract/backend.h"
#include "conv_problem.h"
#include "conv_product.h"

namespace libsgemm::gpu {

// True if all numbers fit the types in conv_problem.h.
bool conv_fits(const ConvDesc &desc);

// Product `index` of conv_products().
ConvProblem conv_problem(const ConvDesc &desc, int64_t index);
ConvProblem conv_problem(const ConvProduct &product, float alpha, float beta);
// True if ConvProblem::a is the image.
bool conv_image_is_a(const ConvDesc &desc, int64_t index);

// Along which index operands are contiguous, and whether four elements are read at once, in all problems of a launch.
struct ConvFetch {
  bool a_along_k, b_along_k;
  bool a_vectors, b_vectors;
};
ConvFetch conv_fetch(const ConvProblem *problems, int count);

// Bytes of all tensors, moved once; of the image only what taps reach.
double conv_bytes(const ConvDesc &desc);

// Bytes of an output to clear before products with terms are stored, if no tap reaches some pixels (1 x 1 filters with
// strides). 0: none, or these are written one by one.
size_t conv_cleared_bytes(const ConvDesc &desc);

}  // namespace libsgemm::gpu
