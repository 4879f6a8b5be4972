#include <cstring>

#include "gpu/kernels.h"
#include "gpu/splits/split_kernel.h"
#include "routines/hard_operands.h"
#include "simt/fibers/job.h"
#include "support/catch.h"

using namespace sgemm_test;
using libsgemm::Error;
using libsgemm::Launch;

namespace {

GemmDesc operand_of(const GemmDesc &desc, bool of_a) {
  GemmDesc d = desc;
  d.m = of_a ? desc.m : desc.n;
  d.n = 0;
  d.a = of_a ? desc.a : desc.b;
  d.lda = of_a ? desc.lda : desc.ldb;
  if (!of_a) d.transa = desc.transb == LIBSGEMM_NO_TRANS ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
  d.b = nullptr;
  d.c = nullptr;
  return d;
}

// Nothing beyond the plan's memory may be written.
class KeptOperand {
 public:
  KeptOperand(const GemmDesc &desc, bool of_a)
      : operand_(operand_of(desc, of_a)), memory_(libsgemm::gpu::split_plan_bytes(operand_, 0)) {
    Error error = {};
    REQUIRE(libsgemm::gpu::launch_split_plan(operand_, memory_.data(), Launch{}, &error) == LIBSGEMM_SUCCESS);
    CHECK(memory_.intact());
  }
  const void *data() { return memory_.data(); }

