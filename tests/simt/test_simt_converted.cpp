// Split products that convert A on load have the bits of products whose (unaligned) A a pass splits. Computed in
// blocks of columns, for a small workspace, they have the bits of the whole.
#include <cstring>

#include "gpu/kernels.h"
#include "gpu/splits/split_kernel.h"
#include "routines/hard_operands.h"
#include "simt/fibers/job.h"
#include "simt/fibers/simt.h"
#include "support/catch.h"

using namespace sgemm_test;
using libsgemm::Error;
using libsgemm::Launch;
using libsgemm::gpu::SplitsLayout;

namespace {

std::vector<Kernel> kernels() {
  std::vector<Kernel> found;
  for (int i = 0; i < libsgemm::gpu::kernel_count(); ++i) {
    const Kernel &kernel = libsgemm::gpu::kernels()[i];
    const libsgemm_math_mode_t mode = kernel.math_mode;
    const bool splits = mode == LIBSGEMM_MATH_BF16X6 || mode == LIBSGEMM_MATH_FP16X3 || mode == LIBSGEMM_MATH_FP32_FAST;
    if (splits && kernel.conv == nullptr && std::strncmp(kernel.name, "sm90_wgmma_", 11) == 0) found.push_back(kernel);
  }
  return found;
}

int splits_of(const Kernel &kernel) { return kernel.math_mode == LIBSGEMM_MATH_BF16X6 ? 3 : 2; }

struct Result {
  std::string fault;
  std::vector<float> c;  // unpadded
};

// `products`: size of the batch; 0: a single product. `shares_a`: one A for all.
Result run(const Kernel &kernel, const Problem &problem, size_t workspace_bytes, int products = 0,
           bool shares_a = false) {
  const std::vector<const Problem *> all(static_cast<size_t>(std::max(1, products)), &problem);
  Placement outline(problem, LIBSGEMM_COL_MAJOR);
  const auto stride = [](const Matrix &x, int64_t ld) { return whole_chunks(ld * x.columns + 3); };
  const Args &shape = outline.args();
  const Strides strides = {shares_a ? 0 : stride(problem.a, shape.lda), stride(problem.b, shape.ldb),
                           stride(problem.c, shape.ldc)};
  Placement placement(all, LIBSGEMM_COL_MAJOR, strides);
  GemmDesc desc = describe_call(Routine::kSgemm, placement.args());
  desc.math_mode = kernel.math_mode;
  if (products > 0) {
    desc.batch = Batch::strided;
    desc.stride_a = strides.a, desc.stride_b = strides.b, desc.stride_c = strides.c;
  }
  const libsgemm::Plan plan = prepare(kernel, desc, 0, workspace_bytes);
  REQUIRE(plan.kernel != nullptr);
  Launch launch = {};
  launch.config = plan.config;
  launch.workspace_bytes = workspace_bytes;
  Workspace workspace(workspace_bytes);
  launch.workspace = workspace.data();
  Error error = {};
  Result result;
  if (kernel.launch(desc, launch, &error) != LIBSGEMM_SUCCESS) {
    result.fault = error.text;
    return result;
  }
  result.fault =
      workspace.intact() ? placement.check({kernel.math_mode, kernel.truncates}) : "wrote beyond its workspace";
  for (int64_t i = 0; i < std::max(1, products); ++i) {
    for (int64_t j = 0; j < desc.n; ++j) {
      const float *column = placement.c() + i * strides.c + j * desc.ldc;
      result.c.insert(result.c.end(), column, column + desc.m);
    }
  }
  return result;
}

bool same_bits(const std::vector<float> &x, const std::vector<float> &y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

Case aligned_case(int64_t m, int64_t n, int64_t k, int turn) {
  Case test = case_of(Routine::kSgemm, m, n, k);
  if (turn % 2 != 0) test.transa = LIBSGEMM_TRANS;
  if (turn / 2 % 2 != 0) test.transb = LIBSGEMM_TRANS;
  test.alpha = turn == 0 ? 1.0f : 1.5f, test.beta = turn == 0 ? 0.0f : -1.0f;
  const GemmDesc desc = outline(test, Form::kSingle, 1);
  test.padding.a += static_cast<int>(whole_chunks(desc.lda) - desc.lda);
  test.padding.b += static_cast<int>(whole_chunks(desc.ldb) - desc.ldb);
  test.padding.c += static_cast<int>(whole_chunks(desc.ldc) - desc.ldc);
  return test;
}

size_t plenty(const Problem &p) {
  const size_t rows = static_cast<size_t>(p.a.rows + p.a.columns + p.b.rows + p.b.columns + 512);
  return 4 * rows * (rows * 6 + 4096);
}

SplitsLayout layout_of(const Kernel &kernel, const Case &test, int resident, size_t bytes) {
  const bool ranges = kernel.math_mode == LIBSGEMM_MATH_FP32_FAST;
  return libsgemm::gpu::splits_layout(outline(test, Form::kSingle, 1),
                                      {splits_of(kernel), 2, true, true, true, ranges, 256, 256, resident}, bytes);
}

}  // namespace

TEST_CASE("A converted on its way has the bits of A that a pass has split") {
  for (const Kernel &kernel : kernels()) {
    const Hard hard[] = {Hard::kNormal, Hard::kScaledRows, Hard::kDenormal, Hard::kOneWideRow, Hard::kSpecial};
    int turn = 0;
    for (const Hard each : hard) {
      for (const int64_t k : {257, 356}) {
        Problem problem = hard_problem(each, aligned_case(turn == 3 ? 400 : 137, turn == 2 ? 300 : 20, k, turn % 4));
        simt::schedule().seed = static_cast<uint64_t>(++turn);
        INFO(kernel.name << " " << describe(problem.test) << ", " << name_of(each));
        const Result converted = run(kernel, problem, plenty(problem));
        CHECK((each == Hard::kOneWideRow || each == Hard::kDenormal || converted.fault == ""));
        ++problem.test.padding.a;
        CHECK(same_bits(run(kernel, problem, plenty(problem)).c, converted.c));
        problem.test.offset = 1, --problem.test.padding.a;
        CHECK(same_bits(run(kernel, problem, plenty(problem)).c, converted.c));
      }
    }
  }
}

TEST_CASE("batches convert each product's A, or the one that they share") {
  for (const Kernel &kernel : kernels()) {
    for (const int turn : {0, 1}) {
      const Problem problem = hard_problem(Hard::kNormal, aligned_case(140, 30, 270, turn));
      const Result single = run(kernel, problem, plenty(problem));
      for (const bool shares_a : {false, true}) {
        const Result batch = run(kernel, problem, 3 * plenty(problem), 3, shares_a);
        CHECK(batch.fault == "");
        for (size_t i = 0; i < 3; ++i) {
          const auto first = batch.c.begin() + static_cast<std::ptrdiff_t>(i * single.c.size());
          CHECK(same_bits({first, first + static_cast<std::ptrdiff_t>(single.c.size())}, single.c));
        }
      }
    }
  }
}

TEST_CASE("a small workspace leaves blocks of columns, with the bits of the whole") {
  for (const Kernel &kernel : kernels()) {
    int turn = 0;
    for (const Hard hard : {Hard::kNormal, Hard::kSpecial, Hard::kOneWideRow, Hard::kScaledRows}) {
      for (const int64_t n : {500, 790}) {
        const Case test = aligned_case(150, n, 330, turn++ % 4);
        const Problem problem = hard_problem(hard, test);
        const Result whole = run(kernel, problem, plenty(problem));
        INFO(kernel.name << " " << describe(test) << ", " << name_of(hard));
        CHECK((hard == Hard::kOneWideRow || whole.fault == ""));
        const size_t least = prepare(kernel, outline(test, Form::kSingle, 1), 0).workspace;
        const SplitsLayout l = layout_of(kernel, test, 1000, least);
        CHECK((l.panels == 1 && l.columns == (n == 500 ? 256 : 512)));
        CHECK(same_bits(run(kernel, problem, least).c, whole.c));
      }
    }
  }
}

TEST_CASE("a workspace that holds no block of columns leaves panels of k") {
  for (const Kernel &kernel : kernels()) {
    for (const int turn : {0, 1}) {
      const Problem problem = hard_problem(Hard::kScaledRows, aligned_case(150, 40, 700, turn));
      CHECK(run(kernel, problem, prepare(kernel, outline(problem.test, Form::kSingle, 1), 0).workspace).fault == "");
    }
  }
}

TEST_CASE("of A that is converted the workspace holds words only") {
  for (const Kernel &kernel : kernels()) {
    const Case test = aligned_case(4096, 256, 256, 0);
    const GemmDesc aligned = outline(test, Form::kSingle, 1);
    GemmDesc other = aligned;
    ++other.lda;
    const size_t planes = size_t{4096} * 256 * 2 * static_cast<size_t>(splits_of(kernel));
    CHECK(prepare(kernel, other, 0).workspace == prepare(kernel, aligned, 0).workspace + planes);
    CHECK(prepare(kernel, other, 0).seconds > prepare(kernel, aligned, 0).seconds);
  }
}

TEST_CASE("blocks of columns are chosen so that few multiprocessors are idle") {
  constexpr int kResident = 66;  // clusters on an H100
  for (const Kernel &kernel : kernels()) {
    for (const int64_t n : {4096, 8192}) {
      const Case test = case_of(Routine::kSgemm, n, n, n);
      const SplitsLayout l = layout_of(kernel, test, kResident, LIBSGEMM_WORKSPACE_DEFAULT_BYTES);
      CHECK(l.panels == 1);
      CHECK(l.bytes() <= LIBSGEMM_WORKSPACE_DEFAULT_BYTES);
      CHECK(l.columns % 256 == 0);
      const auto turns = [&](int64_t columns) {
        return ((columns + 255) / 256 * ((n + 255) / 256) + kResident - 1) / kResident;
      };
      int64_t all = 0;
      for (int64_t first = 0; first < n; first += l.columns) all += turns(std::min(l.columns, n - first));
      INFO(n << ": " << l.columns << " columns at a time, " << all << " turns of " << turns(n));
      CHECK(all == turns(n));
    }
    // Blocks of columns would have too few tiles.
    const Case flat = case_of(Routine::kSgemm, 256, 60000, 8192);
    CHECK(layout_of(kernel, flat, kResident, LIBSGEMM_WORKSPACE_DEFAULT_BYTES).panels > 1);
  }
}
