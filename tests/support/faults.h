#pragma once

#include <string>
#include <vector>

#include "call.h"
#include "check.h"

namespace sgemm_test {

struct Fault {
  std::string parameter;  // name in libsgemm.h
  std::string label;
  Args args;
};

// All wrong values of all arguments, one at a time. Leading dimensions of `right` exceed the least ones by `padding`.
std::vector<Fault> faults_of(Routine routine, const Args &right, const Padding &padding);

// Returns "" if INVALID_ARGUMENT is reported for `parameter` of `names` in `entry`.
std::string misreported(libsgemm_status_t status, const std::string &entry, const std::vector<std::string> &names,
                        const std::string &parameter);

bool has_word(const std::string &text, const std::string &word);

// The first kernel of a message that lists as many kernels as fit.
std::string first_kernel();

}  // namespace sgemm_test
