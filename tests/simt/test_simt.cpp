// Runs every kernel of a GPU backend in the CPU emulation, in all its routines and kinds of calls; also scale().
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "contract/half.h"
#include "draw.h"
#include "gpu/kernels.h"
#include "simt/fibers/job.h"
#include "simt/fibers/simt.h"
#include "support/catch.h"

using namespace sgemm_test;

namespace {

#ifndef LIBSGEMM_SIMT_PART
#define LIBSGEMM_SIMT_PART 1
#endif
constexpr int kPart = LIBSGEMM_SIMT_PART;                     // one case in kPart
constexpr int kSmall = 30 / kPart, kAroundTile = 60 / kPart;  // cases of a routine in each form
constexpr int kFewest = 12 / kPart;                           // least number around the tile, at any cost
constexpr int64_t kWork = 60000000 / kPart;                   // most multiplications of these cases
constexpr int kTries = 500;                                   // draws until a case is supported
constexpr int kMany = 160;  // products in a batch: more pointers than kernel parameters hold

// SIMT_TABLE=N: single products are every N-th case of the table, instead of small drawn ones.
size_t table_step() {
  const char *value = std::getenv("SIMT_TABLE");
  return value != nullptr ? std::strtoul(value, nullptr, 10) : 0;
}

class Tester {
 public:
  explicit Tester(const Kernel &kernel) : kernel_(kernel) {}

  // `workspace`: factor of the requested size.
  void run(const Case &test, Form form, int count, double workspace = 1) {
    ++turn_;
    simt::schedule().seed = static_cast<uint64_t>(turn_);
    simt::schedule().start_together = turn_ % 2 == 0;
    const bool specials = turn_ % 4 == 1, shared_a = form == Form::kStrided && turn_ % 3 == 0;
    bool runs = false;
    Job job(test, form, specials, count, shared_a);
    std::string fault = run_job(kernel_, &job, &runs, workspace);
    if (kernel_.invariant && fault.empty() && turn_ % 3 != 0) {
      Case random = test;
      random.inputs = Inputs::kRandom;
      Job chains(random, form, specials, count);
      fault = run_chains(&chains, workspace);
    }
    ran_ += runs ? 1 : 0;
    ran_of_form_ += runs ? 1 : 0;
    report(fault, test, form, turn_ % 4 == 1 ? " with NaN and Inf" : "");
  }

  // Sums of several chains in FP64, the last of them short or whole.
  void run_deep_chains(Routine routine) {
    if (!kernel_.invariant || kernel_.math_mode != LIBSGEMM_MATH_FP64) return;
    for (const int64_t depth : {2100, 4096}) {
      for (const libsgemm_op_t op : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
        Case test;
        test.routine = routine;
        test.transa = op;
        test.side = op == LIBSGEMM_TRANS ? LIBSGEMM_RIGHT : LIBSGEMM_LEFT;
        test.uplo = depth == 4096 ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
        const bool one_sided = is_in_place(routine) || routine == Routine::kSsymm;
        if (one_sided && depth == 4096) continue;
        const bool left = test.side == LIBSGEMM_LEFT;
        set_size(one_sided && left ? depth : 9, one_sided && !left ? depth : 5, depth, &test);
        test.inputs = Inputs::kRandom;
        test.alpha = 0.7f;
        test.beta = is_in_place(routine) ? 0.0f : -1.3f;
        Job chains(test, Form::kSingle, false, 1);
        report(run_chains(&chains, 1), test, Form::kSingle, "");
      }
    }
  }

  void run_all(Routine routine, Form form) {
    claimed_ = can_do(kernel_, outline(whole_tile(routine), form, form == Form::kSingle ? 1 : 3), 0);
    ran_of_form_ = 0;
    draw_all(routine, form);
    INFO(describe(whole_tile(routine)) << name(form));
    if (claimed_) CHECK(ran_of_form_ > 0);
  }

  // Cuts of k and of a batch may depend on the workspace.
  void run_workspaces(Routine routine) {
    const Tile tile(kernel_.name);
    for (const double workspace : {1.0, 1.6, 8.0}) {
      for (const Form form : {Form::kSingle, Form::kStrided}) {
        const int count = form == Form::kSingle ? 1 : 3;
        for (int turn = 0; turn < std::max(1, 4 / kPart); ++turn) {
          Case test;
          test.routine = routine;
          set_size(tile.m + 3, tile.n / 2 + 1, 600, &test);
          if (turn % 2 != 0) test.transa = LIBSGEMM_TRANS;
          if (turn / 2 != 0) test.transb = LIBSGEMM_TRANS;
          test.alpha = 2, test.beta = -1;
          test.offset = turn % 2;
          if (prepare(kernel_, outline(test, form, count), 0).workspace > 0) run(test, form, count, workspace);
        }
      }
    }
  }

