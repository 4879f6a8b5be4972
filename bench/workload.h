// The operands of one timed call, made of random numbers, and the check of its result.
//
// A sample of 64 elements, the corners among them, is computed in FP64 beforehand; those elements are made NaN before
// every timed call and compared after it. Padding holds NaN. Inputs are uniform in [-1, 1); those of 16 bits are
// multiples of 1/1024 or 1/128 and so exact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "peers.h"
#include "routines.h"
#include "suite.h"

namespace command {

class Workload {
 public:
  Workload(Routine routine, const Shape &shape, libsgemm_op_t transa, libsgemm_op_t transb, Memory *memory);

  const Call &call() const { return call_; }

  // The whole output as it is before the call: NaN, or the input of an in-place routine.
  void reset();
  // The least that is needed before another call: the sampled elements, or all of them for an in-place routine.
  void prepare();

  // Worst |error| / bound of the sample, infinite for a NaN; at most 1 is right. `math_mode` is that of the call.
  double check_sample(const std::string &math_mode);
  // After reset() and a call: what is wrong with the rest of the output, empty if nothing. Each element must have been
  // written, and nothing outside of it.
  std::string check_written();

 private:
  struct Sample {
    int64_t row, column;
    double value;      // in FP64
    double magnitude;  // sum of |products|
  };
  class Buffer {
   public:
    Buffer(Memory *memory, size_t bytes) : memory_(memory), data_(memory->allocate(bytes)) {}
    ~Buffer() { memory_->release(data_); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    void *data() const { return data_; }

   private:
    Memory *memory_;
    void *data_;
  };

  void fill(std::vector<float> *matrix, Extent extent, int64_t ld, bool triangular);
  void upload_operands();
  double a(int64_t row, int64_t inner) const;  // op(A), symmetric or triangular as the routine has it
  double b(int64_t inner, int64_t column) const;
  void choose_sample();
  void compute(Sample *sample) const;
  void solve_sample();
  int64_t inner_size() const;

  Memory *memory_;
  Call call_;
  Traits traits_;
  Extent output_;
  uint64_t random_ = 0x9e3779b97f4a7c15u;
  std::vector<float> a_, b_, c_;  // on the host, in FP32; c_ is the output before the call
  Buffer buffer_a_, buffer_b_, buffer_c_;
  std::vector<Sample> sample_;
};

}  // namespace command
