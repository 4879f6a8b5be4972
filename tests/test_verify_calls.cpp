// Clean calls raise no alarm: random shapes, operations and layouts, operands of every distribution of the accuracy
// bench, samples and full verification, in every math mode, in host memory and in that of a device. On a GPU also what
// the checksum there finds. LIBSGEMM_TEST_TRIALS: calls; the promise is for 100000.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>

#include "catch.h"
#include "gpu_driver.h"
#include "subject.h"

using namespace sgemm_test;

namespace {

int trials() {
  const char *text = std::getenv("LIBSGEMM_TEST_TRIALS");
  return text != nullptr ? std::atoi(text) : 1500;
}

bool on_device() { return subject().is_gpu && gpu::missing().empty(); }

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}

  int64_t below(int64_t count) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(count)); }
  // Mostly small, up to 80.
  int64_t size() { return 1 + below(1 + below(80)); }
  float scalar() {
    constexpr float kValues[] = {0, 1, -1, 0.7f, -3};
    return kValues[below(5)];
  }
  libsgemm_op_t op() { return below(2) == 0 ? LIBSGEMM_NO_TRANS : LIBSGEMM_TRANS; }

  // Normal, positive, log-normal, and a normal one whose second half takes back the first.
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

// A call with its matrices, as stored.
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
    // Large enough for any operation and layout.
    const int64_t most = std::max({args.m, args.n, args.k});
    args.lda = most + draw->below(3), args.ldb = most + draw->below(3), args.ldc = most + draw->below(3);
    for (std::vector<float> *x : {&a, &b, &c}) {
      x->resize(static_cast<size_t>((most + 2) * most));
      draw->fill(x, distribution);
    }
    if (routine == Routine::kStrsm) {
      // Small off the diagonal, or solutions grow beyond all bounds.
      for (float &x : a) x = std::fmod(x, 1.0f) / static_cast<float>(most);
      for (int64_t i = 0; i < most; ++i) a[static_cast<size_t>(i * (args.lda + 1))] = 1.5f;
    }
    args.a = a.data(), args.b = b.data(), args.c = c.data();
  }
};

// The same with its matrices in memory of the device, which is taken once.
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
    // Half of the calls are products, of which there are modes.
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
    if (fault.empty()) continue;
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
