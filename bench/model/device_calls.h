// Any call of the library that a class describes, on operands in a device's memory, again and again.
//
// Inputs are random, of one magnitude, so that the power they take is that of real ones. What is triangular is close to
// the identity: systems with it are well conditioned, and C stays what it is, however often it is multiplied in place.
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

  size_t bytes() const { return bytes_; }  // of one set of operands
  size_t sets() const { return sets_.size(); }
  // As many sets in all as there is memory for, `count` at most.
  void add_sets(size_t count);

  // Enqueues the call on one of the sets.
  libsgemm_status_t run(libsgemm_handle_t h, size_t set) const;

 private:
  struct Set {
    std::unique_ptr<Buffer> memory;
    libsgemm::GemmDesc desc;
    std::vector<const void *> a, b;  // of a batch by pointers
    std::vector<float *> c;
  };

  Set make_set() const;
  void fill(const Set &set) const;

  libsgemm::GemmDesc desc_;
  size_t at_[3], span_[3];  // bytes of A, B and C: where they begin in a set's memory, and how many they are
  size_t bytes_;
  Memory *memory_;
  std::vector<Set> sets_;
};

}  // namespace command
