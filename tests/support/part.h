#pragma once

#include <cstdlib>
#include <string>

namespace sgemm_test {

// One call in n runs: LIBSGEMM_TEST_PART, which tests/run.sh sets except in the full sweep. Default: all, or one in
// four under a sanitizer.
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
