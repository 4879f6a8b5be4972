// Choosing a row of a backend's kernel table.
#pragma once

#include <array>
#include <atomic>
#include <limits>

#include "backend.h"
#include "choice.h"
#include "math_mode.h"

namespace libsgemm {

// A row, and whether it was chosen because it was measured to be the fastest (decision/tuning.h).
struct Selected {
  const Kernel *kernel = nullptr;
  bool tuned = false;
};

// The row that was measured to be the fastest for such a call, if it serves the math mode; otherwise the cheapest one,
// of those that support the description with at most `workspace_bytes` of workspace. Rows that serve the description's
// math mode come first; without one, those that serve FP32, which is never less accurate. NULL if there is none.
Selected select_kernel(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes);

// The cheapest row for a convolution, by the same rules; nothing was measured.
const Kernel *select_conv(const Backend &backend, const ConvDesc &desc, int device, size_t workspace_bytes);

// Finds the row that was measured to be the fastest for such a call on a GPU; NULL: there is none. Whether it may serve
// the call is for select_kernel() to see. Set by use_tuning() (decision/tuning.h); NULL until then.
using FindTunedRow = const Kernel *(*)(const Backend &backend, const GemmDesc &desc, int device);
extern std::atomic<FindTunedRow> g_find_tuned_row;

// A row and its predicted seconds; NULL and infinity: none.
struct PricedKernel {
  const Kernel *kernel = nullptr;
  double seconds = std::numeric_limits<double>::infinity();
};

// Whether a result by x may be further off than one by y, of rows that one call runs. y NULL: there is none yet.
inline bool promises_less(const Kernel &x, const Kernel *y) {
  return y == nullptr || promises_less({x.math_mode, x.truncates}, {y->math_mode, y->truncates});
}

// The same of a convolution: all its numbers in their order, the bits of the scalars, the kinds and the addresses.
using ConvChoiceKey = std::array<int64_t, 31>;
ConvChoiceKey choice_key(const ConvDesc &desc);

// Bytes of workspace a row needs.
inline size_t workspace_of(const Kernel &kernel, const GemmDesc &desc, int device) {
  return kernel.workspace != nullptr ? kernel.workspace(desc, device) : 0;
}

inline size_t workspace_of(const Kernel &kernel, const ConvDesc &desc, int device) {
  return kernel.conv->workspace != nullptr ? kernel.conv->workspace(desc, device) : 0;
}

// Whether a row of the arithmetic `of` may serve who asks for `mode`: of FP32 and FP32_FAST, whatever keeps its bound.
inline bool serves(libsgemm_math_mode_t of, libsgemm_math_mode_t mode) {
  const int place = place_by_bound(mode);
  return of == mode || (place <= place_by_bound(LIBSGEMM_MATH_FP32_FAST) && place_by_bound(of) < place);
}

// The cheapest of `count` rows that serve `mode` and support the description within the workspace; the first of equals.
// Rows that launch by `except` are left out. In the header, as plugins choose from their tables by it, too.
inline PricedKernel cheapest_row(const Kernel *kernels, int count, const GemmDesc &desc, int device,
                                 size_t workspace_bytes, libsgemm_math_mode_t mode,
                                 decltype(Kernel::launch) except = nullptr) {
  PricedKernel best;
  for (int row = 0; row < count; ++row) {
    const Kernel &kernel = kernels[row];
    if (!serves(kernel.math_mode, mode) || (except != nullptr && kernel.launch == except)) continue;
    if (!can_do(kernel, desc, device)) continue;
    const double seconds = kernel.cost(desc, device);
    if (best.kernel != nullptr && seconds >= best.seconds) continue;
    if (workspace_of(kernel, desc, device) <= workspace_bytes) best = {&kernel, seconds};
  }
  return best;
}

}  // namespace libsgemm
