// Times both sides that can compute a call on host memory: the CPU backend that `auto` would choose, and a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command/library.h"
#include "decision/calibration.h"

namespace command {

struct Size {
  int64_t m, n, k;
};

// Host memory for the operands of C = A * B, dense and column-major.
struct Operands {
  float *a, *b, *c;
};

class PageableOperands : public Operands {
 public:
  // The numbers of elements of the operands.
  PageableOperands(size_t a, size_t b, size_t c);
  PageableOperands(PageableOperands &&) = delete;

 private:
  std::vector<float> memory_[3];
};

// How long a side is timed: one untimed call, unless it is long, then calls until there are enough.
struct Patience {
  double enough;  // seconds of at least three calls that are enough
  double most;    // no further call begins after this many seconds
};

class Sides {
 public:
  // Must be created before anything else uses the library, since it clears the variables of the environment that force
  // a choice. `gpu`: a backend's name; empty: the first that is available. Throws Error if there is no GPU.
  explicit Sides(const std::string &gpu);

  const Backend &cpu() const { return cpu_; }
  const Backend &gpu() const { return gpu_; }
  libsgemm_handle_t on_cpu() const { return *on_cpu_; }
  libsgemm_handle_t on_gpu() const { return *on_gpu_; }
  libsgemm_handle_t automatic() const { return *automatic_; }
  // Seconds from the first use of the GPU to the end of its first product, less those of a second one.
  double startup() const { return startup_; }
  // Key of the calibration, with the device.
  libsgemm::CalibrationKey key() const;

 private:
  void find_backends(const std::string &gpu);

  Backend cpu_ = {}, gpu_ = {};
  std::unique_ptr<Handle> on_cpu_, on_gpu_, automatic_;
  double startup_ = 0;
};

// Median seconds of a product.
double time_product(libsgemm_handle_t h, const Size &size, const Operands &x, const Patience &patience);
// Median seconds of a batch of `count` products: with a stride, or by pointers.
double time_batch(libsgemm_handle_t h, const Size &size, int64_t count, bool strided, const Operands &x,
                  const Patience &patience);

// Waits until the threads of a CPU BLAS sleep: they spin for a while after a call.
void let_threads_rest();

}  // namespace command
