// Host memory through a failing GPU (plugins/mock.cpp). LIBSGEMM_TEST_STRICT=1: with LIBSGEMM_STRICT;
// LIBSGEMM_TEST_VERBOSE=1: all messages.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include "plugins/host_product.h"
#include "process/failing_memory.h"
#include "support/part.h"

using namespace mock_test;

namespace {

enum class Manner { plain, verified, forced };  // forced: nothing may replace the kernel

// The n-th operation at a site fails, for several tiles and blocks of k. Returns false if there were fewer operations.
bool fail_once(mock::Site site, int nth, bool pinned, float beta, Manner manner) {
  begin();
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  const int64_t bytes = gpu().bytes, locked = gpu().pinned_bytes, objects = gpu().objects;
  {
    HostProduct p({70, 60, 90, false, true, beta, pinned});
    const int64_t own = gpu().pinned_bytes;
    gpu().fail_at[site] = nth;
    Handle h;
    if (manner == Manner::verified) {
      REQUIRE(libsgemm_set_verify(h, LIBSGEMM_VERIFY_SAMPLE, LIBSGEMM_VERIFY_ERROR) == LIBSGEMM_SUCCESS);
    } else if (manner == Manner::forced) {
      force_kernel(h);
    }
    const libsgemm_status_t status = p.run(h);
    INFO("site " << site << ", call " << nth << ": " << last_info().message << " " << reason());
    const bool met = gpu().fail_at[site] == 0;
    gpu().fail_at[site] = 0;
    const bool replaced = status == LIBSGEMM_SUCCESS && last_info().fallbacks == 1;
    if (status == LIBSGEMM_SUCCESS) {
      CHECK(p.right());
      CHECK((backend() != "cuda") == replaced);
      CHECK((met || !replaced));
    } else {
      CHECK((strict() || manner == Manner::forced));
      CHECK(met);
      CHECK(p.untouched());
    }
    if (site == mock::kWork) gpu().repair();
    REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
    CHECK(gpu().bytes == bytes);
    CHECK(gpu().objects == objects);
    CHECK(gpu().pinned_bytes == own);
    if (!met) return false;
  }
  CHECK(gpu().pinned_bytes == locked);
  return true;
}

}  // namespace

TEST_CASE("whatever call of the runtime fails, the result is right or C as it was, and nothing is lost") {
  begin();
  limit(size_t{24} << 10, 0);
  const bool pinned = GENERATE(false, true);
  const Manner manner = GENERATE(Manner::plain, Manner::verified, Manner::forced);
  const float beta = GENERATE(0.0f, 3.0f);
  for (const mock::Site site : {mock::kAny, mock::kWork, mock::kPinned, mock::kMemory, mock::kAllocate}) {
    const int part = sgemm_test::one_in();
    int nth = 1;
    while (fail_once(site, nth, pinned, beta, manner)) nth += nth < 50 ? part : part * nth / 10;
    CHECK(nth > (site == mock::kMemory || (pinned && site == mock::kPinned) ? 0 : 1));
  }
  limit(0, 0);
}

TEST_CASE("whatever allocation fails, alone or behind a call of the runtime, the result is right or C as it was") {
  const float beta = GENERATE(0.0f, 3.0f);
  begin();
  limit(size_t{24} << 10, 0);
  const auto run = [&](int call, int allocation) {
    begin();
    REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
    HostProduct p({70, 60, 90, false, true, beta});
    Handle h;
    gpu().fail_at[mock::kAny] = call;
    sgemm_test::fail_allocation(allocation);
    const libsgemm_status_t status = p.run(h);
    const bool met = sgemm_test::allocation_failed();
    const bool failed = call > 0 && gpu().fail_at[mock::kAny] == 0;
    gpu().fail_at[mock::kAny] = 0;
    INFO("call " << call << ", allocation " << allocation << ": " << last_info().message << " " << reason());
    CHECK((status == LIBSGEMM_SUCCESS ? p.right() : p.untouched()));
    CHECK((met || failed || status == LIBSGEMM_SUCCESS));
    return std::pair(failed, met);
  };
  run(0, 1 << 20);  // loads all libraries: drivers' do not survive a failure in their constructors
  int injected = 0;
  const int part = sgemm_test::one_in();
  for (int allocation = 1; run(0, allocation).second; allocation += part) ++injected;
  bool failed = true;
  for (int call = 1; failed; call += part + call / 4) {
    for (int allocation = 1; run(call, allocation).second; allocation += part + allocation / 8) ++injected;
    failed = run(call, 1 << 20).first;
  }
  CHECK(injected > 100 / part);
  limit(0, 0);
}

