// The configurations of a call on the backend under test: without a handle, with a handle, and with a handle for each
// kernel.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "check.h"

namespace sgemm_test {

struct Way {
  std::string kernel;                              // forced kernel; empty: none
  std::unique_ptr<Handle> handle;                  // null: without a handle
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;  // requested
  int ran = 0;                                     // calls that the backend computed
  int ran_in_mode = 0;                             // in the mode, not in FP32
  int declined = 0;                                // calls that the forced kernel does not support

  std::string description() const;
};

class Ways {
 public:
  Ways();
  // One configuration: a handle with the backend and the mode.
  explicit Ways(libsgemm_math_mode_t mode);

  std::deque<Way> &all() { return ways_; }

  // Judges a call: its status, libsgemm_last_info, and the matrices by the reported arithmetic, which is FP32 or the
  // requested mode unless a kernel is forced. `no_backend`: the call needs none. Counts it in `way`. Returns the first
  // fault.
  std::string judge(Way *way, const std::string &entry, bool no_backend, libsgemm_status_t status,
                    Placement *placement) const;

  std::string judge(Way *way, const std::string &entry, bool no_backend, libsgemm_status_t status,
                    const std::function<std::string(const Arithmetic &)> &check,
                    const std::function<std::string()> &untouched) const;

 private:
  std::deque<Way> ways_;
};

// Failed calls: the first few are reported in full, the rest are counted.
class Failures {
 public:
  void add(const std::string &failure);
  void report() const;

 private:
  int count_ = 0;
};

}  // namespace sgemm_test
