// The ways in which a routine is called on the backend under test: without a handle, with a handle told the backend,
// and with a handle that forces one row of the kernel table, for every row.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "check.h"

namespace sgemm_test {

struct Way {
  std::string kernel;                              // the row forced; empty if none
  std::unique_ptr<Handle> handle;                  // null: the form without a handle
  libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32;  // asked for
  int ran = 0;                                     // calls that the backend computed
  int ran_in_mode = 0;                             // of these in the mode, and not in FP32 in its place
  int declined = 0;                                // calls that the forced row cannot do

  std::string description() const;
};

class Ways {
 public:
  Ways();
  // With a handle told the backend and the mode, only.
  explicit Ways(libsgemm_math_mode_t mode);

  std::deque<Way> &all() { return ways_; }

  // Judges a call that was made in `way`: its status, what libsgemm_last_info says, and the matrices, by the arithmetic
  // that it names: FP32 or the mode asked for, or that of a forced row. `no_backend`: the call needs none. Counts.
  // Returns the first fault in words.
  std::string judge(Way *way, const std::string &entry, bool no_backend, libsgemm_status_t status,
                    Placement *placement) const;

  // The same where the matrices are not those of one placement.
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
  // Fails the running test if there was any.
  void report() const;

 private:
  int count_ = 0;
};

}  // namespace sgemm_test