  // Kernels that copy 16-bit operands: lines of all lengths that the copy distinguishes start at all places within 16
  // bytes.
  void run_lines(Routine routine) {
    if (!copies(routine)) return;
    int turn = 0;
    for (const int64_t length : {1, 2, 5, 7, 8, 9, 18, 31, 63, 64, 65, 257, 511, 513, 1100}) {
      for (int offset = 0; offset < 8; offset += length < 1000 ? 1 : 5, ++turn) {
        const int which = turn % 3;
        Case test;
        test.routine = routine;
        set_size(which == 0 ? length : 11, which == 1 ? length : 6, which == 2 ? length : 5, &test);
        test.transa = turn / 3 % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        test.transb = turn / 6 % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
        test.alpha = 2, test.beta = turn % 2 == 0 ? 0.0f : -1.0f;
        test.padding = {turn % 5, turn % 7, 1};
        test.offset = offset;
        const Form form = turn % 5 < 2 ? Form::kStrided : Form::kSingle;
        run(test, form, form == Form::kSingle ? 1 : 4, turn % 4 == 3 ? 3.0 : 1.0);
      }
    }
  }

  // The kernels of run_lines() with one operand much larger: the workspace holds the small one and a third or two
  // thirds of the large one. Then k is so large that the workspace holds a panel of both.
  void run_slabs(Routine routine) {
    if (!copies(routine)) return;
    constexpr int64_t kLarge = 1300, kSmall = 20;
    for (int turn = 0; turn < 16; ++turn) {
      const bool large_a = turn % 2 == 0;
      Case test;
      test.routine = routine;
      set_size(large_a ? kLarge : kSmall, large_a ? kSmall : kLarge, 70, &test);
      test.transa = turn / 2 % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.transb = turn / 4 % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.alpha = 2, test.beta = -1;
      test.padding = {1, 1, 1};
      test.offset = 1;
      // The small operand stays in place.
      if (turn % 5 == 4) {
        const GemmDesc desc = outline(test, Form::kSingle, 1);
        int &padding = large_a ? test.padding.b : test.padding.a;
        const int64_t ld = large_a ? desc.ldb : desc.lda;
        padding += static_cast<int>(whole_chunks(ld) - ld);
        test.offset = 0;
      }
      const Form form = turn % 3 == 0 ? Form::kStrided : Form::kSingle;
      run(test, form, form == Form::kSingle ? 1 : 2, turn / 8 == 0 ? 1.0 : 2.0);
    }
    for (const Form form : {Form::kSingle, Form::kStrided}) {
      Case test;
      test.routine = routine;
      set_size(520, 6, 1400, &test);
      test.alpha = 2, test.beta = -1;
      test.offset = 1;
      run(test, form, form == Form::kSingle ? 1 : 2);
    }
  }

  // Kernels with persistent blocks: more tiles than multiprocessors, so that pairs of blocks share operands. TMA can
  // access the operands and C.
  void run_walks(Routine routine) {
    if (std::strstr(kernel_.name, "wgmma") == nullptr) return;
    const Tile tile(kernel_.name);
    for (int turn = 0; turn < 6; ++turn) {
      const Form form = turn < 4 ? Form::kSingle : Form::kStrided;
      Case test;
      test.routine = routine;
      set_size(2 * tile.m + 24, (turn < 4 ? 2 : 1) * tile.n + 8, tile.k + 8, &test);
      if (turn % 2 != 0) std::swap(test.m, test.n);
      test.transa = (turn & 1) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.transb = (turn & 2) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.alpha = 2;
      test.padding = {8, 16, 8};
      test.beta = turn == 3 ? -1.0f : 0.0f;
      if (can_do(kernel_, outline(test, form, 3), 0)) run(test, form, form == Form::kSingle ? 1 : 3);
    }
  }

