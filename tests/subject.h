// The backend that this run of a test is about. CTest runs a test once for each backend, with LIBSGEMM_TEST_BACKEND.
#pragma once

#include <string>
#include <vector>

namespace sgemm_test {

struct Subject {
  std::string backend;               // "openblas"
  std::vector<std::string> kernels;  // all rows of its kernel table
};

const Subject &subject();

// Why this executable cannot run here at all; empty if it can. Defined by the tests that need it.
std::string skip_reason();

}  // namespace sgemm_test
