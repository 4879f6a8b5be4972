// Dispatch with a failing mock GPU.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "plugins/products.h"

using namespace mock_test;

TEST_CASE("every failing runtime call leads to the CPU with C as it was") {
  for (const mock::Site site : {mock::kCopy, mock::kLaunch}) {
    for (const float beta : {0.0f, 3.0f}) {
      reset();
      REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
      Product clean;
      clean.beta = beta;
      REQUIRE(clean.run() == LIBSGEMM_SUCCESS);
      REQUIRE(backend() == "cuda");
      const int calls = gpu().calls[site];
      REQUIRE(calls > 0);
      for (int nth = 1; nth <= calls; ++nth) {
        reset();
        REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
        const int64_t memory = gpu().bytes;
        gpu().fail_at[site] = nth;
        Product p;
        p.beta = beta;
        const libsgemm_status_t status = p.run();
        INFO("site " << site << " call " << nth << " beta " << beta << ": " << last_info().message);
        CHECK(gpu().bytes == memory);
        if (strict()) {
          CHECK(status == LIBSGEMM_EXECUTION_FAILED);
          CHECK(p.untouched());
          continue;
        }
        CHECK(status == LIBSGEMM_SUCCESS);
        CHECK(backend() == "openblas");
        CHECK(last_info().fallbacks == 1);
        CHECK(contains(reason(), "cuda failed: "));
        CHECK(p.right());
      }
    }
  }
}

TEST_CASE("a failure with device data is an error with C as it was") {
  for (const mock::Site site : {mock::kLaunch, mock::kSynchronize}) {
    reset();
    DeviceProduct p(0);
    gpu().fail_at[site] = 1;
    CHECK(p.run() == LIBSGEMM_EXECUTION_FAILED);
    CHECK(contains(last_info().message, "mock"));
    CHECK(p.untouched());
  }
}

TEST_CASE("after a failure the CPU computes what a GPU cannot have written, or what does not read it") {
  for (const bool behind : {false, true}) {  // the failure occurs after the work, or before
    for (const float beta : {0.0f, 3.0f}) {
      INFO((behind ? "wait" : "launch") << " beta " << beta);
      reset();
      DeviceProduct p(0, kSize, true);
      p.host.beta = beta;
      gpu().fails_behind = behind;
      gpu().fail_at[behind ? mock::kSynchronize : mock::kLaunch] = 1;
      const libsgemm_status_t status = p.run();
      if (strict() || (behind && beta != 0)) {
        CHECK(status == LIBSGEMM_EXECUTION_FAILED);
        CHECK(last_info().fallbacks == 0);
        CHECK((behind ? p.right() : p.untouched()));
      } else {
        CHECK(status == LIBSGEMM_SUCCESS);
        CHECK(backend() == "openblas");
        CHECK(p.right());
      }
    }
  }
}

TEST_CASE("what several launches have begun is not computed again, nor what only scales") {
  reset();
  DeviceProduct p(0, kSize, true);
  const auto trmm = [&] {
    return libsgemm_strmm(LIBSGEMM_COL_MAJOR, LIBSGEMM_LEFT, LIBSGEMM_UPPER, LIBSGEMM_NO_TRANS, LIBSGEMM_NON_UNIT,
                          kSize, kSize, 1, p.a, kSize, p.c, kSize);
  };
  REQUIRE(trmm() == LIBSGEMM_SUCCESS);
  REQUIRE(kernel() == "cuda_mock_level3");
  gpu().fail_at[mock::kLaunch] = 1;  // trmm's second step
  CHECK(trmm() == LIBSGEMM_EXECUTION_FAILED);
  CHECK(last_info().fallbacks == 0);

  reset();
  DeviceProduct scaled(0, kSize, true);
  scaled.host.alpha = 0;
  gpu().fails_behind = true;
  gpu().fail_at[mock::kSynchronize] = 1;
  CHECK(scaled.run() == LIBSGEMM_EXECUTION_FAILED);
  CHECK(scaled.right());
}

