// The operands of one timed call, made of random numbers, and the check of its result.
//
// A sample of 64 elements, the corners among them, is computed in FP64 beforehand; those elements are made NaN before
// every timed call and compared after it; of a batch they are in eight of its matrices. Padding holds NaN. Inputs are
// uniform in [-1, 1), C, too, where beta is not 0; those of 16 bits are multiples of 1/1024 or 1/128 and so exact.
//
// The same operands may lie in several places, so that calls that take turns do not find them in a cache. An in-place
// routine has a copy of its input in each of them, from which prepare() makes what the calls overwrite; of a C that is
// read there is one for all.
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

// Uniform in [-1, 1), exact in the type and a normal number of it, or zero; and its 16 bits, also those of NaN.
float uniform_element(uint64_t *random, Element element);
uint16_t encode(float value, Element element);

class Workload {
 public:
  Workload(Routine routine, const Shape &shape, const Form &form, Memory *memory);

  const Call &call() const { return calls_[0]; }
  // The same call on each set of operands, call() first.
  const std::vector<Call> &calls() const { return calls_; }
  size_t bytes() const;  // of one set, without such a copy
  // As many sets in all as there is memory for, `count` at most.
  void add_sets(size_t count);

  // Whether the output is an input, too: then a set serves for one call.
  bool reads_output() const { return traits_.in_place || call_.beta != 0; }
  // The whole output as it is before the call: NaN, or that input.
  void reset();
  // The least that is needed before another call: the sampled elements, or of an output that is read all of them, in
  // each set.
  void prepare();

  // Worst |error| / bound of the sample, infinite for a NaN; at most 1 is right. `precision` is that of the call.
  double check_sample(const Precision &precision);
  // After reset() and a call: the output, and what is wrong with it, empty if nothing. Each element must have been
  // written, and nothing outside of it, but for the other triangle if the call `fills` C.
  std::vector<float> output();
  std::string check_written(const std::vector<float> &result, bool fills) const;
  // Two outputs, each of its own precision: what differs by more than both bounds for the largest |A||B| there can be;
  // empty if nothing does.
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
  // Elements of number `item` of the batch: of op(A), symmetric or triangular as the routine has it; and of what it is
  // multiplied by.
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
  double largest_magnitude() const;                // of a sample, whatever the numbers
  double error_factor(Precision precision) const;  // bound on |error| / (|A||B|)

  Memory *memory_;
  Call call_;
  std::vector<Call> calls_;
  Traits traits_;
  Extent output_;
  uint64_t random_ = 0x9e3779b97f4a7c15u;  // of the next matrix
  std::vector<float> a_, b_, c_;           // on the host, in FP32; c_ is the output before the call
  Buffer buffer_a_, buffer_b_, buffer_c_;  // B, or the copy of an in-place routine's input
  Buffer buffer_before_;                   // C before the call, where beta is not 0
  std::unique_ptr<Buffer> more_sets_;
  std::vector<Sample> sample_;
  std::vector<float *> sample_places_;  // in C
};

}  // namespace command
