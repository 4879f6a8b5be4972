// Repeated calls of a CallClass on operands in device memory.
//
// Random inputs of one magnitude make the power realistic. A triangular matrix is near the identity: systems are well
// conditioned, and repeated in-place products keep C's magnitude.
#pragma once

#include <memory>
#include <vector>

#include "contract/call_class.h"
#include "peers/peers.h"

namespace command {

class DeviceCalls {
 public:
  // Throws std::bad_alloc.
  DeviceCalls(const libsgemm::CallClass &call, Memory *memory);

  size_t bytes() const { return bytes_; }  // size of one set
  size_t sets() const { return sets_.size(); }
  // Fewer sets than `count` if memory is short.
  void add_sets(size_t count);

  libsgemm_status_t run(libsgemm_handle_t h, size_t set) const;

 private:
  struct Set {
    std::unique_ptr<Buffer> memory;
    libsgemm::GemmDesc desc;
    std::vector<const void *> a, b;  // batch by pointers
    std::vector<float *> c;
  };

  Set make_set() const;
  void fill(const Set &set) const;

  libsgemm::GemmDesc desc_;
  size_t at_[3], span_[3];  // offsets of A, B, C in a set; their bytes
  size_t bytes_;
  Memory *memory_;
  std::vector<Set> sets_;
};

}  // namespace command
