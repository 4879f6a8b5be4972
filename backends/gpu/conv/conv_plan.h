#pragma once

#include "contract/backend.h"
#include "conv_problem.h"
#include "conv_product.h"

namespace libsgemm::gpu {

// All numbers must fit the types in conv_problem.h.
bool conv_fits(const ConvDesc &desc);

ConvProblem conv_problem(const ConvDesc &desc, int64_t index);
ConvProblem conv_problem(const ConvProduct &product, float alpha, float beta);
bool conv_image_is_a(const ConvDesc &desc, int64_t index);

// Directions in which operands are contiguous, and whether four elements are read at once, for all problems of a
// launch.
struct ConvFetch {
  bool a_along_k, b_along_k;
  bool a_vectors, b_vectors;
};
ConvFetch conv_fetch(const ConvProblem *problems, int count);

// Counts only what taps reach of the image.
double conv_bytes(const ConvDesc &desc);

// Bytes of an output to clear first, if no tap reaches some pixels (1 x 1 filters with strides). 0: there are no such
// pixels, or products without terms store their zeros.
size_t conv_cleared_bytes(const ConvDesc &desc);

}  // namespace libsgemm::gpu
