// A device call's operands in host memory.
#pragma once

#include <memory>
#include <vector>

#include "contract/backend.h"

namespace libsgemm {

struct DeviceMemory {
  const Backend &table;
  int device;
  void *stream;
  bool arrays_on_device;  // see Launch
};

// Waits for the stream even after a failure: enqueued work uses memory that may be freed next. Returns the first error.
libsgemm_status_t wait_after(const DeviceMemory &memory, libsgemm_status_t status, Error *error);

class HostCopy {
 public:
  // Copies A, B and C after the enqueued work, and waits. OUT_OF_MEMORY: no host memory.
  libsgemm_status_t take(const DeviceMemory &memory, const GemmDesc &device, Error *error);

  // Dense copies; a batch has arrays of pointers.
  const GemmDesc &desc() const { return desc_; }

  // return_c() copies the part that the routine writes. Both wait.
  libsgemm_status_t fetch_c(const DeviceMemory &memory, Error *error);
  libsgemm_status_t return_c(const DeviceMemory &memory, Error *error);

 private:
  struct Arrays {
    std::vector<const void *> a, b;
    std::vector<float *> c;
  };
  libsgemm_status_t fetch_arrays(const DeviceMemory &memory, Error *error);
  bool allocate();

  GemmDesc device_ = {};  // batches of pointers: arrays in host memory
  GemmDesc desc_ = {};
  Arrays there_, here_;
  std::unique_ptr<char[]> data_;
};

// Copies a dense m x n matrix into a single product's C, only the part that the routine writes. Does not wait.
libsgemm_status_t copy_part(const DeviceMemory &memory, const GemmDesc &device, Copy::Direction direction,
                            const void *dense, Error *error);

}  // namespace libsgemm
