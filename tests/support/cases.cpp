// The table crosses all arguments with small sizes, and draws them for sizes around tiles, extreme shapes (some in all
// orders) and large sizes.
#include "cases.h"

#include <array>
#include <sstream>

#include "numbers.h"

namespace sgemm_test {
namespace {

using Size = std::array<int64_t, 3>;  // m, n, k

const std::vector<libsgemm_op_t> kOps = {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS, LIBSGEMM_CONJ_TRANS};
const std::vector<libsgemm_side_t> kSides = {LIBSGEMM_LEFT, LIBSGEMM_RIGHT};
const std::vector<libsgemm_uplo_t> kUplos = {LIBSGEMM_UPPER, LIBSGEMM_LOWER};
const std::vector<libsgemm_diag_t> kDiags = {LIBSGEMM_NON_UNIT, LIBSGEMM_UNIT};
const std::vector<int64_t> kTiles = {8, 16, 32, 64, 128};

// Paddings differ, except for tight storage, which may have a special path in a kernel.
const std::vector<Padding> kPaddings = {{1, 2, 3}, {3, 1, 2}, {5, 7, 1}, {16, 32, 8}, {2, 13, 4}, {0, 0, 0}};

bool has_three_sizes(Routine routine) { return of_floats(routine) == Routine::kSgemm; }

bool is_triangular(Routine routine) { return routine == Routine::kStrmm || routine == Routine::kStrsm; }

std::vector<Case> options_of(Routine routine) {
  const bool side = has_parameter(routine, "side"), uplo = has_parameter(routine, "uplo");
  const bool transa = has_parameter(routine, "transa") || has_parameter(routine, "trans");
  const bool transb = has_parameter(routine, "transb");
  std::vector<Case> options;
  for (size_t s = 0; s < (side ? kSides.size() : 1); ++s) {
    for (size_t u = 0; u < (uplo ? kUplos.size() : 1); ++u) {
      for (size_t ta = 0; ta < (transa ? kOps.size() : 1); ++ta) {
        for (size_t tb = 0; tb < (transb ? kOps.size() : 1); ++tb) {
          for (size_t d = 0; d < (is_triangular(routine) ? kDiags.size() : 1); ++d) {
            Case option;
            option.routine = routine;
            option.side = kSides[s];
            option.uplo = kUplos[u];
            option.transa = kOps[ta];
            option.transb = kOps[tb];
            option.diag = kDiags[d];
            options.push_back(option);
          }
        }
      }
    }
  }
  return options;
}

// Exact cases take powers of two, since strsm is exact only for them.
std::vector<float> alphas_of(Inputs inputs) {
  return inputs == Inputs::kExact ? std::vector<float>{1, 0, -1, -2, 0.5f} : std::vector<float>{1, 0, -1, 0.7f};
}

std::vector<float> betas_of(Routine routine, Inputs inputs) {
  if (is_triangular(routine)) return {0};
  return inputs == Inputs::kExact ? std::vector<float>{0, 1, -1, 3} : std::vector<float>{0, 1, -1, -1.3f};
}

std::vector<Size> orders_of(int64_t x, int64_t y, int64_t z) {
  return {{x, y, z}, {x, z, y}, {y, x, z}, {y, z, x}, {z, x, y}, {z, y, x}};
}

std::vector<Size> small_sizes(Routine routine) {
  if (!has_three_sizes(routine)) {
    return {{0, 0, 0}, {0, 3, 3}, {3, 0, 0}, {1, 1, 1}, {1, 5, 5},
            {5, 1, 1}, {2, 2, 2}, {3, 7, 7}, {7, 3, 3}, {13, 11, 11}};
  }
  std::vector<Size> sizes = {{0, 0, 0}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1},   {1, 7, 3},
                             {7, 1, 3}, {7, 3, 1}, {2, 2, 2}, {8, 8, 8}, {9, 16, 15}, {11, 13, 17}};
  for (const Size &size : orders_of(3, 5, 7)) sizes.push_back(size);
  return sizes;
}

std::vector<Size> tile_sizes(Routine routine) {
  std::vector<Size> sizes;
  for (const int64_t tile : kTiles) {
    for (int64_t m = tile - 1; m <= tile + 1; ++m) {
      for (int64_t n = tile - 1; n <= tile + 1; ++n) {
        if (!has_three_sizes(routine)) {
          sizes.push_back({m, n, n});
          continue;
        }
        for (int64_t k = tile - 1; k <= tile + 1; ++k) sizes.push_back({m, n, k});
      }
    }
  }
  return sizes;
}

std::vector<Size> extreme_sizes(Routine routine) {
  if (!has_three_sizes(routine)) {
    return {{37, 101, 101}, {101, 37, 37}, {1, 301, 301},  {301, 1, 1},
            {2, 257, 257},  {257, 2, 2},   {33, 130, 130}, {130, 33, 33}};
  }
  std::vector<Size> sizes = {{5, 7, 4099},  {16, 16, 2048}, {1, 1, 5000},  {33, 31, 1025}, {1, 301, 65},
                             {301, 1, 65},  {2, 513, 129},  {513, 2, 129}, {1, 129, 1},    {129, 1, 1},
                             {129, 129, 1}, {3, 1025, 7},   {1025, 3, 7}};
  for (const Size &size : orders_of(37, 67, 101)) sizes.push_back(size);
  for (const Size &size : orders_of(16, 130, 259)) sizes.push_back(size);
  return sizes;
}

// Sizes beyond a CPU's cache blocks, and for several threads.
std::vector<Size> large_sizes(Routine routine) {
  if (!has_three_sizes(routine)) return {{1030, 9, 9}, {9, 1030, 1030}, {300, 270, 270}, {270, 300, 300}};
  return {{300, 520, 70}, {513, 140, 300}, {140, 513, 300}, {130, 130, 1030}, {1030, 40, 260}};
}

// For two sizes, `size` has the second one twice.
void set_size(const Size &size, Case *test) {
  test->m = size[0];
  test->n = size[1];
  test->k = size[2];
  fit_sizes(test);
}

class Table {
 public:
  explicit Table(Routine routine) : routine_(routine), options_(options_of(routine)), random_(2026) {}

