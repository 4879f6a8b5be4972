// Verification of results in device memory on the mock GPU. LIBSGEMM_TEST_STRICT=1 sets LIBSGEMM_STRICT.
#include <cmath>

#include "plugins/products.h"
#include "support/subject.h"

using namespace mock_test;

// Runs before the library reads its environment.
std::string sgemm_test::skip_reason() {
  if (std::getenv("LIBSGEMM_TEST_VERIFY") != nullptr) {
    setenv("LIBSGEMM_VERIFY", "sample", 1);
    setenv("LIBSGEMM_VERIFY_ACTION", "error", 1);
  }
  return "";
}

namespace {

int64_t bytes_now() { return gpu().bytes; }

struct Verified : Handle {
  Verified(libsgemm_verify_t mode, libsgemm_verify_action_t action) {
    REQUIRE(libsgemm_set_verify(*this, mode, action) == LIBSGEMM_SUCCESS);
  }
};

constexpr libsgemm_verify_t kModes[] = {LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_FULL};
constexpr libsgemm_verify_action_t kActions[] = {LIBSGEMM_VERIFY_WARN, LIBSGEMM_VERIFY_RETRY, LIBSGEMM_VERIFY_ERROR};

}  // namespace

TEST_CASE("a clean call on device memory is verified and waited for") {
  for (const libsgemm_verify_t mode : kModes) {
    for (const libsgemm_verify_action_t action : kActions) {
      for (const float beta : {0.0f, 3.0f}) {
        reset();
        Verified h(mode, action);
        void *stream = gpu().stream(1);
        REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
        DeviceProduct p(1);
        p.host.beta = beta;
        REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
        CHECK(backend() == "cuda");
        CHECK(last_info().verify_ratio >= 0);
        CHECK(last_info().verify_ratio <= 1);
        CHECK(gpu().pending(stream, 1) == 0);
        const bool full = mode == LIBSGEMM_VERIFY_FULL, keeps = action != LIBSGEMM_VERIFY_WARN || (full && beta != 0);
        const int checksums = full ? 0 : beta == 0 ? 1 : 2;
        CHECK(gpu().calls[mock::kChecksum] == checksums);
        CHECK(gpu().calls[mock::kElements] == (full ? 1 : 0));
        CHECK(gpu().calls[mock::kCopy] == (keeps ? 2 : 1));  // a copy of C, and the device's result
        CHECK(p.right());
      }
    }
  }
}

TEST_CASE("a wrong result in device memory has the consequence that was asked for") {
  for (const libsgemm_verify_t mode : kModes) {
    for (const float beta : {0.0f, 3.0f}) {
      reset();
      Handle h;  // outlives the checks: destroying a handle resets last_info
      const auto falsified = [&](libsgemm_verify_action_t action, DeviceProduct *p) {
        REQUIRE(libsgemm_set_verify(h, mode, action) == LIBSGEMM_SUCCESS);
        p->host.beta = beta;
        gpu().flip_bit = 30;
        return p->run(h);
      };
      DeviceProduct warned(1);
      CHECK(falsified(LIBSGEMM_VERIFY_WARN, &warned) == LIBSGEMM_SUCCESS);
      CHECK(last_info().verify_ratio > 1);
      CHECK_FALSE(warned.right());

      DeviceProduct refused(0);
      CHECK(falsified(LIBSGEMM_VERIFY_ERROR, &refused) == LIBSGEMM_VERIFICATION_FAILED);
      CHECK(contains(last_info().message, "the result is wrong"));
      CHECK(refused.untouched());

      DeviceProduct retried(1);
      const libsgemm_status_t status = falsified(LIBSGEMM_VERIFY_RETRY, &retried);
      if (strict()) {
        CHECK(status == LIBSGEMM_VERIFICATION_FAILED);
        CHECK(retried.untouched());
      } else {
        CHECK(status == LIBSGEMM_SUCCESS);
        CHECK(backend() == "openblas");
        CHECK(contains(reason(), "cuda gave a wrong result"));
        CHECK(last_info().verify_ratio <= 1);
        CHECK(retried.right());
      }
    }
  }
}

