// Mode fp32_fast on the CPU: which tiles of C its rows leave to sums in FP64, read from the workspace, and that the
// result keeps the bound of FP32.
#include <cmath>
#include <cstring>

#include "catch.h"
#include "devices.h"
#include "gpu/device_model.h"
#include "gpu/kernels.h"
#include "hard_operands.h"
#include "job.h"
#include "splits/split_row.h"

using namespace sgemm_test;
using namespace libsgemm::cuda;
using libsgemm::Error;
using libsgemm::Launch;

namespace {

std::vector<Kernel> rows_of(libsgemm_math_mode_t mode) {
  std::vector<Kernel> found;
  for (int i = 0; i < libsgemm::gpu::kernel_count(); ++i) {
    if (libsgemm::gpu::kernels()[i].math_mode == mode) found.push_back(libsgemm::gpu::kernels()[i]);
  }
  return found;
}

// The tiles of C, of 128 x 128, that a row of mode fp32_fast has left to FP64, from what its passes wrote.
struct Tiles {
  int all = 0, repaired = 0;
};
Tiles tiles_of(const GemmDesc &desc, void *workspace, size_t bytes) {
  const SplitsShape shape = {2, 2, true, true, true, true};
  const SplitsLayout layout = splits_layout(desc, shape, bytes);
  const PassProblem p = splits_pass(desc, shape, layout, workspace, 0, 0, desc.k);
  const Splits &a = p.a.splits, &b = p.b.splits;
  const int log2_k = static_cast<int>(std::ceil(std::log2(static_cast<double>(desc.k))));
  const Guard guard = {
      a.most + a.rows, b.most + b.rows, layout.most_words, log2_k, a.least + a.rows, b.least + b.rows, false};
  Tiles tiles;
  for (int i = 0; i < a.rows / kOuterPad; ++i) {
    for (int j = 0; j < b.rows / kOuterPad; ++j) {
      ++tiles.all;
      tiles.repaired += guard(0, i, j) ? 1 : 0;
    }
  }
  return tiles;
}

// Runs a row, in its least workspace times `share`, and judges it by FP32's bound.
struct Outcome {
  std::string fault;
  double worst = 0;
  Tiles tiles;
};
Outcome run(const Kernel &row, const Problem &problem, double share = 1, int device = 0) {
  Placement placement(problem, LIBSGEMM_COL_MAJOR);
  GemmDesc desc = describe_call(Routine::kSgemm, placement.args());
  desc.math_mode = row.math_mode;
  REQUIRE(row.supports(desc, device));
  Launch launch = {};
  launch.device = device;
  launch.workspace_bytes = static_cast<size_t>(share * static_cast<double>(row.workspace(desc, device)));
  Workspace workspace(launch.workspace_bytes);
  launch.workspace = workspace.data();
  Error error = {};
  Outcome outcome;
  if (row.launch(desc, launch, &error) != LIBSGEMM_SUCCESS) {
    outcome.fault = error.text;
    return outcome;
  }
  CHECK(workspace.intact());
  outcome.fault = placement.check({}, Bound::kUsual, 1e12, &outcome.worst);
  if (row.math_mode == LIBSGEMM_MATH_FP32_FAST && desc.k >= kLeastFast) {
    outcome.tiles = tiles_of(desc, launch.workspace, launch.workspace_bytes);
  }
  return outcome;
}

Case shape(int turn, int64_t m, int64_t n, int64_t k) {
  Case test = case_of(Routine::kSgemm, m, n, k);
  if (turn % 2 != 0) test.transa = LIBSGEMM_TRANS;
  if (turn / 2 % 2 != 0) test.transb = LIBSGEMM_TRANS;
  test.alpha = turn == 0 ? 1.0f : -1.5f, test.beta = turn % 3 == 1 ? 0.75f : 0.0f;
  test.offset = turn % 2;
  return test;
}

int device_called(const std::string &name) {
  for (int i = 0; i < simt::device_count(); ++i) {
    if (libsgemm::gpu::model(i).name == name) return i;
  }
  return -1;
}

}  // namespace

TEST_CASE("fp32_fast keeps the bound of FP32, and leaves to FP64 what it must and no more") {
  // Of the four tiles of C.
  const auto expected = [](Hard hard) {
    switch (hard) {
      case Hard::kScaledDepth:
      case Hard::kSpecial:
      case Hard::kOneWideRow:
      case Hard::kHugeElement:
        return hard == Hard::kScaledDepth ? 4 : hard == Hard::kSpecial ? 3 : 2;
      case Hard::kOverflow:
        return 3;
      default:
        return 0;
    }
  };
  for (const Kernel &row : rows_of(LIBSGEMM_MATH_FP32_FAST)) {
    int turn = 0;
    for (const Hard hard : kHard) {
      const Outcome outcome = run(row, hard_problem(hard, shape(turn++, 133, 140, 97)));
      INFO(row.name << ", " << name_of(hard) << ": " << outcome.tiles.repaired << " of " << outcome.tiles.all
                    << " tiles by FP64, worst error " << outcome.worst << " bounds");
      CHECK(outcome.fault == "");
      CHECK(outcome.tiles.all == 4);
      // Of outliers and of a Cauchy distribution it is for chance to say.
      if (hard == Hard::kOutliers || hard == Hard::kCauchy) continue;
      CHECK(outcome.tiles.repaired == expected(hard));
    }
  }
}

TEST_CASE("fp16x3 has no such guard, and misses the bound") {
  for (const Kernel &row : rows_of(LIBSGEMM_MATH_FP16X3)) {
    const Outcome outcome = run(row, hard_problem(Hard::kScaledDepth, shape(0, 40, 50, 97)));
    INFO(row.name);
    CHECK(outcome.fault != "");
    CHECK(outcome.worst > 100);
  }
}