  void cross(const std::vector<Size> &sizes) {
    for (const Inputs inputs : {Inputs::kExact, Inputs::kRandom}) {
      for (const Size &size : sizes) {
        for (const Case &option : options_) {
          for (const float alpha : alphas_of(inputs)) {
            for (const float beta : betas_of(routine_, inputs)) add(option, size, inputs, alpha, beta);
          }
        }
      }
    }
  }

  // Draws `count` cases a size, alternately exact and random; alpha is not 0.
  void draw(const std::vector<Size> &sizes, int count) {
    for (const Size &size : sizes) {
      for (int i = 0; i < count; ++i) {
        const Inputs inputs = i % 2 == 0 ? Inputs::kExact : Inputs::kRandom;
        float alpha = pick(alphas_of(inputs));
        if (alpha == 0) alpha = 1;
        add(pick(options_), size, inputs, alpha, pick(betas_of(routine_, inputs)));
      }
    }
  }

  std::vector<Case> take() { return std::move(cases_); }

 private:
  template <typename T>
  T pick(const std::vector<T> &choices) {
    return choices[static_cast<size_t>(random_.integer(0, static_cast<int>(choices.size()) - 1))];
  }

  void add(Case test, const Size &size, Inputs inputs, float alpha, float beta) {
    test.inputs = inputs;
    test.alpha = alpha;
    test.beta = beta;
    test.padding = pick(kPaddings);
    test.offset = random_.integer(0, 3);
    set_size(size, &test);
    cases_.push_back(test);
  }

  Routine routine_;
  std::vector<Case> options_;
  Random random_;
  std::vector<Case> cases_;
};

const char *name(libsgemm_op_t op) { return op == LIBSGEMM_NO_TRANS ? "N" : op == LIBSGEMM_TRANS ? "T" : "C"; }

}  // namespace

void fit_sizes(Case *test) {
  if (writes_triangle(test->routine)) test->n = test->m;
  if (has_parameter(test->routine, "side")) test->k = test->side == LIBSGEMM_LEFT ? test->m : test->n;
}

std::vector<Case> cases_of(Routine routine) {
  Table table(routine);
  table.cross(small_sizes(routine));
  const bool three = has_three_sizes(routine);
  table.draw(tile_sizes(routine), three ? 2 : 6);
  table.draw(extreme_sizes(routine), three ? 4 : 8);
  table.draw(large_sizes(routine), 2);
  return table.take();
}

Case case_of(Routine routine, int64_t m, int64_t n, int64_t k) {
  Case test;
  test.routine = routine;
  test.m = m;
  test.n = n;
  test.k = k;
  return test;
}

std::vector<Case> tries_of(Routine routine) {
  std::vector<Case> tries;
  for (const int64_t size : {5, 16, 64, 128, 256, 320}) tries.push_back(case_of(routine, size, size, size));
  if (has_three_sizes(routine)) {
    for (const int64_t n : {1, 4}) tries.push_back(case_of(routine, 256, n, 256));
    tries.push_back(case_of(routine, 256, 256, 256));
    tries.back().transa = LIBSGEMM_TRANS;
  }
  for (Case &test : tries) test.padding = {0, 0, 0};
  tries.push_back(case_of(routine, 256, 256, 256));
  tries.back().offset = 1;
  return tries;
}

std::string describe(const Case &test) {
  std::ostringstream text;
  text << entry_name(test.routine) << " transa=" << name(test.transa) << " transb=" << name(test.transb)
       << " side=" << (test.side == LIBSGEMM_LEFT ? "L" : "R") << " uplo=" << (test.uplo == LIBSGEMM_UPPER ? "U" : "L")
       << " diag=" << (test.diag == LIBSGEMM_UNIT ? "U" : "N") << " m=" << test.m << " n=" << test.n << " k=" << test.k
       << " alpha=" << test.alpha << " beta=" << test.beta << " padding=" << test.padding.a << "," << test.padding.b
       << "," << test.padding.c << " offset=" << test.offset << (test.inputs == Inputs::kExact ? " exact" : " random");
  return text.str();
}

bool needs_no_backend(const Case &test) { return test.m == 0 || test.n == 0 || test.alpha == 0 || test.k == 0; }

}  // namespace sgemm_test
