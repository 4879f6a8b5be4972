// No GPU to be seen: the calls go to the CPU, visibly, or fail with the reason. Runs on every machine.
#include "catch.h"
#include "process.h"

#include <libsgemm.h>

using namespace sgemm_test;

namespace {

Outcome probe(Environment environment) {
  environment["CUDA_VISIBLE_DEVICES"] = "";
  environment["LIBSGEMM_OFFLOAD"] = "always";
  Outcome outcome = run_probe(PROBE, {}, environment);
  INFO(outcome.description());
  REQUIRE(outcome.exit_status == 0);
  CHECK(outcome.out == "");
  return outcome;
}

bool on_cpu(const std::string &backend) { return backend == "openblas" || backend == "ref"; }

}  // namespace

TEST_CASE("CUDA_VISIBLE_DEVICES= leaves the CPU") {
  Outcome automatic = probe({});
  CHECK(automatic.report["correct"] == "1");
  CHECK(on_cpu(automatic.report["backend"]));
  CHECK(automatic.err == "");  // nobody asked for it, so nobody is told

  Outcome asked = probe({{"LIBSGEMM_BACKEND", "cuda"}});
  CHECK(asked.report["correct"] == "1");
  CHECK(on_cpu(asked.report["backend"]));
  CHECK_THAT(asked.err, Contains("cuda"));
  CHECK_THAT(asked.report["reason"], Contains("cuda"));

  Outcome strict = probe({{"LIBSGEMM_BACKEND", "cuda"}, {"LIBSGEMM_STRICT", "1"}});
  CHECK(strict.report["status"] == std::to_string(LIBSGEMM_UNAVAILABLE));
  CHECK_FALSE(strict.report["message"].empty());
}
