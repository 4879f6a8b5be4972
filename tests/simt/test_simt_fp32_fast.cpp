#include <cmath>
#include <cstring>

#include "devices.h"
#include "gpu/device_model.h"
#include "gpu/kernels.h"
#include "gpu/splits/fp64_share.h"
#include "gpu/splits/split_kernel.h"
#include "routines/hard_operands.h"
#include "simt/fibers/job.h"
#include "support/catch.h"

using namespace sgemm_test;
using namespace libsgemm::gpu;
using libsgemm::Error;
using libsgemm::Launch;

namespace {

// Chips with the mode, by their FP64 instructions, and some without.
#if defined(LIBSGEMM_SIMT_ARCH)
constexpr const char *kChips[] = {"MI300X", "MI355X"}, *kChipsWithout[] = {"MI100", "MI210", "RX 7900 XTX"};
#else
constexpr const char *kChips[] = {"A100", "H100"}, *kChipsWithout[] = {"RTX 4090"};
#endif

std::vector<Kernel> kernels_of(libsgemm_math_mode_t mode) {
  std::vector<Kernel> found;
  for (int i = 0; i < libsgemm::gpu::kernel_count(); ++i) {
    const Kernel &kernel = libsgemm::gpu::kernels()[i];
    if (kernel.math_mode == mode && kernel.conv == nullptr) found.push_back(kernel);
  }
  return found;
}

// Tiles of C, 128 x 128, and those that an fp32_fast kernel left to FP64 by its passes' output.
struct Tiles {
  int all = 0, repaired = 0;
};
Tiles tiles_of(const GemmDesc &desc, void *workspace, size_t bytes) {
  const SplitsShape shape = {2, 2, true, true, true, true};
  const SplitsLayout layout = splits_layout(desc, shape, bytes);
  const PassProblem p = splits_pass(desc, shape, layout, workspace, 0, 0, desc.k);
  const Splits &a = p.a.splits, &b = p.b.splits;
  Guard guard = {};
  guard.a = a.most + a.rows, guard.b = b.most + b.rows;
  guard.product_most = layout.most_words;
  guard.log2_k = static_cast<int>(std::ceil(std::log2(static_cast<double>(desc.k))));
  guard.excess_a = a.least + a.rows, guard.excess_b = b.least + b.rows;
  if (layout.panels == 1) {
    guard.sparse_a = guard.excess_a + a.rows / kOuterPad, guard.sparse_b = guard.excess_b + b.rows / kOuterPad;
  }
  guard.most_excess = static_cast<uint32_t>(most_excess(desc.k));
  Tiles tiles;
  for (int i = 0; i < a.rows / kOuterPad; ++i) {
    for (int j = 0; j < b.rows / kOuterPad; ++j) {
      ++tiles.all;
      tiles.repaired += guard(0, i, j) ? 1 : 0;
    }
  }
  return tiles;
}

struct Outcome {
  std::string fault;
  double worst = 0;
  Tiles tiles;
  double share = -1;  // fp64_share(): recomputed tiles / all tiles
};
Outcome run(const Kernel &kernel, const Problem &problem, double share = 1, int device = 0) {
  Placement placement(problem, LIBSGEMM_COL_MAJOR);
  GemmDesc desc = describe_call(Routine::kSgemm, placement.args());
  desc.math_mode = kernel.math_mode;
  static uint64_t tickets = 0;
  desc.ticket = ++tickets;
  CHECK(fp64_share(desc.ticket) < 0);
  const libsgemm::Plan plan = prepare(kernel, desc, device);
  REQUIRE(plan.kernel != nullptr);
  Launch launch = {};
  launch.device = device;
  launch.config = plan.config;
  launch.workspace_bytes = static_cast<size_t>(share * static_cast<double>(plan.workspace));
  Workspace workspace(launch.workspace_bytes);
  launch.workspace = workspace.data();
  Error error = {};
  Outcome outcome;
  if (kernel.launch(desc, launch, &error) != LIBSGEMM_SUCCESS) {
    outcome.fault = error.text;
    return outcome;
  }
  CHECK(workspace.intact());
  outcome.fault = placement.check({}, Bound::kUsual, 1e12, &outcome.worst);
  if (kernel.math_mode != LIBSGEMM_MATH_FP32_FAST) return outcome;
  if (desc.k >= kLeastFast) {
    outcome.tiles = tiles_of(desc, launch.workspace, launch.workspace_bytes);
    outcome.share = fp64_share(desc.ticket);
    CHECK(outcome.share == static_cast<double>(outcome.tiles.repaired) / outcome.tiles.all);
  }
  if (outcome.fault.empty() && outcome.tiles.repaired == outcome.tiles.all) {  // both are 0 if k is small
    outcome.fault = placement.check({LIBSGEMM_MATH_FP64});
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

}  // namespace

TEST_CASE("fp32_fast keeps the bound of FP32, and leaves to FP64 what it must and no more", "[fp32_fast]") {
  const auto expected = [](Hard hard) {
    switch (hard) {
      case Hard::kScaledDepth:
      case Hard::kTiny:
      case Hard::kFewSmall:
        return 4;  // last two: the workspace holds k in panels
      case Hard::kSpecial:
      case Hard::kOverflow:
        return 3;
      case Hard::kOneWideRow:
      case Hard::kHugeElement:
        return 2;
      default:
        return 0;
    }
  };
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
    int turn = 0;
    for (const Hard hard : kHard) {
      const Outcome outcome = run(kernel, hard_problem(hard, shape(turn++, 133, 140, 297)));
      INFO(kernel.name << ", " << name_of(hard) << ": " << outcome.tiles.repaired << " of " << outcome.tiles.all
                       << " tiles by FP64, worst error " << outcome.worst << " bounds");
      CHECK(outcome.fault == "");
      CHECK(outcome.tiles.all == 4);
      // Chance decides for outliers and Cauchy.
      if (hard == Hard::kOutliers || hard == Hard::kCauchy) continue;
      CHECK(outcome.tiles.repaired == expected(hard));
    }
  }
}

TEST_CASE("fp16x3 has no such guard, and misses the bound") {
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP16X3)) {
    const Outcome outcome = run(kernel, hard_problem(Hard::kScaledDepth, shape(0, 40, 50, 97)));
    INFO(kernel.name);
    CHECK(outcome.fault != "");
    CHECK(outcome.worst > 100);
  }
}

