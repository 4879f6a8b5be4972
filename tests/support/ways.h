// The ways to call a routine on the backend under test: without a handle, with a handle that chooses the backend, and,
// for every kernel, with a handle that forces it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "check.h"

namespace sgemm_test {

struct Way {
  std::string kernel;                              // kernel forced; empty if none
  std::unique_ptr<Handle> handle;                  // null: the form without a handle
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;  // requested mode
  int ran = 0;                                     // calls that the backend computed
  int ran_in_mode = 0;                             // those computed in the mode, not in FP32 instead
  int declined = 0;                                // calls that the forced kernel cannot do

  std::string description() const;
};

class Ways {
 public:
  Ways();
  // Only a handle that chooses the backend and the mode.
  explicit Ways(libsgemm_math_mode_t mode);

  std::deque<Way> &all() { return ways_; }

  // Judges a call made in `way`: its status, what libsgemm_last_info reports, and the matrices by the arithmetic that
  // it reports. That must be FP32 or the requested mode, unless a kernel is forced. `no_backend`: the call needs none.
  // Counts the call in `way`. Returns a description of the first fault.
  std::string judge(Way *way, const std::string &entry, bool no_backend, libsgemm_status_t status,
                    Placement *placement) const;

  // Judges a call whose matrices are not those of one placement.
  std::string judge(Way *way, const std::string &entry, bool no_backend, libsgemm_status_t status,
                    const std::function<std::string(const Arithmetic &)> &check,
                    const std::function<std::string()> &untouched) const;

 private:
  std::deque<Way> ways_;
};

// Failed calls: the first few are reported in full, the rest counted.
class Failures {
 public:
  void add(const std::string &failure);
  // Fails the running test if any call failed.
  void report() const;

 private:
  int count_ = 0;
};

}  // namespace sgemm_test
