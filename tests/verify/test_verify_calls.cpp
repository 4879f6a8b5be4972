// Right calls raise no alarm. LIBSGEMM_TEST_TRIALS: calls; libsgemm promises no alarm in 100000.
#include <algorithm>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>

#include "gpu/gpu_driver.h"
#include "support/catch.h"
#include "support/subject.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace sgemm_test;

namespace {

class Floats {
 public:
  explicit Floats(int which) {
    constexpr int kRoundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fegetenv(&usual_);
    std::fesetround(kRoundings[which % kRoundingCount]);
#if defined(__x86_64__)
    constexpr unsigned kFlushes[] = {0, 0x8000, 0x0040, 0x8040};  // results, operands, both
    _mm_setcsr(_mm_getcsr() | kFlushes[which / kRoundingCount]);
#endif
    std::feclearexcept(FE_ALL_EXCEPT);
  }
  ~Floats() { std::fesetenv(&usual_); }
  Floats(const Floats &) = delete;
  Floats &operator=(const Floats &) = delete;

  static constexpr int kRoundingCount = 4, kCount = 16;

 private:
  std::fenv_t usual_;
};

// Programs trap these exceptions, and NumPy warns of them.
constexpr int kErrors = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

class Traps {
 public:
  Traps() {
    std::feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(kErrors);
  }
  ~Traps() { fedisableexcept(kErrors); }
  Traps(const Traps &) = delete;
  Traps &operator=(const Traps &) = delete;
};

int trials() {
  const char *text = std::getenv("LIBSGEMM_TEST_TRIALS");
  return text != nullptr ? std::atoi(text) : 1500;
}

bool on_device() { return subject().is_gpu && gpu::missing().empty(); }

// The mock GPU's other modes compute in FP32.
bool has_modes() { return !subject().is_gpu || on_device(); }

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}

  int64_t below(int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(count)); }
  // Sizes up to 80, mostly small.
  int64_t size() { return 1 + below(1 + below(80)); }
  float scalar() {
    constexpr float kValues[] = {0, 1, -1, 0.7f, -3};
    return kValues[below(5)];
  }
  libsgemm_op_t op() { return below(2) == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS; }

  // 0: normal; 1: positive; 2: log-normal; 3: normal, its second half cancels the first.
  void fill(std::vector<float> *x, int distribution) {
    std::normal_distribution<double> normal;
    const size_t half = x->size() / 2;
    for (size_t i = 0; i < x->size(); ++i) {
      double value = normal(random_);
      if (distribution == 1) value = std::fabs(value);
      if (distribution == 2) value = std::exp(4 * value) * (below(2) == 0 ? 1 : -1);
      if (distribution == 3 && i >= half && i < 2 * half) {
        value = -static_cast<double>((*x)[i - half]) * (1 + 0x1p-20 * value);
      }
      (*x)[i] = static_cast<float>(value);
    }
  }

 private:
  std::mt19937_64 random_;
};

struct Call {
  Routine routine;
  Args args;
  std::vector<float> a, b, c;

  Call(Routine which, Draw *draw, int distribution) : routine(which) {
    args.layout = draw->below(2) == 0 ? LIBSGEMM_COL_MAJOR : LIBSGEMM_ROW_MAJOR;
    args.transa = draw->op(), args.transb = draw->op();
    args.side = draw->below(2) == 0 ? LIBSGEMM_LEFT : LIBSGEMM_RIGHT;
    args.uplo = draw->below(2) == 0 ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
    args.m = draw->size(), args.n = draw->size(), args.k = draw->size();
    args.alpha = draw->scalar(), args.beta = draw->scalar();
    const int64_t most = std::max({args.m, args.n, args.k});
    args.lda = most + draw->below(3), args.ldb = most + draw->below(3), args.ldc = most + draw->below(3);
    for (std::vector<float> *x : {&a, &b, &c}) {
      x->resize(static_cast<size_t>((most + 2) * most));
      draw->fill(x, distribution);
    }
    if (routine == Routine::kStrsm) {
      // Small elements off the diagonal keep solutions from growing.
      for (float &x : a) x = std::fmod(x, 1.0f) / static_cast<float>(most);
      for (int64_t i = 0; i < most; ++i) a[static_cast<size_t>(i * (args.lda + 1))] = 1.5f;
    }
    args.a = a.data(), args.b = b.data(), args.c = c.data();
  }
};

// The device's copies are allocated once.
class DeviceSide {
 public:
  Args upload(const Call &call) {
    Args args = call.args;
    args.a = copy(0, call.a);
    args.b = copy(1, call.b);
    args.c = copy(2, call.c);
    return args;
  }

 private:
  static constexpr size_t kBytes = 32768;