TEST_CASE("fp32_fast in panels of k: a wide tile is left alone by all of them") {
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
    for (const double share : {1.0, 1.7}) {
      Case test = shape(1, 130, 20, 600);
      test.beta = -0.5f;
      const Outcome outcome = run(kernel, hard_problem(Hard::kOneWideRow, test), share);
      CHECK(outcome.fault == "");
      CHECK(outcome.tiles.repaired == 1);
      CHECK(outcome.tiles.all == 2);
    }
  }
}

TEST_CASE("fp16x3 and fp32_fast with k beyond a chain of sums: C takes its parts in turns") {
  for (const libsgemm_math_mode_t mode : {LIBSGEMM_MATH_FP16X3, LIBSGEMM_MATH_FP32_FAST}) {
    for (const Kernel &kernel : kernels_of(mode)) {
      Case test = shape(1, 20, 30, 8501);
      test.beta = -0.5f;
      const Outcome outcome = run(kernel, hard_problem(Hard::kNormal, test), 40);
      INFO(kernel.name << ": " << outcome.worst << " bounds");
      CHECK(outcome.fault == "");
      CHECK(outcome.tiles.repaired == 0);
    }
  }
}

TEST_CASE("fp32_fast where all of C is left to FP64", "[fp32_fast]") {
  for (const char *chip : kChips) {
    const int device = simt::device_called(chip);
    REQUIRE(device >= 0);
    for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
      for (int turn = 0; turn < 4; ++turn) {
        const Problem problem = hard_problem(Hard::kScaledDepth, shape(turn, 67, 70, turn == 3 ? 33 : 277));
        GemmDesc desc = outline(problem.test, Form::kSingle, 1);
        if (!can_do(kernel, desc, device)) continue;  // needs a later architecture's instructions
        CHECK(run(kernel, problem, 1, device).fault == "");
      }
    }
  }
}

