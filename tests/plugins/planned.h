// Products with plans, for the mock GPU.
#pragma once

#include <string>
#include <vector>

#include "products.h"

namespace mock_test {

constexpr int64_t kM = 5, kN = 7, kK = 6;
constexpr libsgemm_layout_t kLayouts[] = {LIBSGEMM_COL_MAJOR, LIBSGEMM_ROW_MAJOR};
constexpr libsgemm_op_t kOps[] = {LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS};

// op(it) is rows x cols, in host or mock GPU memory, with gaps between columns (rows).
class Operand {
 public:
  Operand(libsgemm_layout_t layout, libsgemm_op_t trans, int64_t rows, int64_t cols, int device)
      : along_rows_((layout == LIBSGEMM_ROW_MAJOR) == (trans == LIBSGEMM_NO_TRANS)),
        rows_(rows),
        cols_(cols),
        ld((along_rows_ ? cols : rows) + 2),
        values_(static_cast<size_t>(ld * (along_rows_ ? rows : cols))),
        device_(device) {
    if (device_ >= 0) memory_ = gpu().allocate(device_, values_.size() * sizeof(float));
    set(1);
  }
  ~Operand() {
    if (device_ >= 0) gpu().release(device_, memory_);
  }
  Operand(const Operand &) = delete;
  Operand &operator=(const Operand &) = delete;

  void set(int64_t seed) {
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j < cols_; ++j) values_[index(i, j)] = value(seed * i + 3, j + seed);
    }
    if (device_ >= 0) gpu().write(memory_, values_.data(), values_.size() * sizeof(float));
  }
  float *data() { return device_ >= 0 ? static_cast<float *>(memory_) : values_.data(); }
  float at(int64_t i, int64_t j) {
    if (device_ >= 0) gpu().read(memory_, values_.data(), values_.size() * sizeof(float));
    return values_[index(i, j)];
  }

 private:
  size_t index(int64_t i, int64_t j) const { return static_cast<size_t>(along_rows_ ? i * ld + j : i + j * ld); }

  bool along_rows_;
  int64_t rows_, cols_;

 public:
  const int64_t ld;

 private:
  std::vector<float> values_;
  int device_;
  void *memory_ = nullptr;
};

struct Planned {
  libsgemm_layout_t layout;
  libsgemm_op_t transa, transb;
  Operand a, b, c;
  libsgemm_plan_t plan_a = nullptr, plan_b = nullptr;

  explicit Planned(int device, libsgemm_layout_t l = LIBSGEMM_COL_MAJOR, libsgemm_op_t ta = LIBSGEMM_NO_TRANS,
                   libsgemm_op_t tb = LIBSGEMM_NO_TRANS, int64_t m = kM, int64_t n = kN, int64_t k = kK)
      : layout(l),
        transa(ta),
        transb(tb),
        a(l, ta, m, k, device),
        b(l, tb, k, n, device),
        c(l, LIBSGEMM_NO_TRANS, m, n, device),
        m_(m),
        n_(n),
        k_(k) {}
  ~Planned() {
    libsgemm_plan_destroy(plan_a);
    libsgemm_plan_destroy(plan_b);
  }
  Planned(const Planned &) = delete;
  Planned &operator=(const Planned &) = delete;

  libsgemm_status_t keep_a(libsgemm_handle_t h) {
    return libsgemm_plan_create(h, layout, LIBSGEMM_LEFT, transa, m_, k_, a.data(), a.ld, &plan_a);
  }
  libsgemm_status_t keep_b(libsgemm_handle_t h) {
    return libsgemm_plan_create(h, layout, LIBSGEMM_RIGHT, transb, k_, n_, b.data(), b.ld, &plan_b);
  }
  libsgemm_status_t run(libsgemm_handle_t h) {
    return libsgemm_sgemm_planned_h(h, layout, transa, transb, m_, n_, k_, 2, a.data(), a.ld, plan_a, b.data(), b.ld,
                                    plan_b, 0, c.data(), c.ld);
  }

  bool right(int64_t seed_a, int64_t seed_b) {
    Planned wanted(-1, layout, transa, transb, m_, n_, k_);
    wanted.a.set(seed_a);
    wanted.b.set(seed_b);
    bool same = true;
    for (int64_t i = 0; i < m_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < k_; ++l) sum += wanted.a.at(i, l) * wanted.b.at(l, j);
        same = same && c.at(i, j) == 2 * sum;
      }
    }
    return same;
  }
  bool untouched() {
    Planned before(-1, layout, transa, transb, m_, n_, k_);
    for (int64_t i = 0; i < m_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        if (c.at(i, j) != before.c.at(i, j)) return false;
      }
    }
    return true;
  }

 private:
  int64_t m_, n_, k_;
};

// Uses the mode in which the mock GPU supports plans.
class PlanHandle : public Handle {
 public:
  PlanHandle() { REQUIRE(libsgemm_set_math_mode(*this, LIBSGEMM_MATH_FP16X3) == LIBSGEMM_SUCCESS); }
};

inline bool says(const std::string &text) { return contains(last_info().message, text); }

}  // namespace mock_test
