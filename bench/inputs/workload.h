// Random operands of one timed call, and the check of its result.
//
// A sample of 64 elements, corners included, is computed in FP64 in advance; in a batch they are in eight matrices.
// They are NaN before every timed call and compared after it. Padding is NaN. Inputs, and a C that is read, are uniform
// in [-1, 1); 16-bit ones are exact.
//
// Calls may rotate through several sets of equal operands, so that no cache holds them. In-place routines have a copy
// of their input in each set, from which prepare() restores the output. A C that is read has one copy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "precision.h"
#include "routines.h"
#include "suite.h"

namespace command {

// The number is in [-1, 1), exact in the type, and zero or normal.
float uniform_element(uint64_t *random, Element element);
uint16_t encode(float value, Element element);

class Workload {
 public:
  Workload(Routine routine, const Shape &shape, const Form &form, Memory *memory);

  const Call &call() const { return calls_[0]; }
  // One call a set; the first is call().
  const std::vector<Call> &calls() const { return calls_; }
  size_t bytes() const;  // size of one set, without the copies of inputs
  // Fewer sets than `count` if memory is short.
  void add_sets(size_t count);

  // A set then serves one call.
  bool reads_output() const { return traits_.in_place || call_.beta != 0; }
  // The whole output becomes NaN, or the input.
  void reset();
  // Cheaper than reset(): in each set the sample becomes NaN, or an output that is read is restored.
  void prepare();

  // Returns the worst |error| / bound, infinite for NaN; at most 1 is right.
  double check_sample(const Precision &precision);
  // Returns the output after reset() and a call, and its first problem or "". Each element must be written, and nothing
  // else, except the other triangle if the call `fills` C.
  std::vector<float> output();
  std::string check_written(const std::vector<float> &result, bool fills) const;
  // Describes the first elements that differ by more than both bounds for the largest possible |A B|; "" if none do.
  std::string compare(const std::vector<float> &result, const Precision &precision, const std::vector<float> &other,
                      const Precision &other_precision) const;

 private:
  struct Sample {
    int64_t item, row, column;
    double value;      // FP64 value
    double magnitude;  // sum of |products| and |beta C|
  };

  void fill(std::vector<float> *matrix, Extent extent, int64_t ld, bool triangular);
  void fill_output();
  void upload_operands();
  // Elements of op(A), complete if A is symmetric or triangular, and of the matrix that it multiplies.
  double a(int64_t item, int64_t i, int64_t j) const;
  double b(int64_t item, int64_t i, int64_t j) const;
  void choose_sample();
  void compute(Sample *sample) const;
  void solve_sample();
  size_t bytes_of_b() const;
  int64_t inner_size() const;
  bool on_right() const { return call_.side == LIBSGEMM_RIGHT; }
  std::pair<int64_t, int64_t> rows_of_output(int64_t column) const;  // first and end
  std::string place_text(int64_t row, int64_t column) const;
  double largest_magnitude() const;                // bound of Sample::magnitude
  double error_factor(Precision precision) const;  // bound of |error| / (|A||B|)

  Memory *memory_;
  Call call_;
  std::vector<Call> calls_;
  Traits traits_;
  Extent output_;
  uint64_t random_ = 0x9e3779b97f4a7c15u;
  std::vector<float> a_, b_, c_;           // FP32 on the host; c_: the output before the call
  Buffer buffer_a_, buffer_b_, buffer_c_;  // buffer_b_: B, or the copy of an in-place input
  Buffer buffer_before_;                   // C before the call, if read
  std::unique_ptr<Buffer> more_sets_;
  std::vector<Sample> sample_;
  std::vector<float *> sample_places_;
};

}  // namespace command
