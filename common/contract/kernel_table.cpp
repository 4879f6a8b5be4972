// Legality comes first, then measurements, then cost. Each thread remembers its latest choices: calls come in series.
#include "kernel_table.h"

namespace libsgemm {
namespace {

constexpr size_t kRemembered = 16;
thread_local Choices<ChoiceKey, Selected, kRemembered> t_choices;
thread_local Choices<ConvChoiceKey, const Kernel *, kRemembered> t_conv_choices;

// The cheapest kernel of the requested mode; FP32's if there is none, or if FP32 is cheaper and `fp32_will_do`.
// cheapest(mode): the cheapest kernel that serves a mode.
template <typename Cheapest>
const Kernel *by_mode(libsgemm_math_mode_t mode, bool fp32_will_do, const Cheapest &cheapest) {
  const PricedKernel asked = cheapest(mode);
  if (mode == LIBSGEMM_MATH_FP32) return asked.kernel;
  if (asked.kernel != nullptr && !fp32_will_do) return asked.kernel;
  const PricedKernel fp32 = cheapest(LIBSGEMM_MATH_FP32);
  return asked.kernel == nullptr || fp32.seconds < asked.seconds ? fp32.kernel : asked.kernel;
}

const Kernel *walk(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes) {
  // FP32 may replace modes that split inputs, whose only merit is speed, unless the caller has split an operand for the
  // mode. Callers of other modes may need their rounding.
  const bool planned = desc.plan_a != nullptr || desc.plan_b != nullptr;
  return by_mode(desc.math_mode, !planned && mode_traits(desc.math_mode).loses_bits(), [&](libsgemm_math_mode_t mode) {
    return cheapest_row(backend.kernels, backend.kernel_count, desc, device, workspace_bytes, mode);
  });
}

// Measurements are of calls without plans.
Selected choose(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes) {
  const bool planned = desc.plan_a != nullptr || desc.plan_b != nullptr;
  const FindTunedRow find = backend.is_gpu && !planned ? g_find_tuned_row.load(std::memory_order_acquire) : nullptr;
  const Kernel *const tuned = find != nullptr ? find(backend, desc, device) : nullptr;
  const bool legal = tuned != nullptr && serves(tuned->math_mode, desc.math_mode) && can_do(*tuned, desc, device) &&
                     workspace_of(*tuned, desc, device) <= workspace_bytes;
  return legal ? Selected{tuned, true} : Selected{walk(backend, desc, device, workspace_bytes), false};
}

}  // namespace

ConvChoiceKey choice_key(const ConvDesc &desc) {
  // Names every member, as the other choice_key().
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

namespace {

const Kernel *choose(const Backend &backend, const ConvDesc &desc, int device, size_t workspace_bytes) {
  // On GPUs, modes that round more than FP32 only save time; on CPUs they show what rounding does.
  const bool fp32_will_do =
      mode_traits(desc.math_mode).loses_bits() || (backend.is_gpu && desc.math_mode != LIBSGEMM_MATH_FP64);
  return by_mode(desc.math_mode, fp32_will_do, [&](libsgemm_math_mode_t mode) {
    PricedKernel best;
    for (const Kernel *row = backend.kernels; row < backend.kernels + backend.kernel_count; ++row) {
      if (!serves(row->math_mode, mode) || !can_do(*row, desc, device)) continue;
      if (workspace_of(*row, desc, device) > workspace_bytes) continue;
      const double seconds = row->conv->cost(desc, device);
      if (best.kernel == nullptr || seconds < best.seconds) best = {row, seconds};
    }
    return best;
  });
}

}  // namespace

// Pricing all kernels takes some 50 us, as long as a layer of 2 GFLOP.
const Kernel *select_conv(const Backend &backend, const ConvDesc &desc, int device, size_t workspace_bytes) {
  const ConvChoiceKey key = choice_key(desc);
  uint64_t sum = 0;
  for (const int64_t word : key) sum = sum * 31 + static_cast<uint64_t>(word);
  return t_conv_choices.remember({&backend, device, workspace_bytes}, key, sum ^ sum >> 7,
                                 [&] { return choose(backend, desc, device, workspace_bytes); });
}

std::atomic<FindTunedRow> g_find_tuned_row{nullptr};

Selected select_kernel(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes) {
  const ChoiceKey key = choice_key(desc);
  return t_choices.remember({&backend, device, workspace_bytes}, key, place_of(key),
                            [&] { return choose(backend, desc, device, workspace_bytes); });
}

}  // namespace libsgemm
