// Calls of the library that a CallClass describes, on operands in a device's memory, as often as needed.
//
// Inputs are random and of one magnitude, so that a call takes the power of one on real inputs. A triangular matrix is
// close to the identity: systems with it are well conditioned, and C keeps its magnitude, however often it is
// multiplied in place.
#pragma once

#include <memory>
#include <vector>

#include "contract/call_class.h"
#include "peers/peers.h"

namespace command {

class DeviceCalls {
 public:
  // Throws std::bad_alloc if the operands do not fit.
  DeviceCalls(const libsgemm::CallClass &call, Memory *memory);

  size_t bytes() const { return bytes_; }  // size of one set of operands
  size_t sets() const { return sets_.size(); }
  // Adds sets up to `count` in all; fewer if there is not enough memory.
  void add_sets(size_t count);

  // Enqueues the call on one of the sets.
  libsgemm_status_t run(libsgemm_handle_t h, size_t set) const;

 private:
  struct Set {
    std::unique_ptr<Buffer> memory;
    libsgemm::GemmDesc desc;
    std::vector<const void *> a, b;  // operands of a batch by pointers
    std::vector<float *> c;
  };

  Set make_set() const;
  void fill(const Set &set) const;

  libsgemm::GemmDesc desc_;
  size_t at_[3], span_[3];  // bytes: offsets of A, B and C in a set's memory, and their sizes
  size_t bytes_;
  Memory *memory_;
  std::vector<Set> sets_;
};

}  // namespace command
