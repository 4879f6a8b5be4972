// Chooses how much of a long series of calls a test makes.
#pragma once

#include <cstdlib>
#include <string>

namespace sgemm_test {

// Returns n if one call in n is made: LIBSGEMM_TEST_PART, which tests/run.sh sets except for the full sweep. The
// default is every call; under a sanitizer, where that takes too long, one in four.
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
