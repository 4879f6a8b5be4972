// A convolution as products of matrices that are gathered from its tensors.
#pragma once

#include "contract/conv.h"

namespace libsgemm::gpu {

// A digit of an index, with the elements of each tensor and the rows and columns of the image for one step of it.
struct ConvDigit {
  int64_t extent;
  int64_t image, other, out;
  int64_t h, w;
};
using ConvDigits = ConvDigit[3];

// The image has `first` and `sum`, the other operand `second` and `sum`, the output `first` and `second`.
struct ConvProduct {
  ConvDigits first, second, sum;
  const float *image, *other;
  float *out;
  int64_t image_group, other_group, out_group;
  int64_t first_h, first_w;
  int64_t height, width;
};

// The address may be outside of the data's memory.
inline float *moved(const float *data, int64_t elements) {
  return reinterpret_cast<float *>(reinterpret_cast<uintptr_t>(data) + static_cast<uintptr_t>(elements * 4));
}

// Products: one for each remainder of rows and columns of a data gradient with strides, otherwise one.
int64_t conv_products(const ConvDesc &desc);
ConvProduct conv_product(const ConvDesc &desc, int64_t index);
// Returns the first product with terms from `index` on; conv_products() if none has.
int64_t conv_product_with_terms(const ConvDesc &desc, int64_t index);

// Products by size, for cost models, in the order of their first ones: large strides make very many products of few
// sizes.
class ConvSizes {
 public:
  explicit ConvSizes(const ConvDesc &desc);
  int count() const { return height_.count * width_.count; }
  // The first product of a size; without terms, another one of that size may have another output.
  ConvProduct product(int i) const;
  int64_t products(int i) const { return height_.size[i / width_.count].count * width_.size[i % width_.count].count; }

  // Rows, or columns: a remainder, the first tap for it, the number of such remainders.
  struct Size {
    int64_t remainder, tap, count;
  };
  struct OfDimension {
    Size size[6];
    int count;
  };

 private:
  const ConvDesc &desc_;
  OfDimension height_ = {{{0, 0, 1}}, 1}, width_ = {{{0, 0, 1}}, 1};
};

}  // namespace libsgemm::gpu
