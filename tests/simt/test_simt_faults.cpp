// The CPU emulation catches faulty kernels and accepts the same ones without faults.
#include "support/buffer.h"
#include "support/catch.h"

#include "faulty_kernels.h"  // after the C++ library: CUDA's words are macros here

using namespace simt_test;

namespace {

template <typename... Parameters, typename... Arguments>
std::string launched(void (*kernel)(Parameters...), dim3 grid, dim3 block, const Arguments &...arguments) {
  libsgemm::Error error = {};
  const libsgemm_status_t status =
      libsgemm::gpu::launch_kernel(kernel, grid, block, 0, libsgemm::Launch(), &error, arguments...);
  return status == LIBSGEMM_SUCCESS ? "" : error.text;
}

bool equal(const std::vector<float> &x, const std::vector<float> &y) { return x == y; }

}  // namespace

TEST_CASE("a missing barrier shows in every order") {
  std::vector<float> x(256), y(256), expected(256);
  for (size_t i = 0; i < 256; ++i) {
    x[i] = static_cast<float>(i * i);
    if (i > 0) expected[i] = x[i] - x[i - 1];
  }
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    simt::schedule().seed = seed;
    CHECK(launched(differences, 1, 256, x.data(), y.data(), true) == "");
    CHECK(equal(y, expected));
    CHECK(launched(differences, 1, 256, x.data(), y.data(), false) == "");
    CHECK_FALSE(equal(y, expected));
  }
}

TEST_CASE("a barrier that not all threads reach is a fault") {
  CHECK_THAT(launched(divergent_barrier, 3, 64), sgemm_test::Contains("while others wait at that in line"));
  CHECK_THAT(launched(early_exit, 2, 64), sgemm_test::Contains("63 threads wait at a barrier"));
}

TEST_CASE("an asynchronous copy that is not waited for has not landed") {
  std::vector<float> x(64, 3.0f), y(64);
  CHECK(launched(copied, 1, 64, x.data(), y.data(), true) == "");
  CHECK(equal(y, x));
  CHECK(launched(copied, 1, 64, x.data(), y.data(), false) == "");
  for (const float value : y) CHECK(std::isnan(value));
}

TEST_CASE("a box of TMA that is not waited for has not landed") {
  alignas(16) float x[120];
  std::vector<float> y(64), expected(64);
  for (int i = 0; i < 120; ++i) x[i] = static_cast<float>(i);
  for (int j = 0; j < 8; ++j) {
    for (int i = 0; i < 8; ++i) {
      const int row = i - 4, column = j + 6;
      const bool inside = row >= 0 && row < 3 && column < 10;
      expected[static_cast<size_t>(i + 8 * j)] = inside ? static_cast<float>(row + 12 * column) : 0.0f;
    }
  }
  const simt::TensorMap map = {x, 3, 10, 12, 8, 8, false};
  int early = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    simt::schedule().seed = seed;
    CHECK(launched(boxed, 1, 64, map, -4, y.data(), true) == "");
    CHECK(equal(y, expected));
    CHECK(launched(boxed, 1, 64, map, -4, y.data(), false) == "");
    early += equal(y, expected) ? 0 : 1;
  }
  CHECK(early > 10);
  CHECK_THAT(launched(boxed, 1, 64, map, -1, y.data(), true), sgemm_test::Contains("not a multiple of 16"));
}

TEST_CASE("blocks of a cluster read shared memory of one another, and must stay until all have read") {
  std::vector<float> y(12 * 32);
  int early = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    simt::schedule().seed = seed;
    for (const bool last_barrier : {true, false}) {
      libsgemm::Error error = {};
      const simt::Configuration configuration = {12, 32, 16 * 32, 4};
      const libsgemm_status_t status = libsgemm::gpu::launch_on_cpu(
          reinterpret_cast<const void *>(clustered), configuration, [&] { clustered(y.data(), 4, last_barrier); },
          &error);
      if (!last_barrier && status != LIBSGEMM_SUCCESS) {
        CHECK_THAT(std::string(error.text), sgemm_test::Contains("of its cluster, which is not there"));
        ++early;
        continue;
      }
      REQUIRE(status == LIBSGEMM_SUCCESS);
      for (int i = 0; i < 12 * 32; ++i) {
        const int first = i / 128 * 128 + i % 32;
        CHECK(y[static_cast<size_t>(i)] == static_cast<float>(4 * first + 32 * (0 + 1 + 2 + 3)));
      }
    }
  }
  CHECK(early > 5);
}

TEST_CASE("a write beyond a matrix is damage") {
#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer stops the program
  sgemm_test::Buffer buffer(100, sizeof(float), 0);
  buffer.seal();
  const std::vector<bool> all(100, true);
  CHECK(launched(fill, 4, 32, buffer.as<float>(), 100, 0) == "");
  CHECK(buffer.damage(all) == "");
  CHECK(launched(fill, 4, 32, buffer.as<float>(), 100, 1) == "");
  CHECK_THAT(buffer.damage(all), sgemm_test::Contains("after the end"));
#endif
}

TEST_CASE("blocks may wait for blocks that can be resident with them") {
  std::vector<unsigned> flags(1000);
  for (const bool together : {false, true}) {
    simt::schedule().start_together = together;
    flags.assign(1000, 0);
    CHECK(launched(chain, 20, 32, flags.data(), false) == "");
    flags.assign(1000, 0);
    CHECK_THAT(launched(chain, 20, 32, flags.data(), true), sgemm_test::Contains("wait for memory"));
    flags.assign(1000, 0);
    CHECK_THAT(launched(chain, 500, 1024, flags.data(), false), sgemm_test::Contains("no thread can go on"));
  }
}

TEST_CASE("a launch beyond the limits of a GPU is refused") {
  CHECK_THAT(launched(early_exit, 1, 1056), sgemm_test::Contains("1056 threads"));
  CHECK_THAT(launched(early_exit, dim3(1, 65536), 32), sgemm_test::Contains("grid"));
}