TEST_CASE("fp32_fast in panels of k: a wide tile is left alone by all of them") {
  for (const Kernel &row : rows_of(LIBSGEMM_MATH_FP32_FAST)) {
    for (const double share : {1.0, 1.7}) {
      Case test = shape(1, 130, 20, 600);
      test.beta = -0.5f;
      const Outcome outcome = run(row, hard_problem(Hard::kOneWideRow, test), share);
      CHECK(outcome.fault == "");
      CHECK(outcome.tiles.repaired == 1);
      CHECK(outcome.tiles.all == 2);
    }
  }
}

TEST_CASE("fp32_fast on the FP64 instructions of sm_80") {
  const int device = device_called("A100");
  REQUIRE(device >= 0);
  for (const Kernel &row : rows_of(LIBSGEMM_MATH_FP32_FAST)) {
    for (int turn = 0; turn < 4; ++turn) {
      const Problem problem = hard_problem(Hard::kScaledDepth, shape(turn, 67, 70, turn == 3 ? 33 : 77));
      GemmDesc desc = outline(problem.test, Form::kSingle, 1);
      if (!row.supports(desc, device)) continue;  // instructions of a later architecture
      CHECK(run(row, problem, 1, device).fault == "");
    }
  }
}

TEST_CASE("fp32_fast has no rows where FP64 is slow") {
  const int device = device_called("RTX 4090");
  REQUIRE(device >= 0);
  GemmDesc desc = outline(case_of(Routine::kSgemm, 512, 512, 512), Form::kSingle, 1);
  for (const Kernel &row : rows_of(LIBSGEMM_MATH_FP32_FAST)) CHECK_FALSE(row.supports(desc, device));
  desc.math_mode = LIBSGEMM_MATH_FP32_FAST;
  CHECK(split_plan_bytes(desc, device) == 0);
}

// The element of a row that decides, around the exponent up to which parts hold it.
TEST_CASE("a row is wide from the exponent on where parts lose bits of an element") {
  for (const Kernel &row : rows_of(LIBSGEMM_MATH_FP32_FAST)) {
    for (const int least : {-kNarrow - 1, -kNarrow}) {
      for (const int most : {-120, 0, 100}) {
        Problem p = hard_problem(Hard::kNormal, shape(0, 20, 30, 70));
        for (float &x : p.b.values) x = std::copysign(1.0f, x);
        for (float &x : p.a.values) x = std::ldexp(std::copysign(1.0f, x), most);
        // With all 24 bits set: what parts lose most of.
        p.a.at(11, 69) = std::ldexp(0x1.ffffffp0f, most);
        p.a.at(11, 5) = std::ldexp(0x1.ffffffp0f, most + least);
        solve(&p);
        const Outcome outcome = run(row, p);
        INFO(row.name << " " << most << " " << least);
        CHECK(outcome.fault == "");
        CHECK(outcome.tiles.repaired == (least < -kNarrow ? 1 : 0));
      }
    }
  }
}

TEST_CASE("parts hold an element to 2^-23 down to the exponent that is called narrow, and not below") {
  // As the split makes them, of a number that is scaled already.
  const auto lost = [](float x) {
    const float high = float_from_half(half_from_float(x));
    const float low = float_from_half(half_from_float((x - high) * 2048));
    return std::fabs(static_cast<double>(x) - static_cast<double>(high) - static_cast<double>(low) / 2048) /
           std::fabs(static_cast<double>(x));
  };
  Random random(1);
  double worst = 0, below = 0;
  for (int i = 0; i < 400000; ++i) {
    const float x = std::ldexp(1 + std::fabs(random.uniform()), 0);
    if (x >= 2) continue;
    worst = std::max(worst, lost(std::ldexp(x, random.integer(14 - kNarrow, 14))));
    below = std::max(below, lost(std::ldexp(x, 13 - kNarrow)));
  }
  CHECK(worst <= 0x1p-23);
  CHECK(worst > 0.9 * 0x1p-23);
  CHECK(below > 1.5 * 0x1p-23);
}

// A product of wide operands beside others.
TEST_CASE("fp32_fast in batches") {
  for (const Kernel &row : rows_of(LIBSGEMM_MATH_FP32_FAST)) {
    Case test = shape(0, 30, 40, 80);
    test.inputs = Inputs::kRandom;
    std::vector<Problem> problems;
    for (const Hard hard : {Hard::kNormal, Hard::kScaledDepth, Hard::kSpecial})
      problems.push_back(hard_problem(hard, test));
    std::vector<const Problem *> pointers;
    for (const Problem &problem : problems) pointers.push_back(&problem);
    Placement placement(pointers, LIBSGEMM_COL_MAJOR, {80 * 40, 50 * 80, 40 * 50});
    GemmDesc desc = describe_call(Routine::kSgemm, placement.args());
    desc.batch = Batch::strided;
    desc.stride_a = 80 * 40, desc.stride_b = 50 * 80, desc.stride_c = 40 * 50;
    desc.math_mode = row.math_mode;
    for (const double share : {1.0, 3.2}) {
      placement.restore();
      Launch launch = {};
      launch.workspace_bytes = static_cast<size_t>(share * static_cast<double>(row.workspace(desc, 0)));
      Workspace workspace(launch.workspace_bytes);
      launch.workspace = workspace.data();
      Error error = {};
      REQUIRE(row.launch(desc, launch, &error) == LIBSGEMM_SUCCESS);
      CHECK(workspace.intact());
      CHECK(placement.check() == "");
    }
  }
}