namespace {

// Bytes by which a call grows the process.
size_t growth(const Shape &shape) {
  const auto size = [] {
    size_t pages = 0;
    REQUIRE(std::ifstream("/proc/self/statm") >> pages);
    return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  };
  HostProduct p(shape);
  Handle h;
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  const size_t before = size();
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  const size_t after = size();
  CHECK(backend() == "cuda");
  CHECK(p.right());
  return after - std::min(before, after);
}

using sgemm_test::Args;
using sgemm_test::Routine;

constexpr int64_t kOrder = 36, kStride = kOrder * kOrder + 3, kCount = 6;

Args strided_args(const std::vector<float> &a) {
  Args args;
  args.m = args.n = args.k = args.lda = args.ldc = kOrder;
  args.diag = LIBSGEMM_UNIT;
  args.alpha = 2;
  args.beta = 3;
  args.a = a.data();
  args.stride_a = args.stride_c = kStride;
  args.batch_count = kCount;
  return args;
}

std::vector<float> on_cpu(Routine routine, Args args, std::vector<float> c) {
  begin();
  args.c = c.data();
  Handle h;
  REQUIRE(libsgemm_set_kernel(h, "cpu_scalar_1x1x1_naive") == LIBSGEMM_SUCCESS);
  REQUIRE(call(routine, h, args) == LIBSGEMM_SUCCESS);
  return c;
}

bool are_near(const std::vector<float> &x, const std::vector<float> &wanted) {
  bool near = true;
  for (size_t i = 0; i < x.size(); ++i) {
    near = near && std::fabs(x[i] - wanted[i]) <= 1e-4f * (1 + std::fabs(wanted[i]));
  }
  return near;
}

}  // namespace

TEST_CASE("whatever fails in a batch of another routine, all of it is right or C as it was") {
  const Routine routine = GENERATE(Routine::kSsyrkStrided, Routine::kStrmmStrided, Routine::kStrsmStrided);
  std::vector<float> a(kStride * kCount), before(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const auto j = static_cast<int64_t>(i);
    a[i] = value(j, 1) / 8, before[i] = value(j / 3, j);
  }
  Args args = strided_args(a);
  const std::vector<float> wanted = on_cpu(routine, args, before);
  gpu().has_syrk = true;
  limit(size_t{40} << 10, 0);
  int failed = 0;
  for (const mock::Site site : {mock::kAny, mock::kWork}) {
    bool met = true;
    for (int nth = 1; met; nth += 1 + nth / 10) {
      begin();
      REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
      std::vector<float> c = before;
      args.c = c.data();
      Handle h;
      REQUIRE(libsgemm_set_backend(h, "cuda") == LIBSGEMM_SUCCESS);
      gpu().fail_at[site] = nth;
      const libsgemm_status_t status = call(routine, h, args);
      met = gpu().fail_at[site] == 0;
      gpu().fail_at[site] = 0;
      INFO(sgemm_test::entry_name(routine)
           << " site " << site << " call " << nth << ": " << last_info().message << " " << reason());
      const bool on_gpu = status == LIBSGEMM_SUCCESS && backend() == "cuda";
      if (on_gpu) {
        CHECK(c == wanted);
      } else {
        CHECK(met);
        CHECK((status == LIBSGEMM_SUCCESS || strict()));
        CHECK((status == LIBSGEMM_SUCCESS ? are_near(c, wanted) : c == before));
        ++failed;
      }
      if (site == mock::kWork) gpu().repair();
    }
  }
  CHECK((failed > 5 || devices() != nullptr));
  gpu().has_syrk = false;
  limit(0, 0);
}

TEST_CASE("C is saved only if a failure could lose it") {
  begin();
  limit(size_t{1} << 20, 0);
  constexpr int64_t kRows = 2048, kCols = 4096;
  constexpr size_t kBytes = sizeof(float) * kRows * kCols;
  const auto shape = [](float beta) { return Shape{kRows, kCols, 1, false, false, beta, true, 0}; };
  growth(shape(0));  // the first call also allocates otherwise
  if (strict()) {
    CHECK(growth(shape(0)) >= kBytes);  // no other backend would compute it again
  } else {
    CHECK(growth(shape(0)) < kBytes);
  }
  CHECK(growth(shape(3)) >= kBytes);
  limit(0, 0);
}

TEST_CASE("where memory is short, less of it does") {
  begin();
  limit(0, 0);
  gpu().capacity = gpu().bytes + (int64_t{20} << 20);
  HostProduct p({90, 100, 80});
  Handle h;
  REQUIRE(p.run(h) == LIBSGEMM_SUCCESS);
  CHECK(backend() == "cuda");
  CHECK(p.right());
  gpu().capacity = gpu().bytes + 100;
  REQUIRE(libsgemm_release_memory() == LIBSGEMM_SUCCESS);
  gpu().capacity = 100;
  HostProduct q({90, 100, 80});
  const libsgemm_status_t status = q.run(h);
  CHECK(status == (strict() ? LIBSGEMM_OUT_OF_MEMORY : LIBSGEMM_SUCCESS));
  CHECK((strict() ? q.untouched() : q.right()));
  gpu().capacity = 0;
}

// This test is last: the device never frees its memory.
TEST_CASE("a device that does not answer is given up") {
  begin();
  limit(0, 0);
  gpu().hangs = true;
  HostProduct p({90, 100, 80});
  Handle h;
  const libsgemm_status_t status = p.run(h);
  gpu().repair();
  CHECK(gpu().abandoned >= 1);
  CHECK(status == (strict() ? LIBSGEMM_EXECUTION_FAILED : LIBSGEMM_SUCCESS));
  CHECK((strict() ? p.untouched() : p.right()));
  CHECK(contains(strict() ? last_info().message : reason(), "LIBSGEMM_TIMEOUT"));
}
