// Times a call on host memory on both sides: the CPU backend of `auto`, and a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/library.h"
#include "decision/calibration.h"

namespace command {

struct Size {
  int64_t m, n, k;
};

// Dense column-major host operands of C = A * B.
struct Operands {
  float *a, *b, *c;
};

class PageableOperands : public Operands {
 public:
  PageableOperands(size_t a, size_t b, size_t c);
  PageableOperands(PageableOperands &&) = delete;

 private:
  std::vector<float> memory_[3];
};

// A side's timing: an untimed call, unless it is long, then calls until there are enough.
struct Patience {
  double enough;  // sufficient seconds, with three calls or more
  double most;    // no further call after that
};

class Sides {
 public:
  // Must precede any other use of the library, since it clears environment variables that force a choice. `gpu`: a
  // backend; empty: the first available. Throws Error.
  explicit Sides(const std::string &gpu);

  const Backend &cpu() const { return cpu_; }
  const Backend &gpu() const { return gpu_; }
  libsgemm_handle_t on_cpu() const { return *on_cpu_; }
  libsgemm_handle_t on_gpu() const { return *on_gpu_; }
  libsgemm_handle_t automatic() const { return *automatic_; }
  // Seconds from the GPU's first use to the end of its first product, less those of a second product.
  double startup() const { return startup_; }
  // The key includes the device.
  libsgemm::CalibrationKey key() const;

 private:
  void find_backends(const std::string &gpu);

  Backend cpu_ = {}, gpu_ = {};
  std::unique_ptr<Handle> on_cpu_, on_gpu_, automatic_;
  double startup_ = 0;
};

// Both functions return median seconds.
double time_product(libsgemm_handle_t h, const Size &size, const Operands &x, const Patience &patience);
double time_batch(libsgemm_handle_t h, const Size &size, int64_t count, bool strided, const Operands &x,
                  const Patience &patience);

// Waits until a CPU BLAS's threads sleep: they spin for a while after a call.
void let_threads_rest();

}  // namespace command
