// Catch2, version 2 (Debian 12) or 3, whichever CMake found.
#pragma once

#if defined(LIBSGEMM_CATCH2_V3)
#include <catch2/catch_all.hpp>

using Catch::Approx;  // as version 2 has it
#else
#include <catch2/catch.hpp>
#endif

namespace sgemm_test {

// Matches texts that contain `part`; Catch2 3 renamed this matcher.
inline auto Contains(const std::string &part) {
#if defined(LIBSGEMM_CATCH2_V3)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace sgemm_test
