// Checks a convolution against FP64.
#pragma once

#include <memory>

#include "matrix/tensor.h"
#include "verify/verify.h"

namespace libsgemm {

class ConvSnapshot {
 public:
  // False: no memory.
  bool take(const ConvDesc &desc);
  void restore(const ConvDesc &desc) const;
  const Tensor &tensor() const { return tensor_; }

 private:
  std::unique_ptr<float[]> data_;
  Tensor tensor_ = {};
};

// The worst |error| / bound of the elements examined in host memory: SAMPLE examines 256, drawn by `seed`, FULL all.
// The bound is product_of()'s with the element's own terms. In modes that split, lost bits depend on the largest
// magnitude of an image, in a weight gradient of all images (docs/kernels/contract.md).
// `before`: the old output, needed if beta is not 0.
double verify_conv(const ConvDesc &desc, const Tensor &before, libsgemm_verify_t mode, Arithmetic arithmetic,
                   uint64_t seed);

}  // namespace libsgemm