TEST_CASE("fp32_fast has no kernels where FP64 is slow, or FP16 without denormals") {
  GemmDesc desc = outline(case_of(Routine::kSgemm, 512, 512, 512), Form::kSingle, 1);
  desc.math_mode = LIBSGEMM_MATH_FP32_FAST;
  for (const char *chip : kChipsWithout) {
    const int device = simt::device_called(chip);
    INFO(chip);
    REQUIRE(device >= 0);
    for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) CHECK_FALSE(can_do(kernel, desc, device));
    CHECK(split_plan_bytes(desc, device) == 0);
  }
}

// Each element is a single product of factors with all 24 bits, of which splits lose most.
TEST_CASE("the excesses of rows and columns decide, and as much as is allowed keeps the bound") {
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
    for (const int64_t k : {260, 1030}) {
      const int allowed = most_excess(k);
      CHECK(allowed == (k == 260 ? 2 : 3));
      for (int of_a = -1; of_a <= allowed + 1; ++of_a) {
        for (int of_b = -1; of_b <= allowed + 1; of_b += allowed) {
          for (const int most : {-90, 0, 60}) {
            Problem p = hard_problem(Hard::kNormal, case_of(Routine::kSgemm, 20, 30, k));
            for (float &x : p.a.values) x = 0;
            for (float &x : p.b.values) x = 0;
            Random random(3);
            for (int64_t i = 0; i < 20; ++i) {
              p.a.at(i, 0) = std::ldexp(1.0f, most);
              const auto bits = static_cast<float>(0x1000001 + 2 * random.integer(0, 0x7ffffe));
              p.a.at(i, 5) = std::ldexp(i == 11 ? 0x1.fffffep0f : bits * 0x1p-24f, most - kNarrow - of_a);
            }
            for (int64_t j = 0; j < 30; ++j) {
              p.b.at(69, j) = std::ldexp(1.0f, -most);
              const auto bits = static_cast<float>(0x1000001 + 2 * random.integer(0, 0x7ffffe));
              p.b.at(5, j) = std::ldexp(j == 7 ? 0x1.fffffep0f : bits * 0x1p-24f, -most - kNarrow - of_b);
            }
            solve(&p);
            const Outcome outcome = run(kernel, p);
            INFO(kernel.name << " k " << k << " 2^" << most << ", excess " << of_a << " and " << of_b << ": "
                             << outcome.worst << " bounds");
            CHECK(outcome.fault == "");
            const int excess = std::max(0, of_a) + std::max(0, of_b);
            CHECK(outcome.tiles.repaired == (excess > allowed ? 1 : 0));
          }
        }
      }
    }
  }
}

// ---- Dense rows. Workspaces hold all of k unless a test mentions panels

namespace {

constexpr double kOnePanel = 2;  // workspace factor for 256 steps, enough for 512

float &in_a(Problem *p, int64_t i, int64_t l) {
  return p->test.transa == LIBSGEMM_NO_TRANS ? p->a.at(i, l) : p->a.at(l, i);
}
float &in_b(Problem *p, int64_t l, int64_t j) {
  return p->test.transb == LIBSGEMM_NO_TRANS ? p->b.at(l, j) : p->b.at(j, l);
}

enum class Plain { kNormal, kPositive, kUniform };

// A few elements 2^-40 times as large.
Problem chance_problem(Plain plain, const Case &test) {
  Problem p = hard_problem(Hard::kTiny, test);
  if (plain == Plain::kNormal) return p;
  Random random(5);
  for (Matrix *x : {&p.a, &p.b}) {
    for (float &value : x->values) {
      if (std::fabs(value) > 0x1p-30f) value = random.uniform();
      if (plain == Plain::kPositive) value = std::fabs(value);
    }
  }
  solve(&p);
  return p;
}

}  // namespace

