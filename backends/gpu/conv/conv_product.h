// A convolution as matrix products whose indices have digits: image, row, column, channel or tap.
#pragma once

#include "contract/conv.h"

namespace libsgemm::gpu {

// A digit of an index, and what one step of it moves in each tensor and in the image.
struct ConvDigit {
  int64_t extent;
  int64_t image, other, out;
  int64_t h, w;
};
using ConvDigits = ConvDigit[3];

// The image has the digits `first` and `sum`, the other operand `second` and `sum`, the output `first` and `second`.
struct ConvProduct {
  ConvDigits first, second, sum;
  const float *image, *other;
  float *out;
  int64_t image_group, other_group, out_group;
  int64_t first_h, first_w;
  int64_t height, width;
};

// The result may point outside of the data's memory.
inline float *moved(const float *data, int64_t elements) {
  return reinterpret_cast<float *>(reinterpret_cast<uintptr_t>(data) + static_cast<uintptr_t>(elements * 4));
}

// A data gradient with strides has one product for each remainder of rows and columns; all others have one.
int64_t conv_products(const ConvDesc &desc);
ConvProduct conv_product(const ConvDesc &desc, int64_t index);
// First product with terms from `index` on; conv_products() if none has.
int64_t conv_product_with_terms(const ConvDesc &desc, int64_t index);

// Products by size, in the order of their first ones, for cost models: large strides make many products of few sizes.
class ConvSizes {
 public:
  explicit ConvSizes(const ConvDesc &desc);
  int count() const { return height_.count * width_.count; }
  // First one of a size; without terms, others of that size may have another output.
  ConvProduct product(int i) const;
  int64_t products(int i) const { return height_.size[i / width_.count].count * width_.size[i % width_.count].count; }

  // A remainder of rows or columns, its first tap, and the number of such remainders.
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
