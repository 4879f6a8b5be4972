#include <algorithm>
#include <cmath>
#include <vector>

#include "matrix/host_matrix.h"
#include "runtime/elements.h"
#include "simt/fibers/job.h"
#include "simt/fibers/simt.h"
#include "support/catch.h"
#include "support/part.h"
#include "verify/error_contract.h"

using namespace sgemm_test;

namespace {

// C by definition, in FP64 and the mode's arithmetic, with the earlier C.
class Product {
 public:
  Product(const Case &test, const libsgemm::Arithmetic &how)
      : job_(test, Form::kSingle, false, 1), how_(how), desc(job_.desc()) {}

  void scale(float by_a, float by_b, float alpha) {
    const auto fill = [](const void *data, int64_t ld, int64_t rows, int64_t columns, float by) {
      auto *x = const_cast<float *>(static_cast<const float *>(data));
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = 0; i < rows; ++i) x[i + j * ld] *= by;
      }
    };
    fill(desc.a, desc.lda, desc.m, desc.k, by_a);
    fill(desc.b, desc.ldb, desc.k, desc.n, by_b);
    desc.alpha = alpha;
  }

  void compute() {
    REQUIRE(before_.take(desc));
    const libsgemm::Products all = libsgemm::products(desc, nullptr, 0, how_.mode);
    const libsgemm::Product &p = all.term[0];
    for (int64_t j = 0; j < p.n; ++j) {
      for (int64_t i = 0; i < p.m; ++i) {
        double sum = 0;
        for (int64_t l = 0; l < p.k; ++l) sum += static_cast<double>(p.x.at(i, l)) * static_cast<double>(p.y.at(l, j));
        float &c = *all.out.at(i, j);
        const double old = reads_c(desc) ? static_cast<double>(desc.beta) * static_cast<double>(c) : 0;
        c = static_cast<float>(static_cast<double>(desc.alpha) * sum + old);
      }
    }
  }

  float &at(int64_t i, int64_t j) { return desc.c[i + j * desc.ldc]; }

  // The device's worst |error| / bound, which must be the host's.
  double ratio() {
    Workspace workspace(libsgemm::cuda::elements_bytes(desc, 0));
    libsgemm::Launch launch = {};
    launch.workspace = workspace.data();
    libsgemm::Error error = {};
    const float *before = reads_c(desc) ? before_.item(0) : nullptr;
    const libsgemm_status_t status =
        libsgemm::cuda::elements(desc, libsgemm::element_bound(desc, how_), before, launch, &error);
    INFO(error.text);
    REQUIRE(status == LIBSGEMM_SUCCESS);
    CHECK(workspace.intact());
    const auto *results = static_cast<const double *>(workspace.data());
    const double found = *std::max_element(results, results + libsgemm::cuda::elements_bytes(desc, 0) / sizeof(double));
    const double wanted = libsgemm::worst_of_all(libsgemm::error_contract(desc, before, how_));
    CHECK((found == wanted || found == Approx(wanted).epsilon(1e-6)));
    return found;
  }

 private:
  Job job_;
  libsgemm::Arithmetic how_;
  libsgemm::Snapshot before_;

 public:
  libsgemm::GemmDesc desc;
};

Case case_of_size(Routine routine, int64_t m, int64_t n, int64_t k, float beta) {
  Case test = case_of(routine, m, n, k);
  test.inputs = Inputs::kRandom;
  test.alpha = -1.5f;
  test.beta = beta;
  test.offset = 1;
  return test;
}

void judge_corners(const Case &test, const libsgemm::Arithmetic &how) {
  Product p(test, how);
  p.compute();
  INFO(describe(test) << " " << libsgemm::math_mode_name(how.mode));
  CHECK(p.ratio() <= 1);
  for (const int64_t i : {int64_t{0}, p.desc.m - 1}) {
    for (const int64_t j : {int64_t{0}, p.desc.n - 1}) {
      const float right = p.at(i, j);
      for (const float wrong : {right + 0.5f, INFINITY, NAN}) {
        p.at(i, j) = wrong;
        CHECK(p.ratio() > 1);
      }
      p.at(i, j) = right;
    }
  }
}

}  // namespace

