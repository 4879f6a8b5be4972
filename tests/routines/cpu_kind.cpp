// LIBSGEMM_TEST_CPU_KIND=avx2: backend cpu computes as on a CPU that has no better instructions, and the test skips
// where Highway, linked statically, cannot be told so.
#include <cstdlib>
#include <string>

#include "hwy/targets.h"
#include "support/subject.h"

namespace sgemm_test {

// Called before the backend is loaded.
std::string skip_reason() {
  const char *const kind = std::getenv("LIBSGEMM_TEST_CPU_KIND");
  if (kind == nullptr) return "";
  const std::string wanted = kind;
  const int64_t best = wanted == "sse" ? HWY_SSSE3 : HWY_AVX2;
  if ((hwy::SupportedTargets() & best) == 0) return "this CPU has no " + wanted;
  hwy::DisableTargets(best - 1);  // better targets have lower bits
  return "";
}

}  // namespace sgemm_test
