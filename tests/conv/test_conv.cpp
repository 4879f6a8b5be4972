#include <cmath>
#include <cstring>

#include "conv_problem.h"
#include "support/call.h"
#include "support/catch.h"
#include "support/part.h"
#include "support/subject.h"

using namespace sgemm_test;

std::string sgemm_test::skip_reason() { return ""; }

namespace {

struct Scalars {
  float alpha, beta;
};
constexpr Scalars kScalars[] = {{1, 0}, {2, 1}, {-1, -2}};

// The backend must have kernels and, on a GPU, one for the call. Otherwise the CPU computes, and `reason` says so.
bool must_compute(const libsgemm_info_t &info) {
  const bool left = subject().is_gpu && std::strstr(info.reason, "has no kernel for this call") != nullptr;
  return !subject().conv_kernels.empty() && !left;
}

struct WithRef : Handle {
  WithRef() {
    const std::string backends = subject().backend == "ref" ? "ref" : subject().backend + ",ref";
    REQUIRE(libsgemm_set_backend(*this, backends.c_str()) == LIBSGEMM_SUCCESS);
  }
};

std::string judge(libsgemm_status_t status, const std::string &kernel, ConvPlacement *placement) {
  const libsgemm_info_t info = last_info();
  if (!kernel.empty() && status == LIBSGEMM_NOT_SUPPORTED) return placement->check_untouched();
  if (status != LIBSGEMM_SUCCESS) return info.message;
  if (must_compute(info) && subject().backend != info.backend) return "computed by " + std::string(info.backend);
  if (!kernel.empty() && kernel != info.kernel) return "computed by kernel " + std::string(info.kernel);
  return placement->check(conv_arithmetic_of(info));
}

void run(const ConvProblem &problem, ConvLayout layout, int misalignment, libsgemm_handle_t handle,
         const std::string &kernel) {
  ConvPlacement placement(problem, layout, misalignment);
  const std::string fault = judge(placement.run(handle), kernel, &placement);
  INFO(problem.description() << ", " << layout_name(layout) << ", misaligned by " << misalignment << ", kernel "
                             << kernel);
  CHECK(fault == "");
}

void run_table(const std::vector<ConvCase> &cases, libsgemm_handle_t handle, const std::string &kernel,
               libsgemm_math_mode_t mode = LIBSGEMM_MATH_FP32) {
  int at = 0;
  for (const ConvCase &test : cases) {
    for (const libsgemm_conv2d_direction_t direction : kDirections) {
      for (const ConvInputs inputs : {ConvInputs::kExact, ConvInputs::kRandom}) {
        const Scalars &by = kScalars[at++ % 3];
        const ConvProblem problem(test, direction, inputs, by.alpha, by.beta, mode);
        for (const ConvLayout layout : kConvLayouts) {
          if (at % one_in() == 0) run(problem, layout, at % 4, handle, kernel);
        }
      }
    }
  }
}

// Returns the mode of any call that the forced kernel takes: its name does not show the mode.
libsgemm_math_mode_t mode_of_kernel(libsgemm_handle_t forced) {
  for (const ConvCase &test : kConvCases) {
    for (const libsgemm_conv2d_direction_t direction : kDirections) {
      const ConvProblem problem(test, direction, ConvInputs::kExact, 1, 0);
      ConvPlacement placement(problem, ConvLayout::kNhwc);
      if (placement.run(forced) == LIBSGEMM_SUCCESS) return conv_arithmetic_of(last_info()).mode;
    }
  }
  return LIBSGEMM_MATH_FP32;
}

}  // namespace

