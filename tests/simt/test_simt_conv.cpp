// Convolution kernels by force on the CPU. NaN surrounds tensors and fills the gaps of views.
#include <algorithm>
#include <cmath>
#include <vector>

#include "devices.h"
#include "draw.h"
#include "gpu/kernels.h"
#include "simt/fibers/job.h"
#include "simt/fibers/simt.h"
#include "support/buffer.h"
#include "support/catch.h"
#include "support/numbers.h"
#include "support/part.h"

using namespace sgemm_test;
using libsgemm::Conv;
using libsgemm::ConvDesc;
using libsgemm::Steps;
using libsgemm::Tensor;

namespace {

#ifndef LIBSGEMM_SIMT_PART
#define LIBSGEMM_SIMT_PART 1
#endif
// One case in part() runs.
int part() { return LIBSGEMM_SIMT_PART * one_in(); }

enum class Numbers {
  exact,    // small integers
  random,   // between -1 and 1
  special,  // random, with NaN and Inf in the last image
  ranges,   // random; the last image's lower half times 2^-60
};

enum class Layout { nchw, nhwc, gaps_nchw, gaps_nhwc, transposed };
constexpr Layout kOrders[] = {Layout::nchw, Layout::nhwc, Layout::gaps_nchw, Layout::gaps_nhwc, Layout::transposed};

struct Shape {
  int64_t n, c, h, w, k, r, s;
  int64_t stride_h = 1, stride_w = 1, pad_h = 0, pad_w = 0;
  int64_t dilation_h = 1, dilation_w = 1, groups = 1;
  int64_t below = -1, right = -1;  // padding; -1: as pad_h, pad_w
};

// Fastest dimension first, each with its gap.
Steps steps_of(Layout layout, int64_t n, int64_t c, int64_t h, int64_t w) {
  Steps s = {};
  const int64_t gap = layout == Layout::gaps_nchw || layout == Layout::gaps_nhwc ? 1 : 0;
  const auto set = [&](std::initializer_list<std::pair<int64_t *, int64_t>> order) {
    int64_t step = 1;
    for (const auto &[to, extent] : order) {
      *to = step;
      step = step * extent + gap;
    }
  };
  switch (layout) {
    case Layout::nchw:
    case Layout::gaps_nchw:
      set({{&s.w, w}, {&s.h, h}, {&s.c, c}, {&s.n, n}});
      break;
    case Layout::nhwc:
    case Layout::gaps_nhwc:
      set({{&s.c, c}, {&s.w, w}, {&s.h, h}, {&s.n, n}});
      break;
    case Layout::transposed:
      set({{&s.n, n}, {&s.h, h}, {&s.w, w}, {&s.c, c}});
      break;
  }
  return s;
}

int64_t extent_of(const Tensor &t) {
  int64_t last = 0;
  for (int i = 0; i < 4; ++i) last += (t.size[i] - 1) * t.step[i];
  return last + 1;
}

template <typename Visit>
void for_elements(const Tensor &t, const Visit &visit) {
  for (int64_t n = 0; n < t.size[0]; ++n) {
    for (int64_t c = 0; c < t.size[1]; ++c) {
      for (int64_t h = 0; h < t.size[2]; ++h) {
        for (int64_t w = 0; w < t.size[3]; ++w) {
          visit(n, c, h, w, static_cast<size_t>(n * t.step[0] + c * t.step[1] + h * t.step[2] + w * t.step[3]));
        }
      }
    }
  }
}

struct Memory {
  Buffer buffer;
  Memory(const Tensor &t, int offset, Random *random, Numbers numbers, bool of_image)
      : buffer(extent_of(t), sizeof(float), offset) {
    float *data = buffer.as<float>();
    std::fill_n(data, extent_of(t), NAN);
    for_elements(t, [&](int64_t n, int64_t c, int64_t h, int64_t w, size_t at) {
      data[at] = numbers == Numbers::exact ? static_cast<float>(random->integer(-3, 3)) : random->uniform();
      if (!of_image || n + 1 < t.size[0]) return;
      if (numbers == Numbers::ranges && 2 * h >= t.size[2]) data[at] *= 0x1p-60f;
      if (numbers != Numbers::special || c != 0) return;
      if (h == 0 && w == 0) data[at] = NAN;
      if (h + 1 == t.size[2] && w + 1 == t.size[3]) data[at] = INFINITY;
    });
    buffer.seal();
  }
};

double rounded(float value, libsgemm_math_mode_t mode) { return double{as_input(mode, value)}; }

// Output, and each element's sum of term magnitudes, the unit of errors.
struct Expected {
  std::vector<double> value, magnitude;
};
Expected expected(const ConvDesc &d, const float *old, libsgemm_math_mode_t mode) {
  const Tensor x = libsgemm::tensor_x(d), f = libsgemm::tensor_f(d), y = libsgemm::tensor_y(d);
  const Tensor out = libsgemm::output_of(d);
  Expected e;
  e.value.assign(static_cast<size_t>(extent_of(out)), 0.0);
  e.magnitude = e.value;
  const auto add = [&](size_t at, float left, float right) {
    const double product = rounded(left, mode) * rounded(right, mode);
    e.value[at] += product, e.magnitude[at] += std::fabs(product);
  };
  const int64_t group_c = d.c / d.groups, group_k = d.k / d.groups;
  for_elements(y, [&](int64_t n, int64_t k, int64_t p, int64_t q, size_t at_y) {
    for (int64_t c = 0; c < group_c; ++c) {
      for (int64_t r = 0; r < d.r; ++r) {
        for (int64_t s = 0; s < d.s; ++s) {
          const int64_t h = p * d.stride_h - d.pad_h + r * d.dilation_h,
                        w = q * d.stride_w - d.pad_w + s * d.dilation_w;
          if (h < 0 || h >= d.h || w < 0 || w >= d.w) continue;
          const auto at_x = static_cast<size_t>(n * x.step[0] + (k / group_k * group_c + c) * x.step[1] +
                                                h * x.step[2] + w * x.step[3]);
          const auto at_f = static_cast<size_t>(k * f.step[0] + c * f.step[1] + r * f.step[2] + s * f.step[3]);
          switch (d.direction) {
            case Conv::forward:
              add(at_y, d.x[at_x], d.f[at_f]);
              break;
            case Conv::data_gradient:
              add(at_x, d.y[at_y], d.f[at_f]);
              break;
            case Conv::weight_gradient:
              add(at_f, d.y[at_y], d.x[at_x]);
              break;
          }
        }
      }
    }
  });
  for_elements(out, [&](int64_t, int64_t, int64_t, int64_t, size_t at) {
    const double before = d.beta != 0 ? d.beta * double{old[at]} : 0.0;
    e.value[at] = d.alpha * e.value[at] + before;
    e.magnitude[at] = std::fabs(d.alpha) * e.magnitude[at] + std::fabs(before);
  });
  return e;
}

double limit_of(double magnitude, int64_t terms, const Kernel &kernel) {
  const double k = static_cast<double>(terms);
  const libsgemm_math_mode_t mode = kernel.math_mode;
  if (mode == LIBSGEMM_MATH_FP32_FAST) return (k + 2) * 0x1p-24 * magnitude;
  double lost = mode == LIBSGEMM_MATH_FP16X3 ? 8 : mode == LIBSGEMM_MATH_BF16X6 ? 4 : 0;
  if (kernel.truncates) lost += 2 * (k / (mode == LIBSGEMM_MATH_TF32 ? 8 : 16) + 1);
  return (2 * std::sqrt(k + 2) + lost) * 0x1p-24 * magnitude;
}

bool is_right(float x, double wanted, double limit) {
  if (std::isnan(wanted)) return std::isnan(x);
  if (std::isinf(wanted)) return static_cast<double>(x) == wanted;
  return std::fabs(static_cast<double>(x) - wanted) <= limit;
}

ConvDesc describe(const Shape &shape, Conv direction, Layout layout) {
  ConvDesc d = {};
  d.direction = direction;
  d.math_mode = LIBSGEMM_MATH_FP32;
  d.n = shape.n, d.c = shape.c, d.h = shape.h, d.w = shape.w, d.k = shape.k, d.r = shape.r, d.s = shape.s;
  d.groups = shape.groups;
  d.stride_h = shape.stride_h, d.stride_w = shape.stride_w, d.pad_h = shape.pad_h, d.pad_w = shape.pad_w;
  d.dilation_h = shape.dilation_h, d.dilation_w = shape.dilation_w;
  const int64_t below = shape.below < 0 ? shape.pad_h : shape.below,
                right = shape.right < 0 ? shape.pad_w : shape.right;
  d.p = (d.h + d.pad_h + below - d.dilation_h * (d.r - 1) - 1) / d.stride_h + 1;
  d.q = (d.w + d.pad_w + right - d.dilation_w * (d.s - 1) - 1) / d.stride_w + 1;
  d.x_steps = steps_of(layout, d.n, d.c, d.h, d.w);
  d.f_steps = steps_of(layout, d.k, d.c / d.groups, d.r, d.s);
  d.y_steps = steps_of(layout, d.n, d.k, d.p, d.q);
  return d;
}

// Runs a supported case with `share` times the requested workspace; returns the fault.
std::string run(const Kernel &kernel, ConvDesc d, int offset, bool *ran, Numbers numbers = Numbers::exact,
                size_t share = 1) {
  Random random(static_cast<uint64_t>(d.c * 31 + d.h));
  const bool of_y = d.direction == Conv::data_gradient;
  Memory x(libsgemm::tensor_x(d), offset, &random, numbers, !of_y),
      f(libsgemm::tensor_f(d), offset, &random, numbers, false),
      y(libsgemm::tensor_y(d), offset, &random, numbers, of_y);
  d.x = x.buffer.as<float>(), d.f = f.buffer.as<float>(), d.y = y.buffer.as<float>();
  Memory &out = d.direction == Conv::forward ? y : d.direction == Conv::data_gradient ? x : f;
  d.out = out.buffer.as<float>();
  libsgemm::Plan plan;
  const std::string fault = plan_call(kernel, d, &plan);
  *ran = plan.kernel != nullptr;
  if (!*ran || !fault.empty()) return fault;
  const Tensor tensor = libsgemm::output_of(d);
  std::vector<bool> writable(static_cast<size_t>(extent_of(tensor)), false);
  for_elements(tensor, [&](int64_t, int64_t, int64_t, int64_t, size_t at) { writable[at] = true; });
  const Expected wanted = expected(d, d.out, kernel.math_mode);
  const int64_t terms = libsgemm::product_of(d).k;
  if (d.beta == 0) {
    for (size_t i = 0; i < writable.size(); ++i) {
      if (writable[i]) d.out[i] = NAN;
    }
    out.buffer.unseal();
    out.buffer.seal();
  }
  libsgemm::Launch launch = {};
  launch.config = plan.config;
  launch.workspace_bytes = share * plan.workspace;
  Workspace workspace(launch.workspace_bytes);
  launch.workspace = workspace.data();
  libsgemm::Error error = {};
  if (kernel.conv->launch(d, launch, &error) != LIBSGEMM_SUCCESS) return error.text;
  if (!workspace.intact()) return "wrote beyond its workspace";
  for (const Memory *memory : {&x, &f, &y}) {
    const std::string damage = memory->buffer.damage(memory == &out ? writable : std::vector<bool>());
    if (!damage.empty()) return damage;
  }
  for (size_t i = 0; i < writable.size(); ++i) {
    const double limit = numbers == Numbers::exact ? 0 : limit_of(wanted.magnitude[i], terms, kernel);
    if (writable[i] && !is_right(d.out[i], wanted.value[i], limit)) {
      return "element " + std::to_string(i) + " is " + std::to_string(d.out[i]) + ", expected " +
             std::to_string(wanted.value[i]);
    }
  }
  return "";
}

const Shape kShapes[] = {
    {1, 1, 1, 1, 1, 1, 1},
    {2, 3, 5, 6, 4, 3, 3, 1, 1, 1, 1},
    {2, 8, 8, 8, 68, 1, 1},  // 16-byte copies along the image
    {3, 12, 7, 9, 20, 3, 3, 1, 1, 1, 1},
    {2, 36, 5, 7, 12, 3, 3, 1, 1, 1, 1},  // several k-tiles
    {1, 3, 23, 21, 9, 7, 7, 2, 2, 3, 3},  // a first layer
    {2, 16, 12, 12, 24, 3, 3, 2, 2, 1, 1},
    {1, 4, 9, 11, 5, 1, 1, 2, 3},  // stride larger than the filter
    {1, 2, 13, 7, 3, 2, 3, 3, 1, 0, 2},
    {1, 3, 4, 3, 4, 3, 3, 1, 1, 5, 4},          // borders larger than the image
    {2, 4, 11, 12, 6, 3, 3, 1, 2, 2, 3, 2, 3},  // dilation
    {1, 4, 13, 12, 6, 3, 2, 4, 2, 2, 1, 2, 3},  // stride and dilation with a common factor
    {1, 2, 9, 9, 3, 3, 3, 6, 4, 1, 2, 3, 2},    // remainders without taps
    {2, 12, 6, 5, 18, 3, 3, 1, 1, 1, 1, 1, 1, 3},
    {2, 20, 19, 9, 44, 3, 3, 1, 1, 1, 1, 1, 1, 4},  // groups with more channels than a quad
    {2, 14, 9, 12, 18, 3, 2, 2, 2, 1, 0, 1, 1, 2},  // the same, strided
    {2, 10, 7, 6, 20, 3, 3, 2, 1, 1, 1, 1, 1, 10},  // depthwise, two filters each
    {3, 8, 9, 8, 8, 5, 5, 1, 1, 2, 2, 1, 1, 8},
    {1, 8, 5, 10, 130, 3, 1, 1, 1, 0, 0, 1, 1, 1, 2, 0},  // padding below only
    {5, 64, 4, 4, 8, 2, 2, 2, 2},
    {2, 40, 13, 14, 72, 3, 3, 1, 1, 1, 1},           // several tiles each way
    {2, 72, 9, 11, 72, 3, 3, 1, 1, 1, 1, 1, 1, 72},  // depthwise, more channels
    {1, 132, 6, 7, 132, 5, 5, 2, 2, 2, 2, 1, 1, 132},
    {1, 20, 15, 9, 20, 7, 7, 1, 1, 3, 3, 1, 1, 20},
    {2, 8, 12, 10, 8, 3, 3, 1, 1, 3, 3, 3, 3, 8},
    {3, 44, 9, 10, 196, 3, 3, 1, 1, 1, 1},  // images that do not end with a tile; more filters than one
    {5, 33, 11, 8, 140, 2, 3, 2, 3, 1, 2, 1, 2},
    {2, 12, 16, 16, 128, 1, 1},  // each tile of the wgmma kernels
    {4, 12, 16, 16, 128, 1, 1},
    {4, 12, 16, 16, 250, 1, 1},
    {2, 67, 9, 8, 12, 3, 3, 1, 1, 1, 1},    // several steps of a tap
    {2, 3, 35, 131, 10, 7, 5, 2, 1, 3, 2},  // more rows and columns of few channels than a tile
    {1, 7, 19, 70, 2, 3, 6, 1, 1, 1, 2},
};

// Kernels run different parts of the cases.
int part_of(const Kernel &kernel) { return static_cast<int>(std::hash<std::string>()(kernel.name) % 1000); }

}  // namespace

