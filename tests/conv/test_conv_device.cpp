// Convolutions on the mock GPU.
// LIBSGEMM_TEST_STRICT=1: with LIBSGEMM_STRICT; LIBSGEMM_TEST_MOCK=without_conv: a GPU without convolution kernels.
#include "conv_device.h"
#include "plugins/products.h"
#include "support/subject.h"

using namespace mock_test;
using namespace sgemm_test;

std::string sgemm_test::skip_reason() { return ""; }

namespace {

constexpr const char *kKernel = "cuda_mock_conv";

bool without_kernels() { return std::getenv("LIBSGEMM_TEST_MOCK") != nullptr; }

class Memory {
 public:
  explicit Memory(size_t bytes) : bytes_(bytes), address_(gpu().allocate(1, bytes)) {}
  ~Memory() { gpu().release(1, address_); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  void *address() const { return address_; }
  void upload(const void *host) { gpu().write(address_, host, bytes_); }
  void download(void *host) { gpu().read(address_, host, bytes_); }

 private:
  size_t bytes_;
  void *address_;
};

// Forces the GPU's kernel, so that small host tensors also go there.
struct Forced : Handle {
  Forced() { REQUIRE(libsgemm_set_kernel(*this, kKernel) == LIBSGEMM_SUCCESS); }
};

template <typename Test>
void for_each_problem(const Test &test) {
  int at = 0;
  for (const ConvCase &c : kConvCases) {
    for (const libsgemm_conv2d_direction_t direction : kDirections) {
      const float alpha = ++at % 2 == 0 ? 2.0f : 1.0f, beta = at % 3 == 0 ? 0.0f : -1.0f;
      const ConvProblem problem(c, direction, ConvInputs::kExact, alpha, beta);
      for (const ConvLayout layout : kConvLayouts) {
        ConvPlacement placement(problem, layout);
        INFO(problem.description() << ", " << layout_name(layout));
        test(&placement);
      }
    }
  }
}

// Sizes above the tests' GPU threshold.
const ConvCase kLarge = {"large", 2, 16, 12, 12, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1};

}  // namespace

TEST_CASE("convolutions in device memory") {
  reset();
  const Handle handle;
  for_each_problem([&](ConvPlacement *placement) {
    DeviceConv<Memory> device(placement);
    if (without_kernels()) {
      CHECK(device.run(handle) == LIBSGEMM_NOT_SUPPORTED);
      CHECK(device.check_untouched() == "");
      return;
    }
    REQUIRE(device.run(handle) == LIBSGEMM_SUCCESS);
    CHECK(kernel() == kKernel);
    CHECK(last_info().device == 1);
    REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
    CHECK(device.check() == "");
  });
}

TEST_CASE("convolutions in device memory are scaled there") {
  reset();
  for (const ConvLayout layout : kConvLayouts) {
    for (const float beta : {0.0f, 3.0f}) {
      const ConvProblem problem(kConvCases[6], LIBSGEMM_CONV2D_FORWARD, ConvInputs::kExact, 0, beta);
      ConvPlacement placement(problem, layout);
      DeviceConv<Memory> device(&placement);
      INFO(layout_name(layout) << ", beta " << beta);
      REQUIRE(device.run(nullptr) == LIBSGEMM_SUCCESS);
      CHECK(kernel() == "scale");
      CHECK(backend() == "cuda");
      CHECK(device.check() == "");
    }
  }
}

TEST_CASE("a wrong convolution in device memory has the consequence that was asked for") {
  if (without_kernels()) return;
  for (const libsgemm_verify_t mode : {LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL}) {
    for (const ConvLayout layout : kConvLayouts) {
      for (const float beta : {0.0f, 3.0f}) {
        reset();
        const Handle h;
        // The output is so small that a sample checks all elements.
        const ConvProblem problem(kConvCases[5], LIBSGEMM_CONV2D_FORWARD, ConvInputs::kRandom, 1, beta);
        ConvPlacement right_host(problem, layout), host(problem, layout), retried_host(problem, layout);
        INFO(layout_name(layout) << ", beta " << beta);
        REQUIRE(libsgemm_set_verify(h, mode, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
        DeviceConv<Memory> right(&right_host), refused(&host), retried(&retried_host);
        CHECK(right.run(h) == LIBSGEMM_SUCCESS);
        CHECK(last_info().verify_ratio <= 1);
        CHECK(right.check() == "");
        gpu().flip_bit = 1;
        CHECK(refused.run(h) == LIBSGEMM_VERIFICATION_FAILED);
        CHECK(last_info().verify_ratio > 1);
        CHECK(contains(last_info().message, "the result is wrong"));
        if (beta != 0) CHECK(refused.check_untouched() == "");
        REQUIRE(libsgemm_set_verify(h, mode, LIBSGEMM_VERIFY_RETRY) == LIBSGEMM_SUCCESS);
        gpu().flip_bit = 1;
        const libsgemm_status_t status = retried.run(h);
        CHECK(status == (strict() ? LIBSGEMM_VERIFICATION_FAILED : LIBSGEMM_SUCCESS));
        if (strict()) continue;
        CHECK(backend() == "openblas");
        CHECK(contains(reason(), "cuda gave a wrong result"));
        CHECK(retried.check() == "");
      }
    }
  }
}

TEST_CASE("convolutions in host memory on the GPU") {
  if (without_kernels()) return;
  reset();
  const Forced handle;
  for_each_problem([&](ConvPlacement *placement) {
    REQUIRE(placement->run(handle) == LIBSGEMM_SUCCESS);
    CHECK(backend() == "cuda");
    CHECK(kernel() == kKernel);
    CHECK(last_info().tiles == 1);
    CHECK(placement->check() == "");
  });
}

TEST_CASE("a GPU that cannot compute a convolution leaves it to the CPU") {
  for (const bool lacks : {false, true}) {
    // alpha differs, because a choice is kept for equal calls.
    const ConvProblem problem(kLarge, LIBSGEMM_CONV2D_FORWARD, ConvInputs::kExact, lacks ? 4 : 2, -1);
    reset();
    gpu().lacks_conv = lacks;
    const int probes = gpu().probes;
    ConvPlacement placement(problem, ConvLayout::kPaddedNchw);
    REQUIRE(placement.run() == LIBSGEMM_SUCCESS);
    CHECK(backend() == (lacks || without_kernels() ? "openblas" : "cuda"));
    if (lacks || without_kernels()) CHECK(contains(reason(), "cuda has no kernel for this call"));
    if (without_kernels()) CHECK(gpu().probes == probes);
    CHECK(last_info().fallbacks == 0);
    CHECK(placement.check() == "");
    DeviceConv<Memory> device(&placement);
    placement.restore();
    if (lacks) CHECK(device.run(nullptr) == LIBSGEMM_NOT_SUPPORTED);
  }
  gpu().lacks_conv = false;
}

TEST_CASE("a GPU that fails in a convolution leaves the output as it was") {
  if (without_kernels()) return;
  for (const libsgemm_conv2d_direction_t direction : kDirections) {
    for (const mock::Site site : {mock::kAllocate, mock::kCopy, mock::kLaunch, mock::kSynchronize}) {
      for (int nth = 1; nth <= (site == mock::kCopy ? 4 : 1); ++nth) {
        for (const float beta : {0.0f, -1.0f}) {
          reset();
          libsgemm_release_memory();
          const ConvProblem problem(kLarge, direction, ConvInputs::kExact, 2, beta);
          ConvPlacement placement(problem, ConvLayout::kPaddedNchw);
          INFO(problem.description() << ", site " << site << ", call " << nth);
          // The library repeats a single failed allocation.
          const bool memory = site == mock::kAllocate;
          if (memory) {
            gpu().capacity = gpu().bytes + 1;
          } else {
            gpu().fail_at[site] = nth;
          }
          const libsgemm_status_t status = placement.run();
          gpu().capacity = 0;
          if (gpu().fail_at[site] != 0) {  // this site is reached less often
            CHECK(backend() == "cuda");
          } else if (strict()) {
            CHECK(status == (memory ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_EXECUTION_FAILED));
            CHECK(placement.check_untouched() == "");
          } else {
            CHECK(status == LIBSGEMM_SUCCESS);
            CHECK(backend() == "openblas");
            CHECK(last_info().fallbacks == 1);
            CHECK(placement.check() == "");
          }
          reset();
          if (site == mock::kSynchronize) gpu().repair();
        }
      }
    }
  }
}
