// The mock GPU's plans are unpadded copies of op(A), m x k: a change of the original shows whether the plan is used.
#pragma once

#include "contract/backend.h"

namespace {

constexpr libsgemm_math_mode_t kMockPlanMode = LIBSGEMM_MATH_FP16X3;

inline size_t mock_plan_bytes(const libsgemm::GemmDesc &operand) {
  return operand.math_mode == kMockPlanMode ? static_cast<size_t>(operand.m * operand.k) * sizeof(float) : 0;
}

inline void make_mock_plan(const libsgemm::GemmDesc &operand, float *copy) {
  const auto *a = static_cast<const float *>(operand.a);
  for (int64_t l = 0; l < operand.k; ++l) {
    for (int64_t i = 0; i < operand.m; ++i) {
      copy[i + l * operand.m] = operand.transa == LIBSGEMM_NO_TRANS ? a[i + l * operand.lda] : a[l + i * operand.lda];
    }
  }
}

inline libsgemm::GemmDesc with_plans(libsgemm::GemmDesc desc) {
  if (desc.plan_a != nullptr) desc.a = desc.plan_a, desc.lda = desc.m, desc.transa = LIBSGEMM_NO_TRANS;
  if (desc.plan_b != nullptr) desc.b = desc.plan_b, desc.ldb = desc.n, desc.transb = LIBSGEMM_TRANS;
  return desc;
}

}  // namespace