  // Kernels for vectors only, which few drawn cases suit: multiples of four around the tile.
  void run_vectors(Routine routine) {
    if (std::strstr(kernel_.name, "wgmma") != nullptr) return;
    Case test = whole_tile(routine);
    if (!can_do(kernel_, outline(test, Form::kSingle, 1), 0)) return;
    test.padding = {1, 1, 1};
    if (can_do(kernel_, outline(test, Form::kSingle, 1), 0)) return;
    const Tile tile(kernel_.name);
    const int64_t depths[] = {1, 4, tile.k, tile.k + 4, 2 * tile.k - 4, 3 * tile.k, 5 * tile.k + 4};
    for (int turn = 0; turn < 24; ++turn) {
      const int64_t m[] = {tile.m + 4, tile.m, 2 * tile.m + 4, 4}, n[] = {tile.n - 4, tile.n + 4, 8};
      set_size(m[turn % 4], n[turn % 3], depths[turn % 7], &test);
      test.transa = turn / 4 % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.transb = turn / 8 % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.uplo = turn / 12 != 0 ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
      test.alpha = 2;
      test.beta = static_cast<float>(turn / 3 % 3 - 1);
      test.padding = {4 * (turn / 2 % 2), 4 * (turn / 4 % 3), turn % 5};
      const Form form = turn % 5 == 4 ? Form::kStrided : Form::kSingle;
      const int count = form == Form::kSingle ? 1 : 3;
      if (can_do(kernel_, outline(test, form, count), 0)) run(test, form, count);
    }
  }

  // Strided batches beyond one tile of a triangle; the other side is short.
  void run_triangles(Routine routine) {
    constexpr int64_t kShort = 5;
    const int64_t order = Tile(kernel_.name).m + 44;
    constexpr int kStep = kPart > 3 ? 5 : 1;  // a quarter of the turns has each setting both ways
    for (int turn = 0; turn < 16; turn += kStep) {
      Case test;
      test.routine = routine;
      test.side = (turn & 1) != 0 ? LIBSGEMM_RIGHT : LIBSGEMM_LEFT;
      test.uplo = (turn & 2) != 0 ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
      test.transa = (turn & 4) != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.diag = (turn & 8) != 0 ? LIBSGEMM_UNIT : LIBSGEMM_NON_UNIT;
      const bool left = test.side == LIBSGEMM_LEFT || !is_in_place(routine);
      set_size(left ? order : kShort, left ? kShort : order, kShort, &test);
      test.alpha = 2;
      test.beta = is_in_place(routine) ? 0.0f : -1.0f;
      if (can_do(kernel_, outline(test, Form::kStrided, 3), 0)) run(test, Form::kStrided, 3);
    }
  }

  int ran() const { return ran_; }
  int failed() const { return failed_; }
  int chains() const { return chains_; }

 private:
  std::string run_chains(Job *job, double workspace) {
    job->ask_for_chains(kernel_.math_mode);
    bool ran = false;
    const std::string fault = run_job(kernel_, job, &ran, workspace);
    chains_ += ran ? 1 : 0;
    return fault;
  }

  void report(const std::string &fault, const Case &test, Form form, const char *with) {
    if (!fault.empty() && ++failed_ <= 10) FAIL_CHECK(describe(test) << name(form) << with << ": " << fault);
  }

  bool copies(Routine routine) const {
    return std::strstr(kernel_.name, "_packed") != nullptr && element_of(routine) != Element::kFloat;
  }

  Case whole_tile(Routine routine) const {
    const Tile tile(kernel_.name);
    Case test;
    test.routine = routine;
    set_size(tile.m, tile.n, tile.k, &test);
    test.padding = {};
    return test;
  }

  void draw_all(Routine routine, Form form) {
    Draw draw(Tile(kernel_.name), routine);
    const int share = form == Form::kSingle ? 1 : 3;
    const int count = form == Form::kSingle ? 1 : 3;
    Case test;
    const size_t step = form == Form::kSingle ? table_step() : 0;
    for (size_t i = 0; step > 0 && i < draw.table().size(); i += step) {
      if (can_do(kernel_, outline(draw.table()[i], form, count), 0)) run(draw.table()[i], form, count);
    }
    for (int i = 0; step == 0 && i < kSmall / share; ++i) {
      if (!find(
              form, count, [&] { return draw.small(); }, &test))
        break;
      run(test, form, count);
    }
    int64_t work = 0;
    for (int i = 0; i < kAroundTile / share && (i < kFewest / share || work < kWork / share); ++i) {
      if (!find(
              form, count, [&] { return draw.around_tile(); }, &test))
        break;
      work += test.m * test.n * test.k * count;
      run(test, form, count);
    }
    // Only this form has pointers in kernel parameters.
    if (form == Form::kHostArrays && find(
                                         form, kMany, [&] { return draw.small(); }, &test))
      run(test, form, kMany);
  }

  template <typename DrawOne>
  bool find(Form form, int count, const DrawOne &draw, Case *test) {
    for (int i = 0; i < kTries; ++i) {
      *test = draw();
      if (!can_do(kernel_, outline(*test, form, count), 0)) continue;
      claimed_ = true;
      return true;
    }
    return false;
  }