TEST_CASE("alpha may take products in device memory out of the range and back") {
  struct Range {
    float a, b, alpha;
  };
  for (const libsgemm_verify_t mode : kModes) {
    for (const Range &range : {Range{0x1p-76f, 0x1p-76f, 0x1p100f}, Range{1e25f, 1e25f, 1e-20f},
                               Range{1e25f, 1e-30f, 1e20f}, Range{0x1p-60f, 0x1p-60f, 0x1p100f}}) {
      for (const int flipped : {0, 30}) {
        reset();
        Verified h(mode, LIBSGEMM_VERIFY_ERROR);
        DeviceProduct p(0);
        p.host.alpha = range.alpha;
        p.host.beta = 0;
        std::vector<float> a = p.host.a, b = p.host.b;
        for (float &x : a) x = (x == 0 ? 1 : std::fabs(x)) * range.a;
        for (float &x : b) x = (x == 0 ? 1 : std::fabs(x)) * range.b;
        gpu().write(p.a, a.data(), a.size() * sizeof(float));
        gpu().write(p.b, b.data(), b.size() * sizeof(float));
        gpu().flip_bit = flipped;
        const libsgemm_status_t status = p.run(h);
        INFO("mode " << mode << ", A of " << range.a << ", B of " << range.b << ", alpha " << range.alpha << ": ratio "
                     << last_info().verify_ratio);
        CHECK(status == (flipped == 0 ? LIBSGEMM_SUCCESS : LIBSGEMM_VERIFICATION_FAILED));
      }
    }
  }
}

TEST_CASE("NaN elsewhere hides no wrong result in device memory") {
  for (const float beta : {0.0f, 3.0f}) {
    for (int place = 0; place < 3; ++place) {
      reset();
      Verified h(LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_ERROR);
      for (int i = 0; i < 50; ++i) {
        DeviceProduct p(0);
        p.host.beta = beta;
        const float nan = std::nanf("");
        gpu().write((place == 0 ? p.a : place == 1 ? p.b : p.c) + kSize * kSize - 1 - i, &nan, sizeof nan);
        gpu().flip_bit = i == 0 ? 0 : 1;
        const libsgemm_status_t status = p.run(h);
        INFO("beta " << beta << " place " << place << " trial " << i << ": ratio " << last_info().verify_ratio);
        CHECK(status == (i == 0 ? LIBSGEMM_SUCCESS : LIBSGEMM_VERIFICATION_FAILED));
        CHECK(last_info().verify_ratio >= 0);
      }
    }
  }
}

TEST_CASE("where the device has no memory to verify all elements the host does") {
  for (const float beta : {0.0f, 3.0f}) {
    for (const int flipped : {0, 30}) {
      reset();
      Verified h(LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_ERROR);
      DeviceProduct p(1);
      p.host.beta = beta;
      gpu().fail_at[mock::kAllocate] = 1;
      gpu().flip_bit = flipped;
      const libsgemm_status_t status = p.run(h);
      CHECK(gpu().calls[mock::kElements] == 0);
      CHECK(status == (flipped == 0 ? LIBSGEMM_SUCCESS : LIBSGEMM_VERIFICATION_FAILED));
      CHECK((flipped == 0 ? p.right() : p.untouched()));
    }
  }
}

TEST_CASE("batches in device memory are verified, all of them") {
  for (const libsgemm_verify_t mode : kModes) {
    for (const int flipped : {0, 30}) {
      reset();
      Verified h(mode, LIBSGEMM_VERIFY_ERROR);
      DeviceProduct p(0, 9), q(0, 9);  // too many columns for a sample to check all
      const void *pointers[] = {p.a, q.a, p.b, q.b, p.c, q.c};
      const void *const *at = pointers;
      const int64_t n = 9, count = 2;
      const libsgemm_op_t op = LIBSGEMM_NO_TRANS;
      gpu().flip_bit = flipped;
      const libsgemm_status_t status = libsgemm_sgemm_batch_h(
          h, LIBSGEMM_COL_MAJOR, &op, &op, &n, &n, &n, &p.host.alpha, reinterpret_cast<const float *const *>(at), &n,
          reinterpret_cast<const float *const *>(at + 2), &n, &p.host.beta,
          const_cast<float *const *>(reinterpret_cast<const float *const *>(at + 4)), &n, 1, &count);
      CHECK(gpu().calls[mock::kChecksum] == 0);
      CHECK(gpu().calls[mock::kElements] == 0);
      if (flipped == 0) {
        CHECK(status == LIBSGEMM_SUCCESS);
        CHECK(p.right());
        CHECK(q.right());
      } else {
        CHECK(status == LIBSGEMM_VERIFICATION_FAILED);
        CHECK(p.untouched());
        CHECK(q.untouched());
      }
    }
  }
}