TEST_CASE("verification finds a flipped bit and does as it was told") {
  const libsgemm_verify_t mode = GENERATE(LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL);
  // A sample checks all elements of up to eight columns. The GPU computes so few only if its kernel is forced.
  const int64_t n = mode == LIBSGEMM_VERIFY_SAMPLE ? 8 : kSize;
  Handle h;
  reset();
  const auto attempt = [&](libsgemm_verify_action_t action, Product *p, int flip) {
    REQUIRE(libsgemm_set_verify(h, mode, action) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_kernel(h, n == 8 ? "cuda_mock_plain" : nullptr) == LIBSGEMM_SUCCESS);
    gpu().flip_bit = flip;
    return p->run(h);
  };
  Product clean(n);
  REQUIRE(attempt(LIBSGEMM_VERIFY_ERROR, &clean, 0) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
  CHECK(last_info().verify_ratio >= 0);
  CHECK(last_info().verify_ratio <= 1);

  Product error(n);
  CHECK(attempt(LIBSGEMM_VERIFY_ERROR, &error, 30) == LIBSGEMM_VERIFICATION_FAILED);
  CHECK(last_info().verify_ratio > 1);
  CHECK(error.untouched());

  Product warned(n);
  CHECK(attempt(LIBSGEMM_VERIFY_WARN, &warned, 30) == LIBSGEMM_SUCCESS);
  CHECK(last_info().verify_ratio > 1);
  CHECK_FALSE(warned.right());

  Product retried(n);
  const libsgemm_status_t status = attempt(LIBSGEMM_VERIFY_RETRY, &retried, 30);
  if (strict() || n == 8) {  // nothing replaces the forced kernel
    CHECK(status == LIBSGEMM_VERIFICATION_FAILED);
    CHECK(retried.untouched());
  } else {
    CHECK(status == LIBSGEMM_SUCCESS);
    CHECK(backend() == "openblas");
    CHECK(last_info().verify_ratio <= 1);
    CHECK(contains(reason(), "cuda gave a wrong result"));
    CHECK(retried.right());
  }
}

namespace {

// True if the last call failed so, and no other backend, whose bits might differ, computed it.
bool stopped(libsgemm_status_t status, const std::string &why) {
  const libsgemm_info_t info = last_info();
  return info.status == status && info.fallbacks == 0 && contains(info.message, why) &&
         contains(info.message, "LIBSGEMM_DETERMINISTIC=1");
}

}  // namespace

TEST_CASE("where results are deterministic nobody takes over what fails at the moment") {
  Handle h;
  REQUIRE(libsgemm_set_deterministic(h, LIBSGEMM_DETERMINISTIC_ON) == LIBSGEMM_SUCCESS);
  for (const mock::Site site : {mock::kCopy, mock::kLaunch, mock::kAllocate}) {
    for (const float beta : {0.0f, 3.0f}) {
      reset();
      REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
      Product p;
      p.beta = beta;
      gpu().fail_at[site] = 1;
      gpu().fails_on = true;
      const libsgemm_status_t status = p.run(h);
      gpu().fails_on = false;
      INFO("site " << site << " beta " << beta << ": " << last_info().message);
      CHECK(stopped(status, ""));
      CHECK(status == (site == mock::kAllocate ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_EXECUTION_FAILED));
      CHECK(p.untouched());
    }
  }
  reset();
  DeviceProduct managed(0, kSize, true);
  gpu().fail_at[mock::kLaunch] = 1;
  CHECK(managed.run(h) == LIBSGEMM_EXECUTION_FAILED);
  CHECK(stopped(LIBSGEMM_EXECUTION_FAILED, "mock launch"));
  CHECK(managed.untouched());
  reset();
  Product wrong;
  REQUIRE(libsgemm_set_verify(h, LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_RETRY) == LIBSGEMM_SUCCESS);
  gpu().flip_bit = 30;
  CHECK(wrong.run(h) == LIBSGEMM_VERIFICATION_FAILED);
  CHECK(stopped(LIBSGEMM_VERIFICATION_FAILED, "the result is wrong"));
  CHECK(wrong.untouched());
  REQUIRE(libsgemm_set_verify(h, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_SUCCESS);
  // The stream records a graph. The CPU still computes calls too small for the GPU.
  void *stream = gpu().stream(0);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  gpu().set_capturing(stream, true);
  Product host, small(8);
  CHECK(host.run(h) == LIBSGEMM_NOT_SUPPORTED);
  CHECK(stopped(LIBSGEMM_NOT_SUPPORTED, "graph"));
  CHECK(small.run(h) == LIBSGEMM_SUCCESS);
  gpu().set_capturing(stream, false);
  // The CPU also computes what settings forbid on the GPU.
  REQUIRE(libsgemm_set_memory_limits(256, 0) == LIBSGEMM_SUCCESS);
  CHECK(host.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "openblas");
  REQUIRE(libsgemm_set_memory_limits(0, 0) == LIBSGEMM_SUCCESS);
}

TEST_CASE("after fork the child computes on the CPU, and device data are an error") {
  reset();
  Product parent;
  REQUIRE(parent.run() == LIBSGEMM_SUCCESS);
  REQUIRE(backend() == "cuda");
  DeviceProduct device(0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Product p, other;
    const bool cpu = p.run() == LIBSGEMM_SUCCESS && backend() == "openblas" && p.right() &&
                     reason().find("forked process") != std::string::npos;
    const bool refused = device.run() == LIBSGEMM_UNAVAILABLE &&
                         std::string(last_info().message).find("forked process") != std::string::npos;
    Handle h;
    libsgemm_set_deterministic(h, LIBSGEMM_DETERMINISTIC_ON);
    const bool stops = other.run(h) == LIBSGEMM_UNAVAILABLE && stopped(LIBSGEMM_UNAVAILABLE, "forked process");
    _exit(cpu && refused && stops ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  Product again;
  REQUIRE(again.run() == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
}
