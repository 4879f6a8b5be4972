// Catch2 itself, which version 2 brings as a header: slow to compile, so in a file of its own.
#define CATCH_CONFIG_RUNNER
#include "catch.h"

namespace sgemm_test {

// A name that matches no test is a mistake: it fails, where Catch2 2 has run nothing and is content.
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