namespace {

constexpr int64_t kOrder = 9, kStride = kOrder * kOrder + 5, kCount = 3;

sgemm_test::Args strided_args(int64_t stride_a) {
  sgemm_test::Args args;
  args.m = args.n = args.k = args.lda = args.ldc = kOrder;
  args.diag = LIBSGEMM_UNIT;
  args.alpha = 2;
  args.beta = 1;
  args.stride_a = stride_a;
  args.stride_c = kStride;
  args.batch_count = kCount;
  return args;
}

void check_answer(libsgemm_verify_action_t action, int flipped, libsgemm_status_t status,
                  const std::vector<float> &result, const std::vector<float> &wanted,
                  const std::vector<float> &before) {
  if (flipped == 0) {
    CHECK(status == LIBSGEMM_SUCCESS);
    CHECK(last_info().verify_ratio >= 0);
    CHECK(last_info().verify_ratio <= 1);
    CHECK(result == wanted);
  } else if (action == LIBSGEMM_VERIFY_WARN) {
    CHECK(status == LIBSGEMM_SUCCESS);
    CHECK(last_info().verify_ratio > 1);
  } else if (action == LIBSGEMM_VERIFY_RETRY && !strict()) {
    CHECK(status == LIBSGEMM_SUCCESS);
    CHECK(backend() == "openblas");
    bool near = true;
    for (size_t i = 0; i < result.size(); ++i) near = near && std::fabs(result[i] - wanted[i]) < 1e-3f;
    CHECK(near);
  } else {
    CHECK(status == LIBSGEMM_VERIFICATION_FAILED);
    CHECK(result == before);
  }
}

void check_strided(sgemm_test::Routine routine, int64_t stride_a, libsgemm_verify_t mode,
                   libsgemm_verify_action_t action, int flipped) {
  reset();
  std::vector<float> a(kCount * kStride), c(a.size()), result(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const auto j = static_cast<int64_t>(i);
    a[i] = value(j, 1) / 8, c[i] = value(j, 2 * j);
  }
  sgemm_test::Args args = strided_args(stride_a);
  std::vector<float> wanted = c;
  args.a = a.data();
  args.c = wanted.data();
  Handle on_cpu;
  REQUIRE(libsgemm_set_kernel(on_cpu, "cpu_scalar_1x1x1_naive") == LIBSGEMM_SUCCESS);
  REQUIRE(call(routine, on_cpu, args) == LIBSGEMM_SUCCESS);

  const size_t bytes = a.size() * sizeof(float);
  void *const device_a = gpu().allocate(1, bytes), *const device_c = gpu().allocate(1, bytes);
  gpu().write(device_a, a.data(), bytes);
  gpu().write(device_c, c.data(), bytes);
  args.a = device_a;
  args.c = static_cast<float *>(device_c);
  Handle h;
  REQUIRE(libsgemm_set_verify(h, mode, action) == LIBSGEMM_SUCCESS);
  gpu().flip_bit = flipped;
  const libsgemm_status_t status = call(routine, h, args);
  gpu().read(device_c, result.data(), bytes);
  INFO(sgemm_test::entry_name(routine) << " stride_a " << stride_a << " mode " << mode << " action " << action
                                       << " flipped " << flipped << ": " << last_info().message);
  check_answer(action, flipped, status, result, wanted, c);
  gpu().release(1, device_a);
  gpu().release(1, device_c);
}

}  // namespace

