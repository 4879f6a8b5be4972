#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/kernels.h"
#include "matrix/host_matrix.h"
#include "simt/fibers/job.h"
#include "simt/fibers/simt.h"
#include "support/catch.h"
#include "verify/error_contract.h"

using namespace sgemm_test;
using libsgemm::Checksum;

namespace {

Case case_of_size(Routine routine, int64_t m, int64_t n, int64_t k, float beta) {
  Case test = case_of(routine, m, n, k);
  test.inputs = Inputs::kRandom;
  test.alpha = -1.5f;
  test.beta = beta;
  test.offset = 1;
  return test;
}

// Computes C by definition, in FP64.
void compute(const GemmDesc &desc, libsgemm_math_mode_t mode) {
  const libsgemm::Products all = libsgemm::products(desc, nullptr, 0, mode);
  const libsgemm::Product &p = all.term[0];
  for (int64_t j = 0; j < p.n; ++j) {
    for (int64_t i = 0; i < p.m; ++i) {
      double sum = 0;
      for (int64_t l = 0; l < p.k; ++l) sum += static_cast<double>(p.x.at(i, l)) * static_cast<double>(p.y.at(l, j));
      float &c = *all.out.at(i, j);
      const double old = desc.beta == 0 ? 0 : static_cast<double>(desc.beta) * static_cast<double>(c);
      c = static_cast<float>(static_cast<double>(desc.alpha) * sum + old);
    }
  }
}

// Both halves of a checksum, around compute() and `falsify`.
template <typename Falsify>
double checksum_of(const GemmDesc &desc, Checksum what, const Falsify &falsify) {
  Workspace workspace(libsgemm::gpu::checksum_bytes(desc, what, 0));
  libsgemm::Launch launch = {};
  launch.workspace = workspace.data();
  libsgemm::Error error = {};
  if (reads_c(desc)) REQUIRE(libsgemm::gpu::checksum(desc, what, false, launch, &error) == LIBSGEMM_SUCCESS);
  compute(desc, what.mode);
  falsify();
  const libsgemm_status_t status = libsgemm::gpu::checksum(desc, what, true, launch, &error);
  INFO(error.text);
  REQUIRE(status == LIBSGEMM_SUCCESS);
  CHECK(workspace.intact());
  const auto *results = static_cast<const double *>(workspace.data());
  return *std::max_element(results, results + libsgemm::kChecksumResults);
}

void compare_with_host(const Case &test, libsgemm_math_mode_t mode, float error) {
  Job job(test, Form::kSingle, false, 1);
  const GemmDesc &desc = job.desc();
  libsgemm::Snapshot before;
  REQUIRE(before.take(desc));
  Checksum what = libsgemm::draw_checksum(desc.m, desc.n, desc.k, 11);
  REQUIRE(what.rows.chosen == what.rows.all);
  REQUIRE(what.columns.chosen == what.columns.all);
  what.mode = mode;
  what.factor = libsgemm::error_factor(desc, {mode, false});
  const double ratio = checksum_of(desc, what, [&] { desc.c[desc.m - 1 + (desc.n - 1) * desc.ldc] += error; });
  const libsgemm::ErrorContract contract =
      libsgemm::error_contract(desc, reads_c(desc) ? before.item(0) : nullptr, {mode, false});
  const double wanted = libsgemm::worst_of_sums(what.transposed ? contract.transposed() : contract, what.seed);
  INFO(describe(test) << " " << libsgemm::math_mode_name(mode) << " error " << error);
  CHECK(ratio == Approx(wanted).epsilon(1e-6));
  CHECK((ratio > 1) == (error != 0));
}

}  // namespace

TEST_CASE("the checksum on a device is that of the host") {
  for (const Routine routine : {Routine::kSgemm, Routine::kShgemm, Routine::kSbgemm}) {
    for (const libsgemm_op_t op : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
      for (const float beta : {0.0f, 0.5f}) {
        Case test = case_of_size(routine, 37, 21, 45, beta);
        test.transa = test.transb = op;
        for (const float error : {0.0f, 0.5f}) compare_with_host(test, LIBSGEMM_MATH_FP32, error);
        std::swap(test.m, test.n);
        compare_with_host(test, LIBSGEMM_MATH_FP32, 0.5f);
      }
    }
  }
  compare_with_host(case_of_size(Routine::kSgemm, 1, 1, 1, 2), LIBSGEMM_MATH_FP32, 0.5f);
  compare_with_host(case_of_size(Routine::kSgemm, 3, 300, 290, 2), LIBSGEMM_MATH_FP32, 0.5f);
}

