// The BLAS computes a wrong last element.
#include "conv_problem.h"
#include "support/call.h"
#include "support/catch.h"
#include "support/subject.h"

using namespace sgemm_test;

// Runs before the library reads its environment.
std::string sgemm_test::skip_reason() {
  setenv("LIBSGEMM_CPU_BLAS", FAULTY_BLAS, 1);
  setenv("LIBSGEMM_BACKEND", "openblas,ref", 1);
  return "";
}

TEST_CASE("a wrong convolution is found out, and has the consequence that was asked for") {
  for (const libsgemm_verify_t mode : {LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL}) {
    for (const libsgemm_conv2d_direction_t direction : kDirections) {
      for (const ConvLayout layout : kConvLayouts) {
        for (const float beta : {0.0f, 2.0f}) {
          // A sample checks all elements.
          const ConvProblem problem(kConvCases[5], direction, ConvInputs::kRandom, 1, beta);
          REQUIRE(problem.output().size() <= 256);
          const Handle handle;
          ConvPlacement placement(problem, layout);
          INFO(problem.description() << ", " << layout_name(layout));

          REQUIRE(placement.run(handle) == LIBSGEMM_SUCCESS);
          CHECK(placement.check() != "");  // unverified

          placement.restore();
          REQUIRE(libsgemm_set_verify(handle, mode, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_SUCCESS);
          CHECK(placement.run(handle) == LIBSGEMM_SUCCESS);
          CHECK(last_info().verify_ratio > 1);
          CHECK(std::string(last_info().backend) == "openblas");

          placement.restore();
          REQUIRE(libsgemm_set_verify(handle, mode, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
          CHECK(placement.run(handle) == LIBSGEMM_VERIFICATION_FAILED);
          CHECK(placement.check_untouched() == "");

          REQUIRE(libsgemm_set_verify(handle, mode, LIBSGEMM_VERIFY_RETRY) == LIBSGEMM_SUCCESS);
          CHECK(placement.run(handle) == LIBSGEMM_SUCCESS);
          CHECK(std::string(last_info().backend) == "ref");
          CHECK(last_info().fallbacks == 1);
          CHECK(last_info().verify_ratio <= 1);
          CHECK(placement.check() == "");
        }
      }
    }
  }
}

TEST_CASE("a sample looks at other elements each time") {
  // One element in 1728 is wrong, in one block. Some of 40 samples of 256 elements find it.
  const ConvCase test = {"", 1, 2, 24, 24, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1};
  const ConvProblem problem(test, LIBSGEMM_CONV2D_FORWARD, ConvInputs::kRandom, 1, 0);
  const Handle handle;
  REQUIRE(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_SUCCESS);
  int found = 0;
  for (int call = 0; call < 40; ++call) {
    ConvPlacement placement(problem, ConvLayout::kNchw);
    REQUIRE(placement.run(handle) == LIBSGEMM_SUCCESS);
    found += last_info().verify_ratio > 1 ? 1 : 0;
  }
  CHECK(found > 0);  // with probability 0.997 to 1
  CHECK(found < 40);
}