TEST_CASE("strided batches of the other routines in device memory: an error is found, and what was asked for follows") {
  using sgemm_test::Routine;
  gpu().has_syrk = true;
  for (const Routine routine :
       {Routine::kSsyrkStrided, Routine::kShsyrkStrided, Routine::kStrmmStrided, Routine::kStrsmStrided}) {
    for (const int64_t stride_a : {int64_t{0}, kStride}) {
      for (const libsgemm_verify_t mode : kModes) {
        for (const libsgemm_verify_action_t action : kActions) {
          for (const int flipped : {0, 1}) check_strided(routine, stride_a, mode, action, flipped);
        }
      }
    }
  }
  gpu().has_syrk = false;
}

TEST_CASE("a graph is recorded without verification") {
  reset();
  Verified h(LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_ERROR);
  void *stream = gpu().stream(0);
  REQUIRE(libsgemm_set_stream(h, stream) == LIBSGEMM_SUCCESS);
  DeviceProduct p(0);
  gpu().set_capturing(stream, true);
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(last_info().verify_ratio < 0);
  CHECK(gpu().calls[mock::kSynchronize] == 0);
  gpu().set_capturing(stream, false);
  REQUIRE(libsgemm_synchronize(h) == LIBSGEMM_SUCCESS);
  CHECK(p.right());
}

TEST_CASE("a verification that fails leaves the result, if it is there, or C as it was") {
  for (const libsgemm_verify_t mode : kModes) {
    for (const libsgemm_verify_action_t action : kActions) {
      for (const mock::Site site :
           {mock::kAllocate, mock::kCopy, mock::kLaunch, mock::kSynchronize, mock::kChecksum, mock::kElements}) {
        reset();
        DeviceProduct clean(1);
        REQUIRE(clean.run(Verified(mode, action)) == LIBSGEMM_SUCCESS);
        const int calls = gpu().calls[site];
        for (int nth = 1; nth <= calls; ++nth) {
          reset();
          DeviceProduct p(1);
          const int64_t before = bytes_now();
          libsgemm_status_t status;
          {
            Verified h(mode, action);
            gpu().fail_at[site] = nth;
            status = p.run(h);
          }
          INFO("mode " << mode << " action " << action << " site " << site << " call " << nth << ": "
                       << last_info().message);
          CHECK(bytes_now() == before);
          if (status == LIBSGEMM_SUCCESS) {
            CHECK(p.right());
          } else if (site != mock::kSynchronize) {  // a lost device loses C
            CHECK(p.untouched());
          }
        }
      }
    }
  }
}

TEST_CASE("a thousand refused results leave no memory behind") {
  reset();
  Verified h(LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_ERROR);
  DeviceProduct p(0, 12);
  int64_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    gpu().flip_bit = 3;
    REQUIRE(p.run(h) == LIBSGEMM_VERIFICATION_FAILED);
    if (i == 0) before = bytes_now();
  }
  CHECK(bytes_now() == before);
  CHECK(p.untouched());
}

// With LIBSGEMM_TEST_VERIFY=1.
TEST_CASE("calls without a handle are verified as the environment says", "[.][environment]") {
  const mock::Site sites[] = {mock::kAllocate, mock::kCopy, mock::kLaunch, mock::kChecksum};
  reset();
  DeviceProduct first(0);
  REQUIRE(first.run() == LIBSGEMM_SUCCESS);
  CHECK(last_info().verify_ratio >= 0);
  CHECK(first.right());
  const int64_t kept = bytes_now();  // scratch memory, no copies of C
  for (int i = 0; i < 100; ++i) {
    reset();
    gpu().flip_bit = 30;
    CHECK(first.run() == LIBSGEMM_VERIFICATION_FAILED);
    CHECK(last_info().verify_ratio > 1);
  }
  CHECK(bytes_now() == kept);
  for (const mock::Site site : sites) {
    for (int nth = 1; nth <= 3; ++nth) {
      reset();
      DeviceProduct p(0);
      gpu().fail_at[site] = nth;
      const libsgemm_status_t status = p.run();
      INFO("site " << site << " call " << nth << ": " << last_info().message);
      CHECK((status == LIBSGEMM_SUCCESS ? p.right() : p.untouched()));
    }
  }
  CHECK(bytes_now() == kept);
}