TEST_CASE("a device judges all elements as the host does") {
  const int step = one_in() > 5 ? 5 : 1;  // 5 still reaches every routine
  int turn = 0;
  for (const Routine routine : {Routine::kSgemm, Routine::kShgemm, Routine::kSbgemm}) {
    for (const libsgemm_op_t op : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
      for (const float beta : {0.0f, 0.5f}) {
        if (turn++ % step != 0) continue;
        Case test = case_of_size(routine, 70, 21, 45, beta);
        test.transa = test.transb = op;
        judge_corners(test, {});
        std::swap(test.m, test.n);
        judge_corners(test, {});
      }
    }
  }
  judge_corners(case_of_size(Routine::kSgemm, 1, 1, 1, 2), {});
}

TEST_CASE("a device judges elements of every arithmetic", "[data]") {
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    judge_corners(case_of_size(Routine::kSgemm, 33, 34, 20, 1), {mode, false});
    judge_corners(case_of_size(Routine::kSgemm, 33, 34, 20, 1), {mode, true});
  }
}

TEST_CASE("a device judges elements at the ends of the range as the host does", "[data]") {
  struct Range {
    float a, b, alpha, factor;  // ratio of C to its value by definition
    bool right;
  };
  constexpr float kInfinite = INFINITY;
  const Range ranges[] = {
      {0x1p-75f, 0x1p-75f, 0x1p100f, 0, true},
      {1e25f, 1e25f, 1e-20f, 1, true},
      {1e25f, 1e25f, 1e-20f, kInfinite, true},
      {1e30f, 1e-35f, 1e20f, kInfinite, true},
      {1e-35f, 1e30f, 1e20f, kInfinite, true},
      {0x1p-100f, 0x1p120f, 1.1f * 0x1p-60f, 0, true},
      {0x1p120f, 0x1p-100f, 1.1f * 0x1p-60f, 0, true},
      {0x1p-60f, 0x1p-60f, 0x1p100f, 0, false},
      {1e25f, 1e25f, 1e-20f, 0.5f, false},
      {1e10f, 1e10f, 1e10f, kInfinite, false},
      {1e25f, 1e-30f, 1e10f, kInfinite, false},
      {0x1p-75f, 0x1p-75f, 0x1p100f, 100, false},
      {0x1p-90f, 0x1p110f, 1.1f * 0x1p-25f, 0, false},
  };
  for (const Range &range : ranges) {
    Product p(case_of_size(Routine::kSgemm, 37, 21, 45, 0), {});
    p.scale(range.a, range.b, range.alpha);
    p.compute();
    for (int64_t j = 0; j < p.desc.n; ++j) {
      for (int64_t i = 0; i < p.desc.m; ++i) p.at(i, j) = range.factor == 0 ? 0 : p.at(i, j) * range.factor;
    }
    INFO(range.a << " " << range.b << " " << range.alpha << " " << range.factor);
    CHECK((p.ratio() <= 1) == range.right);
  }
}

TEST_CASE("a device lets NaN and Inf of the inputs pass, and nothing that hides them", "[data]") {
  for (const float value : {INFINITY, NAN}) {
    Product p(case_of_size(Routine::kSgemm, 40, 30, 20, 0.5f), {});
    const_cast<float *>(static_cast<const float *>(p.desc.a))[3] = value;
    p.at(5, 7) = value;
    p.compute();
    CHECK(p.ratio() <= 1);
    p.at(3, 4) = 0;
    CHECK(std::isinf(p.ratio()));
  }
}

TEST_CASE("a device judges more tiles than it has blocks for", "[data]") {
  Product p(case_of_size(Routine::kSgemm, 1, 64 * 2050, 1, 0), {});
  REQUIRE(libsgemm::cuda::elements_bytes(p.desc, 0) == libsgemm::kMostElementBytes);
  p.compute();
  p.at(0, p.desc.n - 1) += 0.5f;
  CHECK(p.ratio() > 1);
}
