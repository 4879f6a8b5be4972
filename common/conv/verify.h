// Checking the result of a convolution against FP64.
#pragma once

#include <memory>

#include "matrix/tensor.h"
#include "verify/verify.h"

namespace libsgemm {

// The output of a convolution as it was.
class ConvSnapshot {
 public:
  // False if there is no memory for it.
  bool take(const ConvDesc &desc);
  void restore(const ConvDesc &desc) const;
  const Tensor &tensor() const { return tensor_; }

 private:
  std::unique_ptr<float[]> data_;
  Tensor tensor_ = {};
};

// The worst |error| / bound over the elements looked at, as verify_result(): SAMPLE 256 elements, drawn by `seed`, FULL
// all. The bound is that of an element of the product of product_of(), from the magnitudes of its own terms. But in
// FP16X3 and BF16X6 an image has one scale, so that parts of its elements are cut off below 2^-49, and 2^-148, of the
// largest of all its channels and pixels; in a weight gradient all images together, x and dy each. `before`: the output
// as it was, of any steps, needed if beta is not 0. All tensors in host memory.
double verify_conv(const ConvDesc &desc, const Tensor &before, libsgemm_verify_t mode, Arithmetic arithmetic,
                   uint64_t seed);

}  // namespace libsgemm
