#include "gemm_step.h"

#include "contract/kernel_table.h"
#include "gpu/kernels.h"

namespace libsgemm::gpu {

namespace {

Plan cheapest(const GemmDesc &desc, int device, size_t workspace_bytes, LaunchFunction asking) {
  const libsgemm_math_mode_t mode = desc.routine == Routine::gemm ? desc.math_mode : LIBSGEMM_MATH_FP32;
  return cheapest_plan(kernels(), kernel_count(), desc, device, workspace_bytes, mode, asking);
}

struct StepPlan {
  Plan whole, item;  // `item`: one product of a batch

  bool one_by_one() const { return item.kernel != nullptr && item.seconds < whole.seconds; }
};

// True if all products of a strided batch are aligned like the first, so that its plan is theirs.
bool items_are_alike(const GemmDesc &desc) {
  const auto bytes = static_cast<int64_t>(size_of(desc.type));
  const int64_t strides = desc.stride_a * bytes | desc.stride_b * bytes | desc.stride_c * int64_t{sizeof(float)};
  return strides % static_cast<int64_t>(kPointerAlignment) == 0;
}

StepPlan choose(const GemmDesc &desc, int device, size_t workspace_bytes, LaunchFunction asking) {
  StepPlan p = {cheapest(desc, device, workspace_bytes, asking), {}};
  if (desc.batch == Batch::strided && items_are_alike(desc)) {
    p.item = cheapest(batch_item(desc, 0), device, workspace_bytes, asking);
    p.item.seconds *= static_cast<double>(desc.batch_count);
  }
  return p;
}

// Pricing takes up to 50 us, as long as many a step. Steps repeat in the next call, and when a kernel launches the step
// that it priced.
constexpr size_t kRemembered = 64;
thread_local Choices<ChoiceKey, StepPlan, kRemembered> t_plans;
const int kNobody = 0;  // stands for a caller that is no kernel

StepPlan plan_step(const GemmDesc &desc, int device, size_t workspace_bytes, LaunchFunction asking) {
  const void *const kernels = asking == nullptr ? &kNobody : reinterpret_cast<const void *>(asking);
  const ChoiceKey key = choice_key(desc);
  return t_plans.remember({kernels, device, workspace_bytes}, key, place_of(key),
                          [&] { return choose(desc, device, workspace_bytes, asking); });
}

}  // namespace

libsgemm_status_t launch_step(const GemmDesc &desc, const Launch &launch, Error *error, LaunchFunction asking,
                              const char *after) {
  const StepPlan p = plan_step(desc, launch.device, launch.workspace_bytes, asking);
  const Plan &plan = p.one_by_one() ? p.item : p.whole;
  const Kernel *const kernel = plan.kernel;
  if (kernel == nullptr) {
    set_error(error, "no kernel for a step of the call");
    return LIBSGEMM_NOT_SUPPORTED;
  }
  Launch step = launch;
  step.ran = nullptr;  // the kernel that asks is reported instead
  step.config = plan.config;
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  if (p.one_by_one()) {
    for (int64_t i = 0; i < desc.batch_count && status == LIBSGEMM_SUCCESS; ++i) {
      status = kernel->launch(batch_item(desc, i), step, error);
    }
  } else {
    status = kernel->launch(desc, step, error);
  }
  if (after != nullptr && launch.ran != nullptr) *launch.ran = {kernel, after};
  return status;
}

double step_seconds(const GemmDesc &desc, int device, size_t workspace_bytes) {
  const StepPlan p = plan_step(desc, device, workspace_bytes, nullptr);
  return p.one_by_one() ? p.item.seconds : p.whole.seconds;
}

GemmDesc gemm_step(const GemmDesc &whole, int64_t m, int64_t n, int64_t k, float alpha, float beta) {
  GemmDesc gemm = {};
  gemm.routine = Routine::gemm;
  gemm.type = Type::f32;
  gemm.math_mode = LIBSGEMM_MATH_FP32;
  gemm.transa = gemm.transb = LIBSGEMM_NO_TRANS;
  gemm.side = LIBSGEMM_LEFT;
  gemm.uplo = LIBSGEMM_UPPER;
  gemm.diag = LIBSGEMM_NON_UNIT;
  gemm.deterministic = whole.deterministic;
  gemm.ticket = whole.ticket;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  gemm.alpha = alpha;
  gemm.beta = beta;
  gemm.batch = Batch::none;
  gemm.batch_count = 1;
  return gemm;
}

}  // namespace libsgemm::gpu