TEST_CASE("the table of convolutions") {
  run_table(kConvCases, nullptr, "");
  const Handle handle;
  REQUIRE(libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
  run_table(kConvCases, handle, "");
}

TEST_CASE("convolutions larger than blocks") { run_table(kLargeConvCases, nullptr, ""); }

TEST_CASE("the table of convolutions on every kernel by force") {
  for (const std::string &kernel : subject().conv_kernels) {
    const Handle handle;
    REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
    run_table(kConvCases, handle, kernel, mode_of_kernel(handle));
  }
}

TEST_CASE("every alpha and beta") {
  for (const libsgemm_conv2d_direction_t direction : kDirections) {
    for (const float alpha : {0.0f, 1.0f, -1.0f, 0.5f}) {
      for (const float beta : {0.0f, -0.0f, 1.0f, -1.0f, 0.25f}) {
        const ConvProblem problem(kConvCases[6], direction, ConvInputs::kExact, alpha, beta);
        for (const ConvLayout layout : kConvLayouts) {
          ConvPlacement placement(problem, layout);
          INFO(problem.description() << ", " << layout_name(layout));
          REQUIRE(placement.run() == LIBSGEMM_SUCCESS);
          CHECK(placement.check() == "");
          if (alpha == 0) {
            CHECK(std::string(last_info().backend) == "none");
            CHECK(std::string(last_info().kernel) == (beta == 1 ? "nothing" : "scale"));
          }
        }
      }
    }
  }
}

TEST_CASE("a convolution without terms scales its output and reads no input") {
  struct Without {
    libsgemm_conv2d_direction_t direction;
    int64_t n, c, h, k;
  };
  // No channels; no rows in the image; no filters; no images.
  for (const Without &v :
       {Without{LIBSGEMM_CONV2D_FORWARD, 2, 0, 3, 4}, Without{LIBSGEMM_CONV2D_FORWARD, 2, 3, 0, 4},
        Without{LIBSGEMM_CONV2D_DATA_GRADIENT, 2, 3, 3, 0}, Without{LIBSGEMM_CONV2D_WEIGHT_GRADIENT, 0, 3, 3, 4},
        Without{LIBSGEMM_CONV2D_WEIGHT_GRADIENT, 2, 3, 0, 4}}) {
    libsgemm_conv2d_t conv;
    libsgemm_conv2d_init(&conv, sizeof conv);
    conv.direction = v.direction;
    conv.n = v.n, conv.c = v.c, conv.h = v.h, conv.w = 3, conv.k = v.k;
    conv.pad_top = 1;
    for (const float beta : {0.0f, 3.0f}) {
      std::vector<float> out(100, 2.0f);
      INFO(direction_name(v.direction) << " n " << v.n << " c " << v.c << " h " << v.h << " k " << v.k);
      REQUIRE(libsgemm_sconv2d(&conv, 1, nullptr, nullptr, beta, out.data()) == LIBSGEMM_SUCCESS);
      CHECK(std::string(last_info().kernel) == "scale");
      CHECK(out.front() == 2 * beta);
      CHECK(out.back() == 2.0f);
    }
  }
}

TEST_CASE("an empty output returns at once") {
  libsgemm_conv2d_t conv;
  libsgemm_conv2d_init(&conv, sizeof conv);
  conv.c = 3, conv.h = conv.w = 4, conv.k = 5;
  CHECK(libsgemm_sconv2d(&conv, 1, nullptr, nullptr, 0, nullptr) == LIBSGEMM_SUCCESS);
  CHECK(std::string(last_info().kernel) == "nothing");
}

TEST_CASE("inputs may have strides of 0") {
  const ConvCase test = {"", 3, 4, 5, 6, 2, 3, 3};
  ConvProblem problem(test, LIBSGEMM_CONV2D_FORWARD, ConvInputs::kExact, 1, 0);
  libsgemm_conv2d_t conv = conv_of(test, LIBSGEMM_CONV2D_FORWARD, ConvLayout::kNchw);
  const int64_t strides[] = {0, 0, 6, 1};
  std::copy(std::begin(strides), std::end(strides), conv.x_strides);
  std::vector<float> y(problem.y.size()), all(problem.x.size()), wanted(problem.y.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = problem.x[i % 30];
  REQUIRE(libsgemm_sconv2d(&conv, 1, problem.x.data(), problem.f.data(), 0, y.data()) == LIBSGEMM_SUCCESS);
  std::fill(std::begin(conv.x_strides), std::end(conv.x_strides), 0);
  REQUIRE(libsgemm_sconv2d(&conv, 1, all.data(), problem.f.data(), 0, wanted.data()) == LIBSGEMM_SUCCESS);
  CHECK(y == wanted);
  CHECK(std::any_of(y.begin(), y.end(), [](float v) { return v != 0; }));
}

TEST_CASE("input and output may be channels of one tensor") {
  // A dense block of a network appends its channels: it reads 4 of 6 and writes 2.
  constexpr int64_t kPixels = 5 * 5, kAll = 6;
  const ConvCase test = {"", 1, 4, 5, 5, 2, 3, 3, 1, 1, 1, 1, 1, 1, 1};
  const ConvProblem problem(test, LIBSGEMM_CONV2D_FORWARD, ConvInputs::kExact, 1, 0);
  libsgemm_conv2d_t conv = conv_of(test, LIBSGEMM_CONV2D_FORWARD, ConvLayout::kNchw);
  const int64_t strides[] = {kPixels * kAll, 1, 5 * kAll, kAll};
  std::copy(std::begin(strides), std::end(strides), conv.x_strides);
  std::copy(std::begin(strides), std::end(strides), conv.y_strides);
  std::vector<float> tensor(kPixels * kAll, 99.0f);
  for (size_t c = 0; c < 4; ++c) {
    for (size_t i = 0; i < kPixels; ++i) tensor[i * kAll + c] = problem.x[c * kPixels + i];
  }
  REQUIRE(libsgemm_sconv2d(&conv, 1, tensor.data(), problem.f.data(), 0, tensor.data() + 4) == LIBSGEMM_SUCCESS);
  for (size_t c = 0; c < 2; ++c) {
    for (size_t i = 0; i < kPixels; ++i) {
      CHECK(static_cast<double>(tensor[i * kAll + 4 + c]) == problem.value[c * kPixels + i]);
    }
  }
  std::vector<float> kept(tensor);
  CHECK(libsgemm_sconv2d(&conv, 1, tensor.data(), problem.f.data(), 0, tensor.data() + 3) == LIBSGEMM_INVALID_ARGUMENT);
  CHECK(last_info().argument == 6);
  CHECK_THAT(last_info().message, Contains("overlaps A"));
  CHECK(tensor == kept);
}

TEST_CASE("math modes of convolutions") {
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    const Handle handle;
    REQUIRE(libsgemm_set_math_mode(handle, mode) == LIBSGEMM_SUCCESS);
    for (const ConvCase &test : kConvCases) {
      for (const libsgemm_conv2d_direction_t direction : kDirections) {
        // The first call shows whether the mode runs, and the oracle must round inputs.
        const ConvProblem plain(test, direction, ConvInputs::kRandom, 2, -1);
        ConvPlacement probe(plain, ConvLayout::kNchw);
        REQUIRE(probe.run(handle) == LIBSGEMM_SUCCESS);
        const ConvArithmetic ran = conv_arithmetic_of(last_info());
        if (!subject().is_gpu) {
          CHECK(ran.mode == (rounds(mode) || mode == LIBSGEMM_MATH_FP64 ? mode : LIBSGEMM_MATH_FP32));
        }
        const ConvProblem problem(test, direction, ConvInputs::kRandom, 2, -1, ran.mode);
        for (const ConvLayout layout : {ConvLayout::kNchw, ConvLayout::kNhwc, ConvLayout::kScattered}) {
          run(problem, layout, 0, handle, "");
        }
      }
    }
  }
}

TEST_CASE("sums of a given order") {
  const WithRef handle;
  REQUIRE(libsgemm_set_deterministic(handle, LIBSGEMM_DETERMINISTIC_INVARIANT) == LIBSGEMM_SUCCESS);
  const ConvCase &test = kConvCases[6];  // 3x3 same
  const ConvProblem problem(test, LIBSGEMM_CONV2D_FORWARD, ConvInputs::kRandom, 0.7f, 0.3f);
  std::vector<float> wanted;
  for (int64_t at = 0; at < test.n * test.k * test.h * test.w; ++at) {
    const int64_t n = at / (test.k * test.h * test.w), k = at / (test.h * test.w) % test.k;
    const int64_t i = at / test.w % test.h, j = at % test.w;
    float sum = 0;
    for (int64_t c = 0; c < test.c; ++c) {
      for (int64_t r = 0; r < 3; ++r) {
        for (int64_t s = 0; s < 3; ++s) {
          const int64_t h = i - 1 + r, w = j - 1 + s;
          if (h < 0 || h >= test.h || w < 0 || w >= test.w) continue;
          sum = std::fma(problem.x[static_cast<size_t>(((n * test.c + c) * test.h + h) * test.w + w)],
                         problem.f[static_cast<size_t>(((k * test.c + c) * 3 + r) * 3 + s)], sum);
        }
      }
    }
    wanted.push_back(std::fma(0.3f, problem.y[static_cast<size_t>(at)], std::fma(0.7f, sum, 0.0f)));
  }
  for (const ConvLayout layout : kConvLayouts) {
    ConvPlacement placement(problem, layout);
    REQUIRE(placement.run(handle) == LIBSGEMM_SUCCESS);
    CHECK(placement.output().dense() == wanted);
  }
}

TEST_CASE("right convolutions are not refused by verification") {
  for (const libsgemm_verify_t verify : {LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL}) {
    const Handle handle;
    REQUIRE(libsgemm_set_verify(handle, verify, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
    for (const ConvCase &test : kConvCases) {
      for (const libsgemm_conv2d_direction_t direction : kDirections) {
        const ConvProblem problem(test, direction, ConvInputs::kRandom, 2, -1);
        for (const ConvLayout layout : {ConvLayout::kNhwc, ConvLayout::kScattered}) {
          ConvPlacement placement(problem, layout);
          INFO(problem.description());
          REQUIRE(placement.run(handle) == LIBSGEMM_SUCCESS);
          CHECK(last_info().verify_ratio >= 0);
          CHECK(last_info().verify_ratio <= 1);
          CHECK(placement.check(conv_arithmetic_of(last_info())) == "");
        }
      }
    }
  }
}

TEST_CASE("infinities spread, and those of padding are no alarm") {
  const Handle handle;
  REQUIRE(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
  const float inf = std::numeric_limits<float>::infinity();
  ConvProblem problem(kConvCases[6], LIBSGEMM_CONV2D_FORWARD, ConvInputs::kExact, 1, 0);
  for (const bool in_filter : {false, true}) {
    std::vector<float> x = problem.x, f = problem.f, y(problem.y.size());
    (in_filter ? f : x)[4] = inf;  // in the filter: middle of the first channel
    const libsgemm_conv2d_t conv = conv_of(problem.test, problem.direction, ConvLayout::kNchw);
    REQUIRE(libsgemm_sconv2d_h(handle, &conv, 1, x.data(), f.data(), 0, y.data()) == LIBSGEMM_SUCCESS);
    CHECK(std::any_of(y.begin(), y.end(), [](float v) { return !std::isfinite(v); }));
    CHECK(std::any_of(y.begin(), y.end(), [](float v) { return std::isfinite(v); }));
  }
}
