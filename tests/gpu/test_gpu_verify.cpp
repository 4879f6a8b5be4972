// Verification on a device, by the API and by the backend. Hidden tests measure its cost on an idle GPU.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "contract/backend.h"
#include "gpu_driver.h"
#include "support/catch.h"
#include "support/numbers.h"
#include "support/subject.h"

using namespace sgemm_test;
using gpu::driver;
using gpu::Memory;
using libsgemm::Checksum;
using libsgemm::GemmDesc;

std::string sgemm_test::skip_reason() { return gpu::missing(); }

namespace {

const libsgemm::Backend &table() {
  static const libsgemm::Backend *found = [] {
    for (int index = 0; index < libsgemm_backend_count(); ++index) {
      libsgemm_backend_info_t info;
      if (libsgemm_backend_describe(index, &info) != LIBSGEMM_SUCCESS || info.name != gpu::backend()) continue;
      void *plugin = dlopen(info.path, RTLD_NOW | RTLD_LOCAL);
      REQUIRE(plugin != nullptr);
      return reinterpret_cast<libsgemm::BackendEntry>(dlsym(plugin, libsgemm::kBackendEntry))();
    }
    throw std::runtime_error("the backend is not there");
  }();
  return *found;
}

std::vector<float> random_matrix(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> matrix(static_cast<size_t>(count));
  for (float &x : matrix) x = values(random);
  return matrix;
}

class DeviceProduct {
 public:
  DeviceProduct(int64_t rows, int64_t columns, int64_t depth)
      : m(rows), n(columns), k(depth), a(random_matrix(m * k, 1)), b(random_matrix(k * n, 2)) {
    upload(a_.address(), a);
    upload(b_.address(), b);
    REQUIRE(compute(nullptr) == LIBSGEMM_SUCCESS);
    REQUIRE(last_info().backend == gpu::backend());
    c.resize(static_cast<size_t>(m * n));
    gpu::require(driver().to_host(c.data(), c_.address(), c.size() * sizeof(float)), "to_host");
    desc_.routine = libsgemm::Routine::gemm;
    desc_.transa = desc_.transb = LIBSGEMM_NO_TRANS;
    desc_.m = m, desc_.n = n, desc_.k = k;
    desc_.alpha = 1;
    desc_.lda = m, desc_.ldb = k, desc_.ldc = m;
    desc_.batch_count = 1;
    desc_.a = a_.as<void>(), desc_.b = b_.as<void>(), desc_.c = c_.as<float>();
  }

  libsgemm_status_t compute(libsgemm_handle_t handle) {
    Args args;
    args.m = m, args.n = n, args.k = k;
    args.a = a_.as<void>(), args.b = b_.as<void>(), args.c = c_.as<float>();
    args.lda = m, args.ldb = k, args.ldc = m;
    args.alpha = alpha_, args.beta = beta_;
    return handle == nullptr ? call(Routine::kSgemm, args) : call(Routine::kSgemm, handle, args);
  }

  void scale(float alpha, float beta) { alpha_ = alpha, beta_ = beta; }

  void set(int64_t i, int64_t j, float value) {
    const gpu::Pointer at = c_.address() + static_cast<size_t>(i + j * m) * sizeof(float);
    gpu::require(driver().to_device(at, &value, sizeof value), "to_device");
  }

  double checksum(uint64_t seed, Checksum *what) {
    *what = libsgemm::draw_checksum(m, n, k, seed);
    what->factor = factor();
    const size_t bytes = table().checksum_bytes(desc_, *what, 0);
    REQUIRE(bytes > 0);
    if (workspace_ == nullptr || workspace_->bytes() < bytes) workspace_ = std::make_unique<Memory>(bytes);
    libsgemm::Launch launch = {};
    launch.workspace = workspace_->as<void>();
    launch.workspace_bytes = bytes;
    libsgemm::Error error = {};
    REQUIRE(table().checksum(desc_, *what, true, launch, &error) == LIBSGEMM_SUCCESS);
    REQUIRE(table().synchronize(0, nullptr, &error) == LIBSGEMM_SUCCESS);
    double results[libsgemm::kChecksumResults];
    gpu::require(driver().to_host(results, workspace_->address(), sizeof results), "to_host");
    return *std::max_element(results, results + libsgemm::kChecksumResults);
  }