TEST_CASE("fp32_fast takes what is tiny by chance in ordinary data for what it is") {
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
    int turn = 0;
    for (const Plain plain : {Plain::kNormal, Plain::kPositive, Plain::kUniform, Plain::kNormal}) {
      const Case test = turn < 3 ? shape(turn, 133, 140, 297) : shape(0, 10, 20, 4096);
      const Problem p = chance_problem(plain, test);
      const Outcome whole = run(kernel, p, turn < 3 ? kOnePanel : 16);
      INFO(kernel.name << " " << turn << ": worst error " << whole.worst << " bounds");
      CHECK(whole.fault == "");
      CHECK(whole.tiles.all == (turn < 3 ? 4 : 1));
      CHECK(whole.tiles.repaired == 0);
      const Outcome panels = run(kernel, p);
      CHECK(panels.fault == "");
      CHECK(panels.tiles.repaired == panels.tiles.all);
      ++turn;
    }
  }
}

// Density counts in a single panel only: otherwise the first would be multiplied, and C scaled by beta, before the last
// one leaves the tile to FP64.
TEST_CASE("fp32_fast in panels of k: rows that are dense but in the last one") {
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
    Case test = shape(1, 130, 20, 600);
    test.beta = -0.5f;
    Problem p = hard_problem(Hard::kTiny, test);
    for (int64_t l = 580; l < 590; ++l) in_a(&p, 0, l) = 0;
    solve(&p);
    const Outcome outcome = run(kernel, p);
    INFO(kernel.name << ": " << outcome.worst << " bounds");
    CHECK(outcome.fault == "");
    CHECK(outcome.tiles.repaired == 2);
  }
}

TEST_CASE("eight small elements of 64 steps are few, nine are not") {
  struct Small {
    int64_t first, count;
    bool few;
  };
  // Ranges of k = 297: within a chunk, across two, and in the last one of 41 steps. Elements are less than 2^-13 of the
  // largest.
  constexpr Small kSmall[] = {{0, 8, true},     {0, 9, false},  {119, 9, false}, {120, 16, true},
                              {120, 17, false}, {256, 8, true}, {288, 9, false}, {289, 8, true}};
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
    int turn = 0;
    for (const Small &small : kSmall) {
      for (const bool of_a : {true, false}) {
        Problem p = hard_problem(Hard::kNormal, shape(turn++, 133, 140, 297));
        for (Matrix *x : {&p.a, &p.b}) {
          for (float &value : x->values) value = std::copysign(std::min(1 + std::fabs(value), 1.875f), value);
        }
        // The tile of op(A)'s last row and op(B)'s column 0, or of row 0 and the last column, has too much
        // excess. Zeros count as small.
        const auto at = [&](int64_t l) -> float & { return of_a ? in_a(&p, 132, l) : in_b(&p, l, 139); };
        for (int64_t l = small.first; l < small.first + small.count; ++l) at(l) = l % 3 == 0 ? 0.0f : 0x1.ffp-14f;
        at(small.first + 1) = 0x1p-40f;
        at(small.first + small.count < 297 ? small.first + small.count : 3) = 0x1p-13f;
        solve(&p);
        const Outcome outcome = run(kernel, p, kOnePanel);
        INFO(kernel.name << " " << small.count << " from " << small.first << (of_a ? " of A" : " of B") << ": "
                         << outcome.worst << " bounds");
        CHECK(outcome.fault == "");
        CHECK(outcome.tiles.all == 4);
        CHECK(outcome.tiles.repaired == (small.few ? 0 : 2));
      }
    }
  }
}