TEST_CASE("a kernel for convolutions gives the right results on the CPU", "[kernel]") {
  for (const CodeKernels &code : kernels_by_code(true)) {
    DYNAMIC_SECTION(code.code) {
      for (const Kernel &kernel : code.kernels) {
        const int index = part_of(kernel);
        DYNAMIC_SECTION(kernel.name) {
          int ran = 0, failed = 0, turn = 0, supported = 0;
          for (const Shape &shape : kShapes) {
            for (const Conv direction : {Conv::forward, Conv::data_gradient, Conv::weight_gradient}) {
              for (const Layout layout : kOrders) {
                ++turn;
                ConvDesc d = describe(shape, direction, layout);
                if (!can_do(kernel, d, 0)) continue;
                const int at = supported++;  // runs the first one and one in part()
                if (at != 0 && (at + at / part() + index) % part() != 0) continue;
                simt::schedule().seed = static_cast<uint64_t>(turn);
                simt::schedule().start_together = turn % 2 == 0;
                d.alpha = turn % 3 == 0 ? 1.0f : -2.0f;
                d.beta = turn % 4 == 0 ? 3.0f : 0.0f;
                bool runs = false;
                const size_t share = turn % 2 == 0 ? 1 : 4;
                const std::string fault = run(kernel, d, turn % 5 == 0 ? 1 : 0, &runs, Numbers::exact, share);
                ran += runs ? 1 : 0;
                if (!fault.empty() && ++failed <= 10) FAIL_CHECK(to_string(d) << ": " << fault);
              }
            }
          }
          CHECK(failed == 0);
          CHECK(ran > 0);
        }
      }
    }
  }
}