  Kernel kernel_;
  int turn_ = 0, ran_ = 0, failed_ = 0, ran_of_form_ = 0, chains_ = 0;
  bool claimed_ = false;  // the kernel supports the form, as far as requested
};

// Triangular systems of small integers whose inverse exceeds double, exact by substitution. A NaN on the right-hand
// side must not reach earlier solutions.
std::string solve_steep(const Kernel &kernel, libsgemm_side_t side, libsgemm_uplo_t uplo, bool with_nan) {
  constexpr int64_t kOrder = 40, kCount = 3, kAt = 21;
  const bool left = side == LIBSGEMM_LEFT, lower = uplo == LIBSGEMM_LOWER;
  const int64_t m = left ? kOrder : kCount, n = left ? kCount : kOrder;
  std::vector<float> t(kOrder * kOrder, NAN), x(kOrder * kCount), b(kOrder * kCount, 0.0f);
  for (int64_t i = 0; i < kOrder; ++i) {
    for (int64_t j = 0; j < kOrder; ++j) {
      if (i == j || (i > j) == lower) t[static_cast<size_t>(i + j * kOrder)] = i == j ? 1.0f : 1000.0f;
    }
  }
  const auto at = [&](int64_t element, int64_t system) {
    return static_cast<size_t>(left ? element + system * m : system + element * m);
  };
  for (int64_t system = 0; system < kCount; ++system) {
    for (int64_t i = 0; i < kOrder; ++i) x[at(i, system)] = static_cast<float>((7 * i + 3 * system) % 9 - 4);
    for (int64_t i = 0; i < kOrder; ++i) {
      for (int64_t l = 0; l < kOrder; ++l) {
        const float factor = t[static_cast<size_t>(left ? i + l * kOrder : l + i * kOrder)];
        if (!std::isnan(factor)) b[at(i, system)] += factor * x[at(l, system)];
      }
    }
  }
  if (with_nan) b[at(kAt, 1)] = NAN;
  GemmDesc d = {};
  d.routine = libsgemm::Routine::trsm;
  d.transa = d.transb = LIBSGEMM_NO_TRANS;
  d.side = side, d.uplo = uplo, d.diag = LIBSGEMM_NON_UNIT;
  d.m = m, d.n = n, d.k = kOrder;
  d.alpha = d.beta = 1;
  d.a = t.data(), d.c = b.data();
  d.lda = kOrder, d.ldb = d.ldc = m;
  d.batch_count = 1;
  libsgemm::Error error = {};
  if (kernel.launch(d, {}, &error) != LIBSGEMM_SUCCESS) return error.text;
  for (int64_t system = 0; system < kCount; ++system) {
    for (int64_t i = 0; i < kOrder; ++i) {
      const bool reached = with_nan && system == 1 && (lower == left ? i >= kAt : i <= kAt);
      const float is = b[at(i, system)], expected = x[at(i, system)];
      if (reached ? std::isnan(is) : is == expected) continue;
      return "element " + std::to_string(i) + " of solution " + std::to_string(system) + " is " + std::to_string(is) +
             ", expected " + (reached ? "NaN" : std::to_string(expected));
    }
  }
  return "";
}

constexpr char kNotForThis[] = "is not for this";

// Multiplies by 1 numbers that TF32 rounds: ties and neighbours, numbers that round to a power of two, denormal ones,
// the largest. Returns the first that is not exact to the last place, or kNotForThis.
std::string round_all(const Kernel &kernel, libsgemm_op_t transa) {
  std::vector<float> numbers = {INFINITY, -INFINITY, libsgemm::float_from_bits(0x7f800001),
                                libsgemm::float_from_bits(0x7fffffff)};
  for (const uint32_t exponent : {0u, 1u, 2u, 100u, 127u, 253u, 254u}) {
    for (const uint32_t mantissa :
         {0x000000u, 0x000001u, 0x000fffu, 0x001000u, 0x001001u, 0x002fffu, 0x003000u, 0x003001u, 0x123456u, 0x7fe000u,
          0x7fefffu, 0x7ff000u, 0x7ff001u, 0x7ff801u, 0x7ffffeu, 0x7fffffu}) {
      for (const uint32_t sign : {0u, 1u}) {
        numbers.push_back(libsgemm::float_from_bits(sign << 31 | exponent << 23 | mantissa));
      }
    }
  }
  numbers.resize((numbers.size() + 3) / 4 * 4);
  constexpr int64_t kDepth = 4, kColumns = 4;
  const auto m = static_cast<int64_t>(numbers.size());
  const bool along_k = transa == LIBSGEMM_TRANS;
  std::vector<float> a(numbers.size() * kDepth), b(kDepth * kColumns), c(numbers.size() * kColumns);
  for (size_t i = 0; i < numbers.size(); ++i) a[along_k ? i * kDepth : i] = numbers[i];
  for (int64_t j = 0; j < kColumns; ++j) b[static_cast<size_t>(j * kDepth)] = 1;
  GemmDesc d = {};
  d.transa = transa, d.transb = LIBSGEMM_NO_TRANS;
  d.m = m, d.n = kColumns, d.k = kDepth;
  d.alpha = 1;
  d.a = a.data(), d.b = b.data(), d.c = c.data();
  d.lda = along_k ? kDepth : m, d.ldb = kDepth, d.ldc = m;
  d.batch_count = 1;
  const libsgemm::Plan plan = prepare(kernel, d, 0);
  if (plan.kernel == nullptr) return kNotForThis;
  Workspace workspace(plan.workspace);
  libsgemm::Launch launch = {};
  launch.workspace = workspace.data();
  launch.workspace_bytes = plan.workspace;
  launch.config = plan.config;
  libsgemm::Error error = {};
  if (kernel.launch(d, launch, &error) != LIBSGEMM_SUCCESS) return error.text;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const float wanted = libsgemm::round_to_tf32(numbers[i]);
    if (c[i] == wanted || (std::isnan(c[i]) && std::isnan(wanted))) continue;
    char text[100];
    std::snprintf(text, sizeof text, "%a becomes %a and not %a", numbers[i], c[i], wanted);
    return text;
  }
  return "";
}

