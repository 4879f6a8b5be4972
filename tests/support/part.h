#pragma once

#include <cstdlib>
#include <string>

namespace sgemm_test {

// Returns n: long tests run one call in n. tests/run.sh may set it.
inline int one_in() {
#if defined(LIBSGEMM_TEST_SANITIZED)
  constexpr int kDefault = 4;
#else
  constexpr int kDefault = 1;
#endif
  const char *asked = std::getenv("LIBSGEMM_TEST_PART");
  return asked != nullptr ? std::stoi(asked) : kDefault;
}

}  // namespace sgemm_test