TEST_CASE("a kernel for convolutions rounds as its mode promises, and spreads NaN and Inf", "[kernel]") {
  const Shape shapes[] = {
      {3, 40, 12, 11, 72, 3, 3, 1, 1, 1, 1},
      {2, 36, 17, 9, 150, 3, 3, 1, 1, 1, 1},
      {4, 300, 7, 6, 20, 1, 1},
      {2, 12, 14, 9, 12, 3, 3, 1, 1, 1, 1, 1, 1, 12},
      {2, 12, 15, 9, 12, 5, 5, 2, 2, 2, 2, 1, 1, 12},
      {1, 6, 19, 10, 6, 3, 3, 1, 1, 0, 0, 1, 1, 6},
      {2, 7, 21, 12, 7, 7, 7, 1, 1, 2, 3, 1, 1, 7},
      {2, 24, 19, 9, 24, 3, 3, 1, 1, 1, 1, 1, 1, 6},  // few channels a group
  };
  for (const CodeKernels &code : kernels_by_code(true)) {
    DYNAMIC_SECTION(code.code) {
      for (const Kernel &kernel : code.kernels) {
        const int index = part_of(kernel);
        DYNAMIC_SECTION(kernel.name) {
          int turn = 0;
          for (const Shape &shape : shapes) {
            for (const Conv direction : {Conv::forward, Conv::data_gradient, Conv::weight_gradient}) {
              for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
                for (const Numbers numbers : {Numbers::random, Numbers::special, Numbers::ranges}) {
                  if (numbers == Numbers::ranges && kernel.math_mode == LIBSGEMM_MATH_FP16X3) continue;
                  ++turn;
                  if ((turn + index) % part() != 0) continue;
                  simt::schedule().seed = static_cast<uint64_t>(turn);
                  ConvDesc d = describe(shape, direction, layout);
                  d.alpha = 1.5f;
                  d.beta = turn % 2 == 0 ? -0.5f : 0.0f;
                  bool runs = false;
                  INFO(to_string(d) << ", numbers " << static_cast<int>(numbers));
                  CHECK(run(kernel, d, 0, &runs, numbers, turn % 3 == 0 ? 1 : 8) == "");
                }
              }
            }
          }
        }
      }
    }
  }
}

