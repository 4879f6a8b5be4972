// Convolutions for tests: their tensors in guarded memory, and the results in FP64.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conv_cases.h"
#include "support/buffer.h"

namespace sgemm_test {

enum class ConvInputs {
  kExact,   // small integers, exact sums
  kRandom,  // in (-1, 1)
};

struct ConvArithmetic {
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;
  bool truncates = false;
};
ConvArithmetic conv_arithmetic_of(const libsgemm_info_t &info);

// Numbers are dense in index order (n, c, h, w).
struct ConvProblem {
  ConvCase test;
  libsgemm_conv2d_direction_t direction;
  ConvInputs inputs;
  float alpha, beta;
  int64_t p, q;
  std::vector<float> x, f, y;
  std::vector<double> value, magnitude;  // sum of products, and of their magnitudes, for each output element
  int64_t terms;                         // terms of an element, with padding

  ConvProblem(const ConvCase &test, libsgemm_conv2d_direction_t direction, ConvInputs inputs, float alpha, float beta,
              libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32);

  const std::vector<float> &output() const;  // before the call
  std::string description() const;
};

// A tensor in guarded memory. Elements of the memory that do not belong to it are NaN.
class ConvTensor {
 public:
  ConvTensor(const int64_t (&size)[4], const int64_t (&strides)[4], libsgemm_tensor_layout_t layout, int misalignment);

  // Stores `dense`, or NaN if `poisoned`, and seals the memory.
  void fill(const std::vector<float> &dense, bool poisoned);
  std::vector<float> dense() const;
  std::vector<bool> belongs() const;  // by element of memory
  Buffer &buffer() { return *buffer_; }
  const Buffer &buffer() const { return *buffer_; }
  int64_t elements() const { return elements_; }

 private:
  template <typename Visit>
  void for_each(const Visit &visit) const;

  int64_t size_[4], step_[4], elements_;
  std::unique_ptr<Buffer> buffer_;
};

class ConvPlacement {
 public:
  ConvPlacement(const ConvProblem &problem, ConvLayout layout, int misalignment = 0);

  const libsgemm_conv2d_t &conv() const { return conv_; }
  ConvTensor &tensor(int i) { return tensors_[static_cast<size_t>(i)]; }  // x, f, y
  int index_of_output() const { return output_; }
  ConvTensor &output() { return tensors_[static_cast<size_t>(output_)]; }
  int index_of_a() const { return a_; }
  int index_of_b() const { return b_; }
  const float *a() const { return tensors_[static_cast<size_t>(a_)].buffer().as<float>(); }
  const float *b() const { return tensors_[static_cast<size_t>(b_)].buffer().as<float>(); }
  float *c() { return output().buffer().as<float>(); }

  libsgemm_status_t run(libsgemm_handle_t handle = nullptr) { return run(handle, a(), b(), c()); }
  // With tensors elsewhere, as on a device.
  libsgemm_status_t run(libsgemm_handle_t handle, const float *a, const float *b, float *c) const;
  std::string check(const ConvArithmetic &how = {}) const;
  std::string check_untouched() const;
  void restore();

 private:
  const ConvProblem &problem_;
  libsgemm_conv2d_t conv_;
  int a_, b_, output_;
  std::vector<ConvTensor> tensors_;
};

}  // namespace sgemm_test
