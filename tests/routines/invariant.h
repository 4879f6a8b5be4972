#pragma once

#include <array>

#include "support/catch.h"
#include "support/check.h"
#include "support/subject.h"

namespace sgemm_test {

class InvariantHandle : public Handle {
 public:
  const libsgemm_math_mode_t mode;

  explicit InvariantHandle(libsgemm_math_mode_t mode, const std::string &backend = subject().backend) : mode(mode) {
    REQUIRE(libsgemm_set_backend(*this, backend.c_str()) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_deterministic(*this, LIBSGEMM_DETERMINISTIC_INVARIANT) == LIBSGEMM_SUCCESS);
    REQUIRE(libsgemm_set_math_mode(*this, mode) == LIBSGEMM_SUCCESS);
  }
};

// Repeats the test case for each mode that defines an order of sums.
inline libsgemm_math_mode_t each_chain_mode() { return GENERATE(LIBSGEMM_MATH_FP32, LIBSGEMM_MATH_FP64); }

constexpr Arithmetic chain_of(libsgemm_math_mode_t mode) { return {mode, false, true}; }

// The kernel may run in invariant calls of `mode`.
inline bool is_marked(const std::string &kernel, libsgemm_math_mode_t mode) {
  for (int index = 0; index < libsgemm_backend_count(); ++index) {
    if (libsgemm_backend_name(index) != subject().backend) continue;
    const char *name = nullptr;
    for (int row = 0; (name = libsgemm_kernel_name(index, row)) != nullptr; ++row) {
      libsgemm_kernel_info_t info;
      if (kernel != name || libsgemm_kernel_describe(index, row, &info) != LIBSGEMM_SUCCESS) continue;
      return info.invariant != 0 && std::string(info.math_mode) == name_of(mode);
    }
  }
  FAIL("no kernel is called " << kernel);
  return false;
}

// Random numbers show a sum's order in its bits. Sizes include several and incomplete blocks of k, tiles and vectors,
// in mode FP64 several chains.
inline std::vector<Case> invariant_cases(Routine routine, libsgemm_math_mode_t mode, size_t step) {
  std::vector<Case> cases;
  const std::vector<Case> table = cases_of(routine);
  for (size_t i = 0; i < table.size(); i += step) cases.push_back(table[i]);
  std::vector<std::array<int64_t, 3>> sizes = {
      {130, 100, 1000}, {257, 33, 513}, {16, 200, 700}, {1, 300, 290}, {300, 1, 290}};
  if (mode == LIBSGEMM_MATH_FP64) {
    const bool one_sided = routine == Routine::kSsymm || is_in_place(routine);  // k is m or n
    sizes = {{70, 50, 1000}, {1, 300, 290}};
    sizes.push_back(one_sided ? std::array<int64_t, 3>{5, 2100, 5} : std::array<int64_t, 3>{40, 30, 4097});
  }
  for (const auto &size : sizes) {
    for (int way = 0; way < 4; ++way) {
      Case test = case_of(routine, size[0], size[1], size[2]);
      test.transa = way % 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.transb = way / 2 != 0 ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
      test.side = way % 2 != 0 ? LIBSGEMM_RIGHT : LIBSGEMM_LEFT;
      test.uplo = way / 2 != 0 ? LIBSGEMM_LOWER : LIBSGEMM_UPPER;
      test.alpha = way == 0 ? 1.0f : -0.3f;
      const bool has_beta = routine != Routine::kStrmm && routine != Routine::kStrsm;
      test.beta = has_beta && way != 0 ? 0.7f : 0.0f;
      cases.push_back(test);
    }
  }
  for (Case &test : cases) test.inputs = Inputs::kRandom;
  return cases;
}

inline void fill_with_extremes(Matrix *x) {
  const float values[] = {1e-30f, -1e-30f, 0x1p-149f, -0x1p-140f, 0.0f,    -0.0f,      1.5f,
                          -0.1f,  3e-20f,  -3e-20f,   7e18f,      -2e-38f, 0x1.8p-126f};
  uint64_t at = 0;
  for (float &value : x->values) {
    at = at * 6364136223846793005u + 1442695040888963407u;
    value = values[(at >> 33) % std::size(values)];
  }
}

}  // namespace sgemm_test