namespace {

bool of_weights(const Kernel &kernel) {
  const std::string name = kernel.name, end = "_weights";
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

TEST_CASE("on an H100 convolutions of splits are predicted to be worth it for many terms and pixels") {
  const Kernel *fp64 = nullptr;
  for (int index = 0; index < libsgemm::gpu::kernel_count(); ++index) {
    const Kernel &kernel = libsgemm::gpu::kernels()[index];
    if (std::string(kernel.name) == "sm90_dmma_64x64x32_conv") fp64 = &kernel;
  }
  if (fp64 == nullptr) return;
  const int device = simt::device_called("H100");
  REQUIRE(device >= 0);
  const auto seconds = [&](const Kernel &kernel, const Shape &shape) {
    const ConvDesc d = describe(shape, Conv::forward, Layout::nhwc);
    REQUIRE(can_do(kernel, d, device));
    return prepare(kernel, d, device).seconds;
  };
  const Shape large = {32, 128, 56, 56, 128, 3, 3, 1, 1, 1, 1}, deep = {32, 256, 14, 14, 256, 3, 3, 1, 1, 1, 1};
  const Shape small = {1, 32, 7, 7, 32, 3, 3, 1, 1, 1, 1}, first = {32, 8, 112, 112, 64, 7, 7, 2, 2, 3, 3};
  for (int index = 0; index < libsgemm::gpu::kernel_count(); ++index) {
    const Kernel &kernel = libsgemm::gpu::kernels()[index];
    if (kernel.conv == nullptr || kernel.math_mode == LIBSGEMM_MATH_FP64 || kernel.math_mode == LIBSGEMM_MATH_FP32)
      continue;
    INFO(kernel.name);
    if (of_weights(kernel)) {
      const ConvDesc d = describe(large, Conv::weight_gradient, Layout::nhwc);
      REQUIRE(can_do(kernel, d, device));
      CHECK(prepare(kernel, d, device).seconds < prepare(*fp64, d, device).seconds);
      continue;
    }
    CHECK(seconds(kernel, large) < seconds(*fp64, large));
    if (kernel.math_mode != LIBSGEMM_MATH_BF16X6) CHECK(seconds(kernel, deep) < seconds(*fp64, deep));
    if (kernel.truncates) continue;  // one product, not three or six
    CHECK(seconds(kernel, small) > seconds(*fp64, small));
    CHECK(seconds(kernel, first) > seconds(*fp64, first));
  }
}

TEST_CASE("what convolutions of splits take") {
  const auto takes = [](const Kernel &kernel, const Shape &shape, Conv direction, Layout layout = Layout::nhwc) {
    return can_do(kernel, describe(shape, direction, layout), 0);
  };
  for (int index = 0; index < libsgemm::gpu::kernel_count(); ++index) {
    const Kernel &kernel = libsgemm::gpu::kernels()[index];
    if (kernel.conv == nullptr || kernel.math_mode == LIBSGEMM_MATH_FP64 || kernel.math_mode == LIBSGEMM_MATH_FP32)
      continue;
    INFO(kernel.name);
    if (of_weights(kernel)) {
      for (const Layout layout : kOrders) {
        CHECK(takes(kernel, {16, 64, 12, 12, 260, 3, 3, 2, 2, 1, 1}, Conv::weight_gradient, layout));
      }
      CHECK(takes(kernel, {4, 3, 12, 12, 260, 3, 3}, Conv::weight_gradient) != kernel.truncates);
      const bool fast = kernel.math_mode == LIBSGEMM_MATH_FP32_FAST;
      CHECK(takes(kernel, {2, 64, 12, 12, 260, 3, 3, 2, 2, 1, 1}, Conv::weight_gradient) != fast);
      CHECK(takes(kernel, {90, 64, 5, 5, 260, 3, 3}, Conv::weight_gradient) != fast);
      CHECK_FALSE(takes(kernel, {2, 64, 12, 12, 64, 3, 3}, Conv::forward));
      CHECK_FALSE(takes(kernel, {1, 64, 300, 40, 64, 2, 2, 9, 8, 0, 0}, Conv::weight_gradient));
      CHECK_FALSE(takes(kernel, {1, 512, 12, 12, 64, 3, 3, 1, 1, 0, 0, 1, 1, 2}, Conv::weight_gradient));
      continue;
    }
    const bool fast = kernel.math_mode == LIBSGEMM_MATH_FP32_FAST;
    CHECK(takes(kernel, {2, 4, 12, 12, 4, 3, 3}, Conv::forward) == (!kernel.truncates && !fast));
    for (const Layout layout : {Layout::nchw, Layout::nhwc, Layout::gaps_nchw, Layout::gaps_nhwc}) {
      CHECK(takes(kernel, {2, 64, 12, 12, 260, 3, 3, 2, 2, 1, 1}, Conv::forward, layout));
      CHECK(takes(kernel, {2, 64, 12, 12, 260, 3, 3, 2, 2, 1, 1}, Conv::data_gradient, layout));
    }
    // Only pixels of successive images. FP32's bound needs 256 terms.
    CHECK_FALSE(takes(kernel, {2, 64, 12, 12, 64, 3, 3}, Conv::forward, Layout::transposed));
    CHECK(takes(kernel, {2, 28, 12, 12, 64, 3, 3}, Conv::forward) != fast);
    CHECK(takes(kernel, {2, 64, 12, 12, 255, 3, 3, 2, 2, 1, 1}, Conv::data_gradient) != fast);
    // No windows that TMA cannot walk, no taps without an input pixel, no groups.
    CHECK(takes(kernel, {1, 64, 300, 40, 64, 2, 2, 8, 8, 127, 127, 240, 1}, Conv::forward));
    CHECK_FALSE(takes(kernel, {1, 64, 300, 40, 64, 2, 2, 9, 8, 0, 0}, Conv::forward));
    CHECK_FALSE(takes(kernel, {1, 64, 300, 40, 64, 2, 2, 8, 8, 128, 0}, Conv::forward));
    CHECK_FALSE(takes(kernel, {1, 64, 300, 40, 64, 2, 2, 8, 8, 0, 0, 256, 1}, Conv::forward));
    CHECK_FALSE(takes(kernel, {1, 64, 12, 12, 260, 1, 1, 2, 2}, Conv::data_gradient));
    CHECK_FALSE(takes(kernel, {1, 64, 12, 12, 64, 3, 3}, Conv::weight_gradient));
    CHECK_FALSE(takes(kernel, {1, 512, 12, 12, 64, 3, 3, 1, 1, 0, 0, 1, 1, 2}, Conv::forward));
  }
}
