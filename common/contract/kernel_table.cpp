#include "kernel_table.h"

namespace libsgemm {
namespace {

constexpr size_t kRemembered = 16;
thread_local Choices<ChoiceKey, Plan, kRemembered> t_plans;
thread_local Choices<ConvChoiceKey, Plan, kRemembered> t_conv_plans;

// The cheapest kernel of the requested mode; FP32's if there is none, or if FP32 is cheaper and `fp32_will_do`.
template <typename Desc>
Plan cheapest_plan(const Backend &backend, const Desc &desc, int device, size_t workspace_bytes, bool fp32_will_do) {
  const auto of_mode = [&](libsgemm_math_mode_t mode) {
    return cheapest_plan(backend.kernels, backend.kernel_count, desc, device, workspace_bytes, mode);
  };
  const Plan asked = of_mode(desc.math_mode);
  if (desc.math_mode == LIBSGEMM_MATH_FP32 || (asked.kernel != nullptr && !fp32_will_do)) return asked;
  const Plan fp32 = of_mode(LIBSGEMM_MATH_FP32);
  return asked.kernel == nullptr || fp32.seconds < asked.seconds ? fp32 : asked;
}

Plan choose(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes) {
  const bool has_plans = desc.plan_a != nullptr || desc.plan_b != nullptr;  // not measured
  const FindTunedKernel find =
      backend.is_gpu && !has_plans ? g_find_tuned_kernel.load(std::memory_order_acquire) : nullptr;
  const Kernel *const tuned = find != nullptr ? find(backend, desc, device) : nullptr;
  if (tuned != nullptr && serves(tuned->math_mode, desc.math_mode)) {
    Plan plan = prepare(*tuned, desc, device, workspace_bytes);
    plan.tuned = true;
    if (plan.kernel != nullptr) return plan;
  }
  // FP32 may replace modes that split inputs, whose only merit is speed, unless the caller has split an operand for the
  // mode. Callers of other modes may need their rounding.
  const bool fp32_will_do = !has_plans && mode_traits(desc.math_mode).loses_bits();
  return cheapest_plan(backend, desc, device, workspace_bytes, fp32_will_do);
}

Plan choose(const Backend &backend, const ConvDesc &desc, int device, size_t workspace_bytes) {
  // On GPUs, modes that round more than FP32 only save time; on CPUs they show what rounding does.
  const bool fp32_will_do =
      mode_traits(desc.math_mode).loses_bits() || (backend.is_gpu && desc.math_mode != LIBSGEMM_MATH_FP64);
  return cheapest_plan(backend, desc, device, workspace_bytes, fp32_will_do);
}

}  // namespace

ConvChoiceKey choice_key(const ConvDesc &desc) {
  // Names every member, like the other choice_key().
  const auto &[direction, math_mode, deterministic, n, c, h, w, k, r, s, p, q, groups, stride_h, stride_w, pad_h, pad_w,
               dilation_h, dilation_w, alpha, beta, x_steps, f_steps, y_steps, x, f, y, out] = desc;
  return {n,
          c,
          h,
          w,
          k,
          r,
          s,
          p,
          q,
          groups,
          stride_h,
          stride_w,
          pad_h,
          pad_w,
          dilation_h,
          dilation_w,
          x_steps.n,
          x_steps.c,
          x_steps.h,
          x_steps.w,
          f_steps.n,
          f_steps.c,
          f_steps.h,
          f_steps.w,
          y_steps.n,
          y_steps.c,
          y_steps.h,
          y_steps.w,
          static_cast<int64_t>(uint64_t{bits_of(alpha)} << 32 | bits_of(beta)),
          static_cast<int64_t>(bytes(direction, math_mode, deterministic)),
          static_cast<int64_t>(bytes(place_in_line(x), place_in_line(f), place_in_line(y), place_in_line(out)))};
}

std::atomic<FindTunedKernel> g_find_tuned_kernel{nullptr};

Plan best_plan(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes, const Kernel *forced) {
  if (forced != nullptr) return prepare(*forced, desc, device, workspace_bytes);
  const ChoiceKey key = choice_key(desc);
  return t_plans.remember({&backend, device, workspace_bytes}, key, place_of(key),
                          [&] { return choose(backend, desc, device, workspace_bytes); });
}

// Pricing all kernels takes 50 us, as long as a layer of 2 GFLOP.
Plan best_plan(const Backend &backend, const ConvDesc &desc, int device, size_t workspace_bytes, const Kernel *forced) {
  if (forced != nullptr) return prepare(*forced, desc, device, workspace_bytes);
  const ConvChoiceKey key = choice_key(desc);
  uint64_t sum = 0;
  for (const int64_t word : key) sum = sum * 31 + static_cast<uint64_t>(word);
  return t_conv_plans.remember({&backend, device, workspace_bytes}, key, sum ^ sum >> 7,
                               [&] { return choose(backend, desc, device, workspace_bytes); });
}

}  // namespace libsgemm
