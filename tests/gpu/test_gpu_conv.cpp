// A backend without kernels for convolutions refuses and writes nothing.
#include "conv/conv_device.h"
#include "gpu_driver.h"
#include "support/call.h"
#include "support/catch.h"
#include "support/part.h"
#include "support/subject.h"

using namespace sgemm_test;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

namespace {

class Memory {
 public:
  explicit Memory(size_t bytes) : memory_(bytes) {}
  void *address() const { return memory_.as<void>(); }
  void upload(const void *host) { gpu::upload(memory_.address(), host, memory_.bytes()); }
  void download(void *host) {
    gpu::require(gpu::driver().to_host(host, memory_.address(), memory_.bytes()), "to_host");
  }

 private:
  gpu::Memory memory_;
};

libsgemm_math_mode_t mode_of(const std::string &kernel) {
  const Handle handle;
  REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
  for (const libsgemm_conv2d_direction_t direction : kDirections) {
    for (const ConvLayout layout : {ConvLayout::kNhwc, ConvLayout::kNchw}) {
      const ConvProblem problem(kConvCases[7], direction, ConvInputs::kExact, 1, 0);
      ConvPlacement host(problem, layout);
      DeviceConv<Memory> device(&host);
      if (device.run(handle) == LIBSGEMM_SUCCESS) return conv_arithmetic_of(last_info()).mode;
    }
  }
  return LIBSGEMM_MATH_FP32;
}

// Makes one call in `step`; odd, so that beta and inputs alternate. Returns the calls computed on the device.
int run_table(const std::vector<ConvCase> &cases, const std::string &kernel, libsgemm_verify_t verify,
              int step = one_in() | 1) {
  const Handle handle;
  const gpu::Stream stream;
  REQUIRE(libsgemm_set_stream(handle, stream) == LIBSGEMM_SUCCESS);
  REQUIRE(libsgemm_set_verify(handle, verify, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
  const libsgemm_math_mode_t mode = kernel.empty() ? LIBSGEMM_MATH_FP32 : mode_of(kernel);
  if (!kernel.empty()) REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
  const bool may_refuse = !kernel.empty() || subject().conv_kernels.empty();
  int ran = 0, at = 0;
  for (const ConvCase &test : cases) {
    for (const libsgemm_conv2d_direction_t direction : kDirections) {
      for (const ConvInputs inputs : {ConvInputs::kExact, ConvInputs::kRandom}) {
        const float beta = ++at % 2 == 0 ? 0.0f : -2.0f;
        const ConvProblem problem(test, direction, inputs, 2, beta, mode);
        for (const ConvLayout layout : kConvLayouts) {
          if (at % step != 0) continue;
          ConvPlacement host(problem, layout, at % 4);
          DeviceConv<Memory> device(&host);
          INFO(problem.description() << ", " << layout_name(layout) << ", kernel " << kernel);
          const libsgemm_status_t status = device.run(handle);
          const libsgemm_info_t info = last_info();
          if (status == LIBSGEMM_NOT_SUPPORTED && may_refuse) {
            CHECK(device.check_untouched() == "");
            continue;
          }
          INFO(info.message);
          REQUIRE(status == LIBSGEMM_SUCCESS);
          REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
          CHECK(subject().backend == info.backend);
          if (!kernel.empty()) CHECK(kernel == info.kernel);
          CHECK(device.check(conv_arithmetic_of(info)) == "");
          ++ran;
        }
      }
    }
  }
  return ran;
}

}  // namespace

TEST_CASE("convolutions in device memory, chosen") {
  const int ran = run_table(kConvCases, "", LIBSGEMM_VERIFY_OFF);
  CHECK((ran > 0) == !subject().conv_kernels.empty());
  run_table(kLargeConvCases, "", LIBSGEMM_VERIFY_OFF);
}

TEST_CASE("convolutions in device memory, every kernel by force") {
  for (const std::string &kernel : subject().conv_kernels) {
    INFO(kernel);
    const auto run = [&](int step) {
      const int small = run_table(kConvCases, kernel, LIBSGEMM_VERIFY_OFF, step);
      return small + run_table(kLargeConvCases, kernel, LIBSGEMM_VERIFY_OFF, step);
    };
    CHECK((run(one_in() | 1) > 0 || run(1) > 0));  // some kernels compute few cases
  }
}

TEST_CASE("convolutions in device memory, columns in several parts") {
  for (const std::string &kernel : subject().conv_kernels) {
    if (kernel.find("col2im") == std::string::npos) continue;
    INFO(kernel);
    CHECK(run_table(kColumnCases, kernel, LIBSGEMM_VERIFY_OFF, 1) > 0);
  }
}

TEST_CASE("convolutions in device memory, verified") {
  run_table(kConvCases, "", LIBSGEMM_VERIFY_SAMPLE);
  run_table(kConvCases, "", LIBSGEMM_VERIFY_FULL);
  // Verification allows for the modes' lost bits.
  for (const std::string &kernel : subject().conv_kernels) {
    const libsgemm_math_mode_t mode = mode_of(kernel);
    if (mode != LIBSGEMM_MATH_FP16X3 && mode != LIBSGEMM_MATH_BF16X6) continue;
    CHECK(run_table(kConvCases, kernel, LIBSGEMM_VERIFY_FULL) > 0);
  }
}

TEST_CASE("convolutions in device memory, scaled") {
  for (const ConvLayout layout : kConvLayouts) {
    const ConvProblem problem(kConvCases[6], LIBSGEMM_CONV2D_FORWARD, ConvInputs::kExact, 0, 3);
    ConvPlacement host(problem, layout);
    DeviceConv<Memory> device(&host);
    REQUIRE(device.run(nullptr) == LIBSGEMM_SUCCESS);
    CHECK(std::string(last_info().kernel) == "scale");
    CHECK(device.check() == "");
  }
}