 private:
  GemmDesc operand_;
  Workspace memory_;
};

// Runs in `share` times the kernel's workspace and returns the fault.
std::string run(const Kernel &kernel, const GemmDesc &desc, double share, Placement *placement) {
  placement->restore();
  Launch launch = {};
  const libsgemm::Plan plan = prepare(kernel, desc, 0);
  launch.config = plan.config;
  launch.workspace_bytes = static_cast<size_t>(share * static_cast<double>(plan.workspace));
  Workspace workspace(launch.workspace_bytes);
  if (launch.workspace_bytes > 0) launch.workspace = workspace.data();
  Error error = {};
  if (kernel.launch(desc, launch, &error) != LIBSGEMM_SUCCESS) return error.text;
  if (!workspace.intact()) return "wrote beyond its workspace";
  return placement->check({kernel.math_mode, kernel.truncates});
}

std::vector<float> result_of(Placement *placement, const GemmDesc &desc) {
  const float *c = placement->c();
  return {c, c + (desc.n - 1) * desc.ldc + desc.m};
}

bool same_bits(const std::vector<float> &x, const std::vector<float> &y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

void compare(const Kernel &kernel, const Problem &problem, double share) {
  Placement placement(problem, LIBSGEMM_COL_MAJOR);
  GemmDesc desc = describe_call(Routine::kSgemm, placement.args());
  desc.math_mode = kernel.math_mode;
  REQUIRE(can_do(kernel, desc, 0));
  INFO(kernel.name << " " << describe(problem.test) << ", workspace times " << share);
  REQUIRE(run(kernel, desc, share, &placement) == "");
  const std::vector<float> without = result_of(&placement, desc);
  KeptOperand of_a(desc, true), of_b(desc, false);
  for (const int which : {1, 2, 3}) {
    INFO("plans of " << (which == 1 ? "A" : which == 2 ? "B" : "A and B"));
    GemmDesc planned = desc;
    if ((which & 1) != 0) planned.plan_a = of_a.data();
    if ((which & 2) != 0) planned.plan_b = of_b.data();
    CHECK(prepare(kernel, planned, 0).workspace < prepare(kernel, desc, 0).workspace);
    CHECK(run(kernel, planned, share, &placement) == "");
    CHECK(same_bits(result_of(&placement, planned), without));
  }
}

std::vector<Kernel> kernels() {
  std::vector<Kernel> found;
  for (int i = 0; i < libsgemm::gpu::kernel_count(); ++i) {
    const Kernel &kernel = libsgemm::gpu::kernels()[i];
    if (kernel.conv != nullptr) continue;
    const libsgemm_math_mode_t mode = kernel.math_mode;
    if (mode == LIBSGEMM_MATH_BF16X6 || mode == LIBSGEMM_MATH_FP16X3 || mode == LIBSGEMM_MATH_FP32_FAST) {
      found.push_back(kernel);
    }
  }
  return found;
}

Case case_for_plans(int64_t m, int64_t n, int64_t k, int turn) {
  Case test = case_of(Routine::kSgemm, m, n, k);
  if (turn % 2 != 0) test.transa = LIBSGEMM_TRANS;
  if (turn / 2 != 0) test.transb = LIBSGEMM_TRANS;
  test.alpha = 2, test.beta = -1;
  test.offset = turn % 2;
  return test;
}

}  // namespace

TEST_CASE("products with plans have the bits of those without") {
  for (const Kernel &kernel : kernels()) {
    const bool two_parts = kernel.math_mode != LIBSGEMM_MATH_BF16X6;  // each kernel tests two transpositions
    for (const int turn : {two_parts ? 1 : 0, two_parts ? 2 : 3}) {
      const int64_t k = kernel.math_mode == LIBSGEMM_MATH_FP32_FAST ? 256 : 75;  // smaller k needs no splits
      Case test = turn == 3 ? case_for_plans(130, 67, k, turn) : case_for_plans(20, 17, k, turn);
      test.inputs = Inputs::kRandom;
      compare(kernel, make_problem(test), 1);
    }
  }
}

// Otherwise FP64 would compute tiles, with other bits.
TEST_CASE("plans know which rows are dense") {
  for (const Kernel &kernel : kernels()) {
    if (kernel.math_mode != LIBSGEMM_MATH_FP32_FAST) continue;
    compare(kernel, hard_problem(Hard::kTiny, case_for_plans(20, 140, 256, 1)), 1);
    compare(kernel, hard_problem(Hard::kFewSmall, case_for_plans(140, 20, 256, 2)), 1);
  }
}

// Integer sums are exact for any panels of k.
TEST_CASE("products with plans that are cut along k") {
  for (const Kernel &kernel : kernels()) {
    const bool two_parts = kernel.math_mode != LIBSGEMM_MATH_BF16X6;
    compare(kernel, make_problem(case_for_plans(20, 40, 400, two_parts ? 1 : 2)), two_parts ? 1 : 1.7);
  }
}

TEST_CASE("tiles that products with plans leave to FFMA: NaN, Inf, and sums that may overflow") {
  for (const Kernel &kernel : kernels()) {
    for (const bool huge : {false, true}) {
      Case test = case_for_plans(140, 50, 70, 2);
      if (huge) test.inputs = Inputs::kRandom;  // integers are not exact next to huge numbers
      Problem problem = make_problem(test);
      problem.a.at(3, 40) = huge ? 0x1p100f : INFINITY;
      problem.b.at(7, huge ? 40 : 69) = huge ? 0x1p24f : NAN;
      solve(&problem);
      compare(kernel, problem, 1);
    }
  }
}

TEST_CASE("a plan of another mode than the kernel's, which was forced, is left alone") {
  for (const Kernel &kernel : kernels()) {
    const Problem problem = make_problem(case_for_plans(40, 40, 70, 0));
    Placement placement(problem, LIBSGEMM_COL_MAJOR);
    GemmDesc desc = describe_call(Routine::kSgemm, placement.args());
    for (const libsgemm_math_mode_t mode : {LIBSGEMM_MATH_BF16X6, LIBSGEMM_MATH_FP16X3, LIBSGEMM_MATH_FP32_FAST}) {
      if (mode == kernel.math_mode) continue;
      desc.math_mode = mode;
      if (libsgemm::gpu::split_plan_bytes(operand_of(desc, true), 0) == 0) continue;  // the GPU has no such kernels
      KeptOperand of_a(desc, true);
      desc.plan_a = of_a.data();
      INFO(kernel.name);
      CHECK(run(kernel, desc, 1, &placement) == "");
    }
  }
}

TEST_CASE("modes that split nothing keep nothing") {
  const Problem problem = make_problem(case_of(Routine::kSgemm, 40, 40, 40));
  Placement placement(problem, LIBSGEMM_COL_MAJOR);
  GemmDesc operand = operand_of(describe_call(Routine::kSgemm, placement.args()), true);
  CHECK(libsgemm::gpu::split_plan_bytes(operand, 0) == 0);
  for (const libsgemm_math_mode_t mode : kOtherModes) {
    if (!rounds(mode)) continue;
    operand.math_mode = mode;
    CHECK(libsgemm::gpu::split_plan_bytes(operand, 0) == 0);
  }
}
