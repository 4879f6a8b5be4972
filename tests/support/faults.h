// Faulty calls and what must be said about them.
#pragma once

#include <string>
#include <vector>

#include "call.h"
#include "check.h"

namespace sgemm_test {

// One argument with one value that is wrong for it.
struct Fault {
  std::string parameter;  // name in the header
  std::string label;
  Args args;
};

// Every wrong value of every argument of the routine, one at a time. `right` is a legal call whose leading dimensions
// exceed the least legal ones by `padding`.
std::vector<Fault> faults_of(Routine routine, const Args &right, const Padding &padding);

// Empty if `status` and libsgemm_last_info report INVALID_ARGUMENT for `parameter` of `names` in a call of `entry`.
std::string misreported(libsgemm_status_t status, const std::string &entry, const std::vector<std::string> &names,
                        const std::string &parameter);

// True if `text` contains `word` with no letter, digit or underscore next to it.
bool has_word(const std::string &text, const std::string &word);

// The first kernel of all. A message that lists as many kernels as fit begins with it.
std::string first_kernel();

}  // namespace sgemm_test