  // Worst |error| / bound of all elements of C; negative if the backend cannot judge them.
  double elements() {
    if (table().elements_bytes == nullptr) return -1;
    const size_t bytes = table().elements_bytes(desc_, 0), count = bytes / sizeof(double);
    REQUIRE(bytes > 0);
    REQUIRE(bytes <= libsgemm::kMostElementBytes);
    if (workspace_ == nullptr || workspace_->bytes() < bytes) workspace_ = std::make_unique<Memory>(bytes);
    libsgemm::Launch launch = {};
    launch.workspace = workspace_->as<void>();
    launch.workspace_bytes = bytes;
    const libsgemm::ElementBound bound = {LIBSGEMM_MATH_FP32, factor(), 1, 0, static_cast<double>(k), {0, 0}};
    libsgemm::Error error = {};
    REQUIRE(table().elements(desc_, bound, nullptr, launch, &error) == LIBSGEMM_SUCCESS);
    REQUIRE(table().synchronize(0, nullptr, &error) == LIBSGEMM_SUCCESS);
    std::vector<double> results(count);
    gpu::require(driver().to_host(results.data(), workspace_->address(), bytes), "to_host");
    return *std::max_element(results.begin(), results.end());
  }

  double factor() const { return 4 * std::sqrt(static_cast<double>(k) + 2) * 0x1p-24; }

  const int64_t m, n, k;
  const std::vector<float> a, b;
  std::vector<float> c;

 private:
  static void upload(gpu::Pointer to, const std::vector<float> &from) {
    gpu::require(driver().to_device(to, from.data(), from.size() * sizeof(float)), "to_device");
  }

  Memory a_{static_cast<size_t>(m * k) * sizeof(float)}, b_{static_cast<size_t>(k * n) * sizeof(float)};
  Memory c_{static_cast<size_t>(m * n) * sizeof(float)};
  float alpha_ = 1, beta_ = 0;
  GemmDesc desc_ = {};
  std::unique_ptr<Memory> workspace_;
};

// For each row of C, the smallest error that the checksum must find.
std::vector<double> certain_limits(const DeviceProduct &p) {
  std::vector<double> norms(static_cast<size_t>(p.k)), limits;
  for (int64_t l = 0; l < p.k; ++l) {
    double squares = 0;
    for (int64_t j = 0; j < p.n; ++j)
      squares += std::pow(static_cast<double>(p.b[static_cast<size_t>(l + j * p.k)]), 2);
    norms[static_cast<size_t>(l)] = std::sqrt(squares);
  }
  for (int64_t i = 0; i < p.m; ++i) {
    double size = 0;
    for (int64_t l = 0; l < p.k; ++l) {
      size += std::fabs(static_cast<double>(p.a[static_cast<size_t>(i + l * p.m)])) * norms[static_cast<size_t>(l)];
    }
    limits.push_back(2 * 4 * p.factor() * size);
  }
  return limits;
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

// Mean seconds of a call. `wait`: each call is waited for.
double seconds_of(DeviceProduct *p, libsgemm_handle_t handle, int calls, bool wait) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) {
    REQUIRE(p->compute(handle) == LIBSGEMM_SUCCESS);
    if (wait) REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
  }
  REQUIRE(libsgemm_synchronize(handle) == LIBSGEMM_SUCCESS);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

}  // namespace

TEST_CASE("flipped bits in device memory are found, and rounding errors are not") {
  DeviceProduct p(200, 180, 150);
  const std::vector<double> limits = certain_limits(p);
  Random random(7);
  Checksum what;
  int certain = 0, found = 0, small = 0, alarms = 0;
  for (int flip = 0; flip < 10000; ++flip) {
    const int64_t i = random.integer(0, 199), j = random.integer(0, 179);
    const float right = p.c[static_cast<size_t>(i + j * p.m)];
    const float wrong = float_of_bits(bits_of(right) ^ 1u << random.integer(0, 30));
    p.set(i, j, wrong);
    const bool alarm = p.checksum(static_cast<uint64_t>(flip), &what) > 1;
    REQUIRE(what.rows.chosen == what.rows.all);
    REQUIRE(what.columns.chosen == what.columns.all);
    p.set(i, j, right);
    const double error = std::fabs(static_cast<double>(wrong) - static_cast<double>(right));
    const double limit = limits[static_cast<size_t>(i)];
    if (!(error < limit)) ++certain, found += alarm ? 1 : 0;
    if (error < limit / 4) ++small, alarms += alarm ? 1 : 0;
  }
  WARN("found " << found << " of " << certain << ", " << alarms << " alarms for " << small << " small ones");
  CHECK(certain > 4000);
  CHECK(found == certain);
  CHECK(small > 1000);
  CHECK(alarms == 0);
}

