// Tensors of a timed convolution, filled with a repeated random pattern, and the check of a sample.
#pragma once

#include "conv.h"

namespace command {

class ConvOperands {
 public:
  ConvOperands(ConvWork *work, Memory *memory);

  // Returns the worst |error| / bound of 64 elements, which `run` must write. The bound is that of FP32 products.
  double check(const std::function<void()> &run);

 private:
  struct Sample {
    float *place;
    double value, magnitude;  // FP64 value; sum of |products|
  };
  // Sizes and strides of n, c, h, w.
  struct Dense {
    int64_t size[4], step[4];
    int64_t count() const { return size[0] * size[1] * size[2] * size[3]; }
  };
  static Dense dense(const int64_t (&size)[4], libsgemm_tensor_layout_t layout);
  Buffer &buffer(int tensor) { return *buffers_[tensor]; }
  void fill(int tensor);
  float at(int tensor, int64_t n, int64_t c, int64_t h, int64_t w) const;
  void choose_sample();
  // Indices: image n, filter k, its group's channel c, pixel (i, j) of y, tap (r, s).
  void add_term(Sample *sample, int64_t n, int64_t k, int64_t c, int64_t i, int64_t j, int64_t r, int64_t s) const;
  void sum(Sample *sample, const int64_t (&index)[4]) const;

  ConvWork &work_;
  Memory *memory_;
  Dense tensors_[3];  // x, f, y
  int output_;
  std::vector<float> pattern_;
  std::unique_ptr<Buffer> buffers_[3];
  std::vector<Sample> sample_;
  int64_t terms_;
};

}  // namespace command
