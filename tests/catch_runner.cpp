// Catch2 itself, which version 2 brings as a header: slow to compile, so in a file of its own.
#define CATCH_CONFIG_RUNNER
#include "catch.h"

namespace sgemm_test {

int run_test_cases(int argc, char **argv) { return Catch::Session().run(argc, argv); }

}  // namespace sgemm_test
