// The operands of one timed call, made of random numbers, and the check of its result.
//
// A sample of 64 elements, the corners among them, is computed in FP64 beforehand; for a batch they are in eight of its
// matrices. These elements are set to NaN before every timed call and compared after it. Padding holds NaN. Inputs are
// uniform in [-1, 1), as is C if beta is not 0; those of 16 bits are multiples of 1/1024 or 1/128 and so exact.
//
// There may be several sets of the same operands, so that calls that rotate through them do not find them in a cache.
// An in-place routine has a copy of its input in each set, from which prepare() restores what the calls overwrite. A C
// that is read has one copy for all sets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "peers/peers.h"
#include "precision.h"
#include "routines.h"
#include "suite.h"

namespace command {

// Returns a random number, uniform in [-1, 1), exact in the type and zero or a normal number; and the 16 bits of such a
// number or of NaN.
float uniform_element(uint64_t *random, Element element);
uint16_t encode(float value, Element element);

class Workload {
 public:
  Workload(Routine routine, const Shape &shape, const Form &form, Memory *memory);

  const Call &call() const { return calls_[0]; }
  // The call on each set of operands; the first one is call().
  const std::vector<Call> &calls() const { return calls_; }
  size_t bytes() const;  // of one set, without the copies of inputs
  // Adds sets up to `count` in all; fewer if there is not enough memory.
  void add_sets(size_t count);

  // True if the output is an input, too: then a set serves for one call.
  bool reads_output() const { return traits_.in_place || call_.beta != 0; }
  // Sets the whole output to its state before the call: NaN, or the input.
  void reset();
  // Prepares another call with the least work: sets the sampled elements to NaN, or restores an output that is read, in
  // each set.
  void prepare();

  // Returns the worst |error| / bound of the sample, infinite for a NaN; at most 1 is right. `precision` is that of the
  // call.
  double check_sample(const Precision &precision);
  // After reset() and a call: return the output, and a description of its first problem, empty if there is none. Each
  // element must have been written, and nothing outside of the output, except the other triangle if the call `fills` C.
  std::vector<float> output();
  std::string check_written(const std::vector<float> &result, bool fills) const;
  // Compares two outputs, each with its own precision. Returns a description of the first elements that differ by more
  // than both bounds for the largest possible |A
  // B|; empty if there are none.
  std::string compare(const std::vector<float> &result, const Precision &precision, const std::vector<float> &other,
                      const Precision &other_precision) const;

 private:
  struct Sample {
    int64_t item, row, column;
    double value;      // in FP64
    double magnitude;  // sum of |products|, and |beta C|
  };

  void fill(std::vector<float> *matrix, Extent extent, int64_t ld, bool triangular);
  void fill_output();
  void upload_operands();
  // Elements of matrix `item` of the batch: of op(A), complete if the routine's A is symmetric or triangular; and of
  // the matrix that it is multiplied by.
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
  double largest_magnitude() const;                // bound on Sample::magnitude
  double error_factor(Precision precision) const;  // bound on |error| / (|A||B|)

  Memory *memory_;
  Call call_;
  std::vector<Call> calls_;
  Traits traits_;
  Extent output_;
  uint64_t random_ = 0x9e3779b97f4a7c15u;  // random state for the next matrix
  std::vector<float> a_, b_, c_;           // on the host, in FP32; c_ is the output before the call
  Buffer buffer_a_, buffer_b_, buffer_c_;  // buffer_b_: B, or the copy of an in-place routine's input
  Buffer buffer_before_;                   // C before the call, if beta is not 0
  std::unique_ptr<Buffer> more_sets_;
  std::vector<Sample> sample_;
  std::vector<float *> sample_places_;  // in C
};

}  // namespace command