TEST_CASE("the checksum on a device knows every arithmetic", "[data]") {
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    if (mode == LIBSGEMM_MATH_FP64 || mode == LIBSGEMM_MATH_FP32_FAST) continue;
    for (const float error : {0.0f, 0.5f}) compare_with_host(case_of_size(Routine::kSgemm, 33, 34, 20, 1), mode, error);
  }
}

TEST_CASE("the checksum on a device is that of the host at the ends of the range, too", "[data]") {
  struct Range {
    float a, b, alpha, factor;  // C over its value by definition
  };
  constexpr float kInfinite = INFINITY;
  const Range right[] = {
      {0x1p-75f, 0x1p-75f, 0x1p100f, 0},         {1e25f, 1e25f, 1e-20f, 1},
      {1e25f, 1e25f, 1e-20f, kInfinite},         {1e30f, 1e-35f, 1e20f, kInfinite},
      {1e-35f, 1e30f, 1e20f, kInfinite},         {0x1p-100f, 0x1p120f, 1.1f * 0x1p-60f, 0},
      {0x1p120f, 0x1p-100f, 1.1f * 0x1p-60f, 0},
  };
  const Range wrong[] = {
      {0x1p-60f, 0x1p-60f, 0x1p100f, 0}, {1e25f, 1e25f, 1e-20f, 0.5f},        {1e10f, 1e10f, 1e10f, kInfinite},
      {1e25f, 1e-30f, 1e10f, kInfinite}, {0x1p-75f, 0x1p-75f, 0x1p100f, 100}, {0x1p-90f, 0x1p110f, 1.1f * 0x1p-25f, 0},
  };
  const auto judge = [](const Range &range, bool transposed) {
    Case test = case_of_size(Routine::kSgemm, 37, 21, 45, 0);
    if (transposed) std::swap(test.m, test.n);
    Job job(test, Form::kSingle, false, 1);
    const GemmDesc &desc = job.desc();
    GemmDesc scaled = desc;
    scaled.alpha = range.alpha;
    const auto fill = [](const void *data, int64_t ld, int64_t rows, int64_t columns, float by) {
      auto *x = const_cast<float *>(static_cast<const float *>(data));
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = 0; i < rows; ++i) x[i + j * ld] *= by;
      }
    };
    fill(desc.a, desc.lda, desc.m, desc.k, range.a);
    fill(desc.b, desc.ldb, desc.k, desc.n, range.b);
    Checksum what = libsgemm::draw_checksum(desc.m, desc.n, desc.k, 11);
    what.factor = libsgemm::error_factor(desc, {});
    const double ratio = checksum_of(scaled, what, [&] {
      for (int64_t j = 0; j < desc.n; ++j) {
        for (int64_t i = 0; i < desc.m; ++i) {
          float &x = desc.c[i + j * desc.ldc];
          x = range.factor == 0 ? 0 : x * range.factor;
        }
      }
    });
    const libsgemm::ErrorContract contract = libsgemm::error_contract(scaled, nullptr, {});
    const double wanted = libsgemm::worst_of_sums(what.transposed ? contract.transposed() : contract, what.seed);
    INFO("ratios " << ratio << " and " << wanted << " of " << range.a << " " << range.b << " " << range.alpha);
    CHECK((ratio == wanted || ratio == Approx(wanted).epsilon(1e-6)));
    return ratio;
  };
  for (const bool transposed : {false, true}) {
    for (const Range &range : right) CHECK(judge(range, transposed) <= 1);
    for (const Range &range : wrong) CHECK(judge(range, transposed) > 1);
  }
}

TEST_CASE("a checksum of a part of C finds the errors in it", "[data]") {
  const Case test = case_of_size(Routine::kSgemm, 150, 300, 20, 1);
  const int64_t rows = 150, columns = 300;
  for (const bool transposed : {false, true}) {
    // Blocks 3 and 0 of five (or ten), block 2 (or 1) of the others.
    Checksum what = {};
    what.transposed = transposed;
    const int64_t m = transposed ? columns : rows, n = transposed ? rows : columns;
    what.rows = {(m - 1) / libsgemm::kChecksumRows + 1, 2, 3, 2};
    what.rows.step = what.rows.all - 3;
    what.columns = {(n - 1) / libsgemm::kChecksumColumns + 1, 1, 1, 1};
    what.seed = 5;
    for (const int64_t i : {0, 31, 32, 95, 96, 127, 128, 149}) {
      for (const int64_t j : {0, 127, 128, 149}) {
        Job job(test, Form::kSingle, false, 1);
        const GemmDesc &desc = job.desc();
        what.factor = libsgemm::error_factor(desc, {});
        const double ratio =
            checksum_of(desc, what, [&] { desc.c[transposed ? j + i * desc.ldc : i + j * desc.ldc] += 1; });
        const int64_t row = i / libsgemm::kChecksumRows;
        const bool covered = (row == 3 || row == 0) && j / libsgemm::kChecksumColumns == 1;
        INFO("element " << i << ", " << j << (transposed ? " of the transpose" : ""));
        CHECK((ratio > 1) == covered);
      }
    }
  }
}

