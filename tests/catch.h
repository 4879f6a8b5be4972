// Catch2, version 2 (Debian 12) or 3, whichever CMake found.
#pragma once

#if defined(LIBSGEMM_CATCH2_V3)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