void test_kernel(const Kernel &kernel) {
  DYNAMIC_SECTION(kernel.name) {
    Tester tester(kernel);
    for (const Routine routine : kSingleRoutines) {
      for (const Form form : kForms) tester.run_all(routine, form);
      if (routine_of(routine) == libsgemm::Routine::gemm) {
        tester.run_workspaces(routine);
        tester.run_lines(routine);
        tester.run_slabs(routine);
        tester.run_walks(routine);
      }
      tester.run_vectors(routine);
      tester.run_deep_chains(routine);
      if (is_in_place(routine) || of_floats(routine) == Routine::kSsyrk) tester.run_triangles(routine);
    }
    CHECK(tester.failed() == 0);
    CHECK(tester.ran() > 20 / kPart);
    CHECK((tester.chains() > 3) == kernel.invariant);
    if (kernel.math_mode == LIBSGEMM_MATH_TF32) {
      int forms = 0;
      for (const libsgemm_op_t op : {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS}) {
        const std::string found = round_all(kernel, op);
        if (found == kNotForThis) continue;
        ++forms;
        CHECK(found == "");
      }
      CHECK(forms > 0);
    }
    Case solve;
    solve.routine = Routine::kStrsm;
    set_size(40, 3, 40, &solve);
    if (!can_do(kernel, outline(solve, Form::kSingle, 1), 0)) return;
    for (const libsgemm_side_t side : {LIBSGEMM_LEFT, LIBSGEMM_RIGHT}) {
      for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
        for (const bool with_nan : {false, true}) CHECK(solve_steep(kernel, side, uplo, with_nan) == "");
      }
    }
  }
}

}  // namespace

TEST_CASE("a kernel gives the right results on the CPU", "[kernel]") {
  for (const CodeKernels &code : kernels_by_code(false)) {
    DYNAMIC_SECTION(code.code) {
      for (const Kernel &kernel : code.kernels) test_kernel(kernel);
    }
  }
}

TEST_CASE("scale multiplies what a routine writes, and nothing else") {
  for (const Routine routine : kSingleRoutines) {
    for (const Form form : kForms) {
      for (const float beta : {0.0f, 3.0f}) {
        for (const libsgemm_uplo_t uplo : {LIBSGEMM_UPPER, LIBSGEMM_LOWER}) {
          const bool product = routine != Routine::kStrmm && routine != Routine::kStrsm;
          Case test;
          test.routine = routine;
          test.uplo = uplo;
          set_size(70, 131, 0, &test);
          test.alpha = 0;
          test.beta = product ? beta : 0;
          Job job(test, form, false, form == Form::kSingle ? 1 : 3);
          GemmDesc desc = job.desc();
          libsgemm::Launch launch = {};
          launch.arrays_on_device = job.arrays_on_device();
          libsgemm::Error error = {};
          INFO(describe(test) << name(form));
          CHECK(libsgemm::gpu::scale(desc, launch, &error) == LIBSGEMM_SUCCESS);
          CHECK(std::string(error.text) == "");
          CHECK(job.check() == "");
        }
      }
    }
  }
}