TEST_CASE("values that are not finite are found by the checksum on a device") {
  const Case test = case_of_size(Routine::kSgemm, 40, 30, 20, 0);
  for (const float value : {INFINITY, NAN}) {
    Job job(test, Form::kSingle, false, 1);
    const GemmDesc &desc = job.desc();
    Checksum what = libsgemm::draw_checksum(desc.m, desc.n, desc.k, 3);
    what.factor = libsgemm::error_factor(desc, {});
    CHECK(std::isinf(checksum_of(desc, what, [&] { desc.c[7] = value; })));
  }
}

TEST_CASE("NaN and Inf hide no error elsewhere from the checksum on a device", "[data]") {
  constexpr float kSpecial[] = {NAN, INFINITY, -INFINITY};
  uint32_t state = 1;
  const auto draw = [&](int64_t count) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int64_t>(state >> 8) % count;
  };
  int products = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const Routine routine = trial % 5 == 4 ? Routine::kShgemm : Routine::kSgemm;
    Case test = case_of_size(routine, 37, 21, 25, trial % 2 == 0 ? 0.0f : 0.5f);
    if (trial % 3 == 0) std::swap(test.m, test.n);
    Job job(test, Form::kSingle, false, 1);
    const GemmDesc &desc = job.desc();
    Checksum what = libsgemm::draw_checksum(desc.m, desc.n, desc.k, static_cast<uint64_t>(trial));
    what.mode = trial % 7 == 6 && routine == Routine::kSgemm ? LIBSGEMM_MATH_FP16 : LIBSGEMM_MATH_FP32;
    what.factor = libsgemm::error_factor(desc, {what.mode, false});
    const auto put = [&](const void *data, int64_t ld, int64_t rows, int64_t columns, int64_t count) {
      for (int64_t at = 0; at < count; ++at) {
        const int64_t i = draw(rows), j = draw(columns), which = draw(3);
        if (desc.type == libsgemm::Type::f32 || data == desc.c) {
          const_cast<float *>(static_cast<const float *>(data))[i + j * ld] = kSpecial[which];
        } else {
          const_cast<uint16_t *>(static_cast<const uint16_t *>(data))[i + j * ld] = which == 0 ? 0x7e00 : 0x7c00;
        }
      }
    };
    put(desc.a, desc.lda, desc.m, desc.k, draw(3));
    put(desc.b, desc.ldb, desc.k, desc.n, draw(3));
    if (desc.beta != 0) put(desc.c, desc.ldc, desc.m, desc.n, draw(3));
    libsgemm::Snapshot before;
    REQUIRE(before.take(desc));
    INFO("trial " << trial);
    const double clean = checksum_of(desc, what, [] {});
    CHECK(clean >= 0);
    CHECK(clean <= 1);
    before.restore(desc);
    float &wrong = desc.c[draw(desc.m) + draw(desc.n) * desc.ldc];
    const double ratio = checksum_of(desc, what, [&] { wrong = float_of_bits(bits_of(wrong) ^ 1u << 30); });
    CHECK(ratio > 1);
    ++products;
  }
  CHECK(products == 120);
}

TEST_CASE("Inf of a sum that overflows passes the checksum on a device, and no other", "[data]") {
  Job job(case_of_size(Routine::kSgemm, 40, 30, 20, 0), Form::kSingle, false, 1);
  const GemmDesc &desc = job.desc();
  const_cast<float *>(static_cast<const float *>(desc.a))[5] = 3e38f;
  const_cast<float *>(static_cast<const float *>(desc.b))[9 * desc.ldb] = 3e38f;
  Checksum what = libsgemm::draw_checksum(desc.m, desc.n, desc.k, 3);
  what.factor = libsgemm::error_factor(desc, {});
  const double clean = checksum_of(desc, what, [] {});
  CHECK_FALSE(std::isfinite(desc.c[5 + 9 * desc.ldc]));
  CHECK(clean >= 0);
  CHECK(clean <= 1);
  CHECK(checksum_of(desc, what, [&] { desc.c[5 + 9 * desc.ldc] = 0; }) > 1);
  CHECK(checksum_of(desc, what, [&] { desc.c[6 + 8 * desc.ldc] = INFINITY; }) > 1);
}