TEST_CASE("as many small elements as are allowed, where they do most, keep the bound") {
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
    int turn = 0;
    for (const int64_t k : {272, 319, 1030}) {
      Problem p = hard_problem(Hard::kFewSmall, shape(turn++, 40, 50, k));
      const Outcome outcome = run(kernel, p, 5);
      INFO(kernel.name << " k " << k << ": " << outcome.worst << " bounds");
      CHECK(outcome.fault == "");
      CHECK(outcome.worst < 0.25);
      CHECK(outcome.tiles.repaired == 0);
      in_a(&p, 39, 20) = 0x1.ffp-14f;
      solve(&p);
      CHECK(run(kernel, p, 5).tiles.repaired == 1);
    }
  }
}

TEST_CASE("the excess that is allowed is a quarter of the root of k") {
  for (const int64_t k : {int64_t{64}, int64_t{255}, int64_t{256}, int64_t{4096}, int64_t{16383}, int64_t{1} << 40}) {
    const double most = std::sqrt(static_cast<double>(k)) / 4, is = std::ldexp(1.0, most_excess(k));
    CHECK((is <= most && 2 * is > most));
  }
}

TEST_CASE("parts hold an element to 2^-23 without excess, and to twice that for each power of two of it") {
  // Splits a scaled number as the pass does; returns the relative error.
  const auto lost = [](float x) {
    const float high = float_from_half(half_from_float(x));
    const float low = float_from_half(half_from_float((x - high) * 2048));
    return std::fabs(static_cast<double>(x) - static_cast<double>(high) - static_cast<double>(low) / 2048) /
           std::fabs(static_cast<double>(x));
  };
  Random random(1);
  for (int excess = 0; excess < 8; ++excess) {
    double worst = 0;
    for (int i = 0; i < 100000; ++i) {
      const float x = 1 + std::fabs(random.uniform());
      const int least = 14 - kNarrow - excess;
      if (x < 2) worst = std::max(worst, lost(std::ldexp(x, excess > 0 ? least : random.integer(least, 14))));
    }
    INFO(excess);
    CHECK(worst <= std::ldexp(0x1p-23, excess));
    CHECK(worst > std::ldexp(0.9 * 0x1p-23, excess));
  }
}

// One wide product among others.
TEST_CASE("fp32_fast in batches") {
  for (const Kernel &kernel : kernels_of(LIBSGEMM_MATH_FP32_FAST)) {
    Case test = shape(0, 30, 40, 270);
    test.inputs = Inputs::kRandom;
    std::vector<Problem> problems;
    for (const Hard hard : {Hard::kNormal, Hard::kScaledDepth, Hard::kSpecial})
      problems.push_back(hard_problem(hard, test));
    std::vector<const Problem *> pointers;
    for (const Problem &problem : problems) pointers.push_back(&problem);
    Placement placement(pointers, LIBSGEMM_COL_MAJOR, {270 * 40, 50 * 270, 40 * 50});
    GemmDesc desc = describe_call(Routine::kSgemm, placement.args());
    desc.batch = Batch::strided;
    desc.stride_a = 270 * 40, desc.stride_b = 50 * 270, desc.stride_c = 40 * 50;
    desc.math_mode = kernel.math_mode;
    for (const double share : {1.0, 3.2}) {
      placement.restore();
      Launch launch = {};
      const libsgemm::Plan plan = prepare(kernel, desc, 0);
      launch.config = plan.config;
      launch.workspace_bytes = static_cast<size_t>(share * static_cast<double>(plan.workspace));
      Workspace workspace(launch.workspace_bytes);
      launch.workspace = workspace.data();
      Error error = {};
      REQUIRE(kernel.launch(desc, launch, &error) == LIBSGEMM_SUCCESS);
      CHECK(workspace.intact());
      CHECK(placement.check() == "");
    }
  }
}
