// The object behind a libsgemm_plan_t.
#pragma once

#include <cstdint>
#include <string>

#include "call.h"
#include "contract/backend.h"
#include "placement.h"
#include "process/env.h"
#include "process/thread_info.h"

namespace libsgemm {

constexpr int kPlanA = position_of(traits_of(Routine::gemm).planned, "plan_a");
constexpr int kPlanB = position_of(traits_of(Routine::gemm).planned, "plan_b");

// op(X) is rows x cols.
struct PlanOperand {
  int layout, side, trans;  // LEFT: A, RIGHT: B
  int64_t rows, cols;
  const void *x;
  int64_t ldx;
};

}  // namespace libsgemm

// Plans are in a pool that is never freed: a destroyed one can be recognised. Constant after creation: any thread may
// use it.
struct libsgemm_plan {
  static constexpr uint32_t kLive = 0x6e616c70;

  uint32_t magic = 0;
  libsgemm_plan *next = nullptr;
  libsgemm::PlanOperand operand = {};
  libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP32;
  int backend = -1, device = 0;
  uint64_t context = 0;    // owns the memory
  void *memory = nullptr;  // split operand on the backend's device; NULL: nothing kept
};

namespace libsgemm {

// Why a plan cannot be this operand; empty: it can, or is NULL.
std::string plan_fault(const libsgemm_plan *plan, const PlanOperand &x);

// Checks math mode, device and context, which are known only after placement.
libsgemm_status_t check_plans(const Call &call, const Settings &settings, const Placement &at, ThreadInfo *info);

inline int plans_used(const GemmDesc &desc, const Kernel &kernel) {
  if (kernel.math_mode != desc.math_mode) return 0;
  return (desc.plan_a != nullptr ? 1 : 0) + (desc.plan_b != nullptr ? 1 : 0);
}

}  // namespace libsgemm
