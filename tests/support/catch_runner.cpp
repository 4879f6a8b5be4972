// Catch2's main. Version 2 compiles slowly, so it has its own file.
#define CATCH_CONFIG_RUNNER
#include "catch.h"

namespace sgemm_test {

// A name that matches no test is a failure: by default Catch2 2 succeeds.
int run_test_cases(int argc, char **argv) {
  Catch::Session session;
  const int status = session.applyCommandLine(argc, argv);
  if (status != 0) return status;
#if defined(LIBSGEMM_CATCH2_V3)
  constexpr auto kUnmatched = Catch::WarnAbout::UnmatchedTestSpec;
#else
  constexpr auto kUnmatched = Catch::WarnAbout::NoTests;
#endif
  auto &warnings = session.configData().warnings;
  warnings = static_cast<Catch::WarnAbout::What>(warnings | kUnmatched);
  return session.run();
}

}  // namespace sgemm_test