  float *copy(size_t place, const std::vector<float> &x) {
    const gpu::Pointer to = memory_.address() + place * kBytes;
    gpu::require(gpu::driver().to_device(to, x.data(), x.size() * sizeof(float)), "to_device");
    return memory_.as<float>(place * kBytes);
  }

  gpu::Memory memory_{3 * kBytes};
};

std::string fault_of(libsgemm_status_t status, double *worst) {
  const libsgemm_info_t info = last_info();
  if (status != LIBSGEMM_SUCCESS) return info.message;
  if (info.fallbacks != 0) return info.reason;
  if (std::string(info.kernel) == "scale" || std::string(info.kernel) == "nothing") return "";
  if (info.backend != subject().backend) return std::string("ran on ") + info.backend;
  if (!(info.verify_ratio >= 0 && info.verify_ratio <= 1)) return "ratio " + std::to_string(info.verify_ratio);
  *worst = std::max(*worst, info.verify_ratio);
  return "";
}

}  // namespace

TEST_CASE("no false alarm on clean calls") {
  Handle handle;
  REQUIRE(libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
  std::unique_ptr<DeviceSide> device;
  if (on_device()) device = std::make_unique<DeviceSide>();
  Draw draw(20261122);
  double worst = 0;
  const int count = trials();
  for (int i = 0; i < count; ++i) {
    // Only products have modes.
    const Routine routine = i % 2 == 0 ? Routine::kSgemm : kSingleRoutines[static_cast<size_t>(draw.below(7))];
    Call call(routine, &draw, i / 2 % 4);
    const auto verify = i % 3 == 0 ? LIBSGEMM_VERIFY_FULL : LIBSGEMM_VERIFY_SAMPLE;
    REQUIRE(libsgemm_set_verify(handle, verify, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
    const bool mode = routine == Routine::kSgemm && draw.below(3) == 0;
    REQUIRE(libsgemm_set_math_mode(handle, mode ? kOtherModes[draw.below(kOtherModeCount)] : LIBSGEMM_MATH_FP32) ==
            LIBSGEMM_SUCCESS);
    const bool there = device != nullptr && draw.below(2) == 0;
    const Args args = there ? device->upload(call) : call.args;
    const std::string fault = fault_of(sgemm_test::call(routine, handle, args), &worst);
    // Ratio -1: a device cannot verify all inputs that a mode rounds to Inf.
    if (fault.empty() || (there && mode && last_info().verify_ratio == -1)) continue;
    INFO("call " << i << ", " << entry_name(routine) << " " << args.m << " x " << args.n << " x " << args.k
                 << (there ? " on the device" : "") << ", distribution " << i / 2 % 4);
    REQUIRE(fault == "");
  }
  WARN(count << " calls, worst ratio " << worst);
  CHECK(worst > 0);
}

TEST_CASE("no false alarm where alpha takes products out of the range and back") {
  struct Range {
    float a, b, alpha;
  };
  const Range ranges[] = {{0x1p-75f, 0x1p-75f, 0x1p100f},
                          {1e25f, 1e25f, 1e-20f},
                          {1e25f, 1e-30f, 1e20f},
                          {1e-30f, 1e25f, 1e20f},
                          {0x1p-100f, 0x1p120f, 1.1f * 0x1p-49f},
                          {0x1p120f, 0x1p-100f, 1.1f * 0x1p-49f},
                          {0x1p100f, 0x1p-40f, 1.3f}};
  Handle handle;
  REQUIRE(libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
  std::unique_ptr<DeviceSide> device;
  if (on_device()) device = std::make_unique<DeviceSide>();
  Draw draw(7);
  double worst = 0;
  for (int i = 0; i < 700; ++i) {
    const Range &range = ranges[i % 7];
    const Routine routine = kSingleRoutines[static_cast<size_t>(i / 7 % 7)];
    Call call(routine, &draw, 0);
    call.args.alpha = range.alpha;
    call.args.beta = i % 2 == 0 ? 0.0f : 0.5f;
    const bool in_c = routine == Routine::kStrmm || routine == Routine::kStrsm;
    for (float &x : call.a) x *= range.a;
    for (float &x : in_c ? call.c : call.b) x *= range.b;
    const auto verify = i % 3 == 0 ? LIBSGEMM_VERIFY_FULL : LIBSGEMM_VERIFY_SAMPLE;
    REQUIRE(libsgemm_set_verify(handle, verify, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
    const bool there = device != nullptr && draw.below(2) == 0;
    const Args args = there ? device->upload(call) : call.args;
    const std::string fault = fault_of(sgemm_test::call(routine, handle, args), &worst);
    INFO("call " << i << ", " << entry_name(routine) << " " << args.m << " x " << args.n << " x " << args.k
                 << (there ? " on the device" : "") << ", A of " << range.a << ", B of " << range.b << ", alpha "
                 << range.alpha);
    CHECK(fault == "");
  }
  CHECK(worst > 0);
}

TEST_CASE("no false alarm and no flag in whatever floating-point environment") {
  Handle handle;
  REQUIRE(libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
  Draw draw(20261127);
  double worst = 0;
  const int count = 2 * trials();
  for (int i = 0; i < count; ++i) {
    const int environment = static_cast<int>(draw.below(Floats::kCount));
    const Routine routine = i % 2 == 0 ? Routine::kSgemm : kSingleRoutines[static_cast<size_t>(draw.below(7))];
    Call call(routine, &draw, i / 2 % 4);
    const bool mixed = routine != Routine::kStrsm && draw.below(4) == 0;
    int powers[3];
    std::vector<float> *const matrices[] = {&call.a, &call.b, &call.c};
    for (int which = 0; which < 3; ++which) {
      constexpr int kPowers[] = {0, 0, -64, -75, -126, -135, -145, 30, 62, 64, 110, 124};
      powers[which] = kPowers[draw.below(12)];
      for (float &x : *matrices[which]) {
        x = std::ldexp(x, mixed ? static_cast<int>(draw.below(250)) - 140 : powers[which]);
        x = std::clamp(x, -FLT_MAX, FLT_MAX);
      }
    }
    if (draw.below(8) == 0) call.args.alpha = std::ldexp(call.args.alpha, static_cast<int>(draw.below(280)) - 148);
    if (draw.below(8) == 0) call.args.beta = std::ldexp(call.args.beta, static_cast<int>(draw.below(280)) - 148);
    const bool mode = has_modes() && routine == Routine::kSgemm && draw.below(3) == 0;
    REQUIRE(libsgemm_set_math_mode(handle, mode ? kOtherModes[draw.below(kOtherModeCount)] : LIBSGEMM_MATH_FP32) ==
            LIBSGEMM_SUCCESS);
    const auto verify = i % 3 == 0 ? LIBSGEMM_VERIFY_FULL : LIBSGEMM_VERIFY_SAMPLE;
    const std::vector<float> before = call.c;
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    int flags[2];
    for (const bool verified : {false, true}) {
      REQUIRE(libsgemm_set_verify(handle, verified ? verify : LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_ERROR) ==
              LIBSGEMM_SUCCESS);
      std::copy(before.begin(), before.end(), call.c.begin());
      const Floats floats(environment);
      status = sgemm_test::call(routine, handle, call.args);
      flags[verified ? 1 : 0] = std::fetestexcept(kErrors);
    }
    INFO("call " << i << ", " << entry_name(routine) << " " << call.args.m << " x " << call.args.n << " x "
                 << call.args.k << ", environment " << environment << ", alpha " << call.args.alpha << ", beta "
                 << call.args.beta << ", powers " << powers[0] << " " << powers[1] << " " << powers[2]
                 << (mixed ? ", mixed" : "") << ", mode " << last_info().math_mode << ", verify " << verify);
    std::string fault = fault_of(status, &worst);
    // A diagonal without finite reciprocals, which a BLAS may need, goes to `ref`.
    if (routine == Routine::kStrsm && std::string(last_info().backend) == "ref") fault = "";
    CHECK(fault == "");
    CHECK(flags[1] == flags[0]);
    if (!fault.empty()) REQUIRE(status != LIBSGEMM_SUCCESS);
  }
  WARN(count << " calls, worst ratio " << worst);
  CHECK(worst > 0);
}

namespace {

// Fills memory to be reused with NaN and large floats, which overflow when multiplied as doubles.
void spoil_free_memory() {
  Handle packed;
  REQUIRE(libsgemm_set_kernel(packed, "cpu_sse2_8x4x256_packed") == LIBSGEMM_SUCCESS);
  for (const float value : {std::nanf(""), 3e38f}) {
    constexpr int64_t kOrder = 70;
    std::vector<float> x(kOrder * kOrder, value), y = x;
    Args args;
    args.m = args.n = args.k = args.lda = args.ldb = args.ldc = kOrder;
    args.a = args.b = x.data();
    args.c = y.data();
    REQUIRE(call(Routine::kSgemm, packed, args) == LIBSGEMM_SUCCESS);
    std::vector<std::vector<float>> heap;
    for (size_t size = 16; size < 100000; size += size / 3) heap.emplace_back(size, value);
  }
}

std::vector<float> ordinary(size_t count) {
  std::vector<float> x(count);
  for (size_t at = 0; at < count; ++at) x[at] = static_cast<float>(at % 7) - 2.5f;
  return x;
}

template <typename Run>
void check_without_flags(const Run &run) {
  libsgemm_status_t status;
  int flags;
  {
    const Traps traps;
    status = run();
    flags = std::fetestexcept(kErrors);
  }
  CHECK(status == LIBSGEMM_SUCCESS);
  CHECK(flags == 0);
}

constexpr libsgemm_verify_t kVerify[] = {LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL};

}  // namespace

TEST_CASE("no product of ordinary numbers traps, verified or not") {
  Handle handle;
  REQUIRE(libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
  constexpr int64_t kSizes[][3] = {{4, 3, 5},    {1, 1, 1},    {7, 5, 3},   {17, 33, 2}, {40, 40, 40}, {65, 31, 70},
                                   {16, 16, 16}, {80, 80, 80}, {1, 80, 79}, {80, 1, 79}, {3, 79, 64}};
  Draw draw(5);
  for (const libsgemm_verify_t verify : kVerify) {
    for (const Routine routine : kSingleRoutines) {
      for (int mode = -1; mode < (has_modes() && routine == Routine::kSgemm ? kOtherModeCount : 0); ++mode) {
        for (const auto &size : kSizes) {
          Call call(routine, &draw, 0);
          call.args.m = size[0], call.args.n = size[1], call.args.k = size[2];
          call.args.lda = call.args.ldb = call.args.ldc = 80;
          call.a = call.b = call.c = ordinary(80 * 80);
          for (size_t at = 0; at < 80; ++at) call.a[at * 81] = 80;
          call.args.a = call.a.data(), call.args.b = call.b.data(), call.args.c = call.c.data();
          spoil_free_memory();
          REQUIRE(libsgemm_set_math_mode(handle, mode < 0 ? LIBSGEMM_MATH_FP32 : kOtherModes[mode]) ==
                  LIBSGEMM_SUCCESS);
          REQUIRE(libsgemm_set_verify(handle, verify, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
          INFO(entry_name(routine) << " " << size[0] << " x " << size[1] << " x " << size[2] << ", mode " << mode
                                   << ", verify " << verify);
          check_without_flags([&] { return sgemm_test::call(routine, handle, call.args); });
        }
      }
    }
  }
}

TEST_CASE("no convolution of ordinary numbers traps, verified or not") {
  Handle handle;
  REQUIRE(libsgemm_set_backend(handle, subject().backend.c_str()) == LIBSGEMM_SUCCESS);
  for (const libsgemm_verify_t verify : kVerify) {
    for (int i = 0; i < 24; ++i) {
      libsgemm_conv2d_t conv;
      libsgemm_conv2d_init(&conv, sizeof conv);
      conv.direction = static_cast<libsgemm_conv2d_direction_t>(i % 3);
      conv.layout = static_cast<libsgemm_tensor_layout_t>(i / 3 % 2);
      conv.n = 2, conv.c = 3, conv.h = 11, conv.w = 9 + i, conv.k = 4, conv.r = conv.s = 3;
      conv.pad_top = conv.pad_left = conv.pad_bottom = conv.pad_right = 1;
      conv.stride_h = 1 + i / 6 % 2, conv.stride_w = 1 + i % 2;
      const std::vector<float> x = ordinary(20000);
      std::vector<float> out(20000);
      spoil_free_memory();
      REQUIRE(libsgemm_set_verify(handle, verify, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
      INFO("convolution " << i << ", verify " << verify);
      check_without_flags([&] { return libsgemm_sconv2d_h(handle, &conv, 1, x.data(), x.data(), 0, out.data()); });
    }
  }
}

TEST_CASE("padding of ref raises no flag that the operands do not") {
  if (subject().backend != "ref") return;
  constexpr int64_t kRows = 7, kColumns = 5, kDepth = 9;
  for (const std::string &kernel : subject().kernels) {
    for (const Routine routine : {Routine::kSgemm, Routine::kStrsm}) {
      Handle handle;
      REQUIRE(libsgemm_set_kernel(handle, kernel.c_str()) == LIBSGEMM_SUCCESS);
      std::vector<float> a(kDepth * kDepth, 0.125f), b(kDepth * kColumns, 1), c(kRows * kColumns, 1);
      for (int64_t i = 0; i < kRows; ++i) a[static_cast<size_t>(i * (kRows + 1))] = 1;
      // There is no 0 / 0 and no Inf * 0.
      a[0] = routine == Routine::kStrsm ? 0 : HUGE_VALF;
      Args args;
      args.m = kRows, args.n = kColumns, args.k = kDepth;
      args.a = a.data(), args.b = b.data(), args.c = c.data();
      args.lda = args.ldc = kRows, args.ldb = kDepth;
      std::feclearexcept(FE_ALL_EXCEPT);
      const libsgemm_status_t status = call(routine, handle, args);
      const int flags = std::fetestexcept(kErrors);
      INFO(kernel << ", " << entry_name(routine));
      CHECK((status == LIBSGEMM_SUCCESS || status == LIBSGEMM_NOT_SUPPORTED));
      CHECK((flags & (routine == Routine::kStrsm ? FE_INVALID : kErrors)) == 0);
    }
  }
}
