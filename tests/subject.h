// The backend that this run of a test is about. CTest runs a test once for each backend, with LIBSGEMM_TEST_BACKEND.
#pragma once

#include <string>
#include <vector>

#include "call.h"

namespace sgemm_test {

struct Subject {
  std::string backend;               // "openblas"
  std::vector<std::string> kernels;  // all rows of its kernel table
};

const Subject &subject();

// Whether its kernel table has rows for the routine. Those of HIP are for products; other calls on host memory go to
// another backend, visibly.
bool serves(Routine routine);

// Why this executable cannot run here at all; empty if it can. Defined by the tests that need it.
std::string skip_reason();

}  // namespace sgemm_test
