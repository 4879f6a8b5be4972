// Catch2 version 2 (Debian 12) or 3.
#pragma once

#if defined(LIBSGEMM_CATCH2_V3)
#include <catch2/catch_all.hpp>

using Catch::Approx;  // version 2's name
#else
#include <catch2/catch.hpp>
#endif

namespace sgemm_test {

inline auto Contains(const std::string &part) {
#if defined(LIBSGEMM_CATCH2_V3)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace sgemm_test