TEST_CASE("a judgement of all elements in device memory finds every error above its bound") {
  DeviceProduct p(200, 180, 150);
  const double clean = p.elements();
  if (clean < 0) {
    WARN("skipped: with this backend the host judges all elements");
    return;
  }
  CHECK(clean > 0);
  CHECK(clean <= 1);
  Random random(9);
  int wrong_ones = 0;
  for (int flip = 0; flip < 3000; ++flip) {
    const int64_t i = random.integer(0, 199), j = random.integer(0, 179);
    double wanted = 0, magnitude = 0;
    for (int64_t l = 0; l < p.k; ++l) {
      const double term = static_cast<double>(p.a[static_cast<size_t>(i + l * p.m)]) *
                          static_cast<double>(p.b[static_cast<size_t>(l + j * p.k)]);
      wanted += term;
      magnitude += std::fabs(term);
    }
    const float right = p.c[static_cast<size_t>(i + j * p.m)];
    const float wrong = float_of_bits(bits_of(right) ^ 1u << random.integer(0, 30));
    p.set(i, j, wrong);
    const double found = p.elements(), error = std::fabs(static_cast<double>(wrong) - wanted);
    p.set(i, j, right);
    const double ratio = std::isfinite(wrong) ? error / (p.factor() * magnitude) : INFINITY;
    wrong_ones += ratio > 1 ? 1 : 0;
    INFO("element " << i << ", " << j << ": " << right << ", then " << wrong << ", is to be " << wanted);
    REQUIRE((ratio > clean ? found == Approx(ratio).epsilon(1e-9) || found == ratio : found <= clean));
  }
  CHECK(wrong_ones > 1000);
}

TEST_CASE("products in device memory pass a full verification") {
  Handle full;
  REQUIRE(libsgemm_set_verify(full, LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
  for (const int64_t size : {1, 63, 200, 1030}) {
    DeviceProduct p(size, size + 3, size + 5);
    for (const float beta : {0.0f, 0.5f, 0.0f}) {
      for (const float alpha : {1.0f, -0.75f}) {
        p.scale(alpha, beta);
        REQUIRE(p.compute(full) == LIBSGEMM_SUCCESS);
        CHECK(last_info().verify_ratio >= 0);
        CHECK(last_info().verify_ratio <= 1);
      }
    }
  }
}

TEST_CASE("at 4096 a part of C is covered, and no part more than another") {
  constexpr int64_t kSize = 4096;
  constexpr int kTrials = 400;
  DeviceProduct p(kSize, kSize, kSize);
  Random random(8);
  Checksum what;
  int found = 0;
  double expected = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const int64_t i = random.integer(0, kSize - 1), j = random.integer(0, kSize - 1);
    p.set(i, j, 1e20f);
    found += p.checksum(static_cast<uint64_t>(trial), &what) > 1 ? 1 : 0;
    p.set(i, j, p.c[static_cast<size_t>(i + j * kSize)]);
    expected = static_cast<double>(what.rows.chosen * what.columns.chosen) /
               static_cast<double>(what.rows.all * what.columns.all);
  }
  WARN("found " << found << " of " << kTrials << ", expected a part of " << expected);
  CHECK(expected == Approx(0.08).epsilon(0.1));
  CHECK(std::fabs(static_cast<double>(found) / kTrials - expected) <
        5 * std::sqrt(expected * (1 - expected) / kTrials));
  CHECK(p.checksum(1, &what) <= 1);
}

TEST_CASE("a sample costs at most 3 % at 4096 and above", "[.][cost]") {
  for (const int64_t size : {4096, 8192}) {
    DeviceProduct p(size, size, size);
    Handle off, sample, retry;
    REQUIRE(libsgemm_set_verify(off, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_verify(sample, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_verify(retry, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_RETRY) == LIBSGEMM_SUCCESS);
    // Verified calls are synchronous, so they are compared with calls that are waited for.
    std::vector<double> times[4];
    for (int round = 0; round < 21; ++round) {
      const libsgemm_handle_t handles[] = {off, off, sample, retry};
      for (int h = 0; h < 4; ++h) times[h].push_back(seconds_of(&p, handles[h], size == 4096 ? 20 : 5, h > 0));
    }
    const double queued = median(times[0]), base = median(times[1]), sampled = median(times[2]);
    const double saved = median(times[3]);
    WARN(size << ": " << queued * 1e3 << " ms in a row, " << base * 1e3 << " ms waited for; sample " << sampled * 1e3
              << " ms, " << (sampled / base - 1) * 100 << " % (" << (sampled / queued - 1) * 100
              << " % of those in a row); with action retry " << saved * 1e3 << " ms, " << (saved / base - 1) * 100
              << " %");
    CHECK(sampled <= 1.03 * base);
  }
}

// A full verification takes two FP64 FMAs, at half of FP32's rate on an H100, for each FP32 FMA of the product.
TEST_CASE("a full verification costs at most twelve times the product at 4096 and above", "[.][cost]") {
  for (const int64_t size : {4096, 8192}) {
    DeviceProduct p(size, size, size);
    Handle off, full;
    REQUIRE(libsgemm_set_verify(off, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_verify(full, LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_WARN) == LIBSGEMM_SUCCESS);
    std::vector<double> base, times;
    for (int round = 0; round < 5; ++round) {
      base.push_back(seconds_of(&p, off, 3, true));
      times.push_back(seconds_of(&p, full, 3, true));
    }
    WARN(size << ": " << median(base) * 1e3 << " ms, verified in full " << median(times) * 1e3 << " ms");
    CHECK(median(times) <= 12 * median(base));
  }
}
