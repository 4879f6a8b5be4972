// Chooses a kernel from a backend's table.
#pragma once

#include <array>
#include <atomic>

#include "backend.h"
#include "choice.h"
#include "math_mode.h"

namespace libsgemm {

// `forced`, or the kernel measured to be fastest for such a call (decision/tuning.h) if it serves the math mode, or the
// cheapest. Kernels of the math mode come first, then FP32's, never less accurate. None needs more than
// `workspace_bytes`.
Plan best_plan(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes,
               const Kernel *forced = nullptr);

// Without measurements.
Plan best_plan(const Backend &backend, const ConvDesc &desc, int device, size_t workspace_bytes,
               const Kernel *forced = nullptr);

// The kernel measured to be fastest for such a call on a GPU, or NULL. The pointer is NULL until use_tuning().
using FindTunedKernel = const Kernel *(*)(const Backend &backend, const GemmDesc &desc, int device);
extern std::atomic<FindTunedKernel> g_find_tuned_kernel;

// True if x may be less accurate than y; one call runs both. y NULL: none yet.
inline bool promises_less(const Kernel &x, const Kernel *y) {
  return y == nullptr || promises_less({x.math_mode, x.truncates}, {y->math_mode, y->truncates});
}

using ConvChoiceKey = std::array<int64_t, 31>;
ConvChoiceKey choice_key(const ConvDesc &desc);

// True if arithmetic `of` may serve a request for `mode`. FP32 and FP32_FAST accept any of lower rank.
inline bool serves(libsgemm_math_mode_t of, libsgemm_math_mode_t mode) {
  const int rank = mode_traits(mode).rank;
  return of == mode || (rank <= mode_traits(LIBSGEMM_MATH_FP32_FAST).rank && mode_traits(of).rank < rank);
}

// The cheapest of `count` kernels that serve `mode` and support the description within the workspace; the first of
// equals; none with launch function `except`. Inline: plugins choose from their tables with it.
template <typename Desc>
Plan cheapest_plan(const Kernel *kernels, int count, const Desc &desc, int device, size_t workspace_bytes,
                   libsgemm_math_mode_t mode, decltype(Kernel::launch) except = nullptr) {
  Plan best;
  for (const Kernel *kernel = kernels; kernel < kernels + count; ++kernel) {
    if (!serves(kernel->math_mode, mode) || (except != nullptr && kernel->launch == except)) continue;
    const Plan plan = prepare(*kernel, desc, device, workspace_bytes);
    if (plan.seconds < best.seconds) best = plan;
  }
  return best;
}

}  // namespace libsgemm
