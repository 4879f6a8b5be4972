// Legality first, then cost; and the latest choices of each thread, since calls come in series.
#include "kernel_table.h"

#include <cstring>

namespace libsgemm {
namespace {

const Kernel *cheapest(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes,
                       libsgemm_math_mode_t mode) {
  const Kernel *best = nullptr;
  double best_cost = 0;
  for (int row = 0; row < backend.kernel_count; ++row) {
    const Kernel &kernel = backend.kernels[row];
    if (kernel.math_mode != mode || !kernel.supports(desc, device)) continue;
    if (workspace_of(kernel, desc, device) > workspace_bytes) continue;
    const double cost = kernel.cost(desc, device);
    if (best == nullptr || cost < best_cost) {
      best = &kernel;
      best_cost = cost;
    }
  }
  return best;
}

// What a choice was made for, and the choice.
struct Choice {
  const Backend *backend;  // NULL: none yet
  int device;
  size_t workspace_bytes;
  GemmDesc desc;
  const Kernel *kernel;
};

constexpr uint64_t kChoices = 16;
thread_local Choice t_choices[kChoices];

// Where the choice for a description is kept: neighbours in size go to different places.
Choice *place_of(const GemmDesc &desc) {
  const uint64_t size = static_cast<uint64_t>(desc.m) * 31 + static_cast<uint64_t>(desc.n) * 17 +
                        static_cast<uint64_t>(desc.k) * 7 + static_cast<uint64_t>(desc.transa) * 2 +
                        static_cast<uint64_t>(desc.transb);
  return &t_choices[(size ^ (size >> 4) ^ (size >> 8)) % kChoices];
}

// Of addresses a row may know no more than this.
bool alike(const void *x, const void *y) {
  return ((reinterpret_cast<uintptr_t>(x) ^ reinterpret_cast<uintptr_t>(y)) % kPointerAlignment) == 0 &&
         (x == nullptr) == (y == nullptr);
}

// Compares the members from `first` to `last`, between which there is no padding, bit by bit.
template <typename First, typename Last>
bool same_bits(const GemmDesc &x, const GemmDesc &y, First GemmDesc::*first, Last GemmDesc::*last) {
  const char *begin = reinterpret_cast<const char *>(&(x.*first));
  const char *end = reinterpret_cast<const char *>(&(x.*last)) + sizeof(Last);
  return std::memcmp(begin, &(y.*first), static_cast<size_t>(end - begin)) == 0;
}

// Modes whose only merit is speed: whoever asks for the others may want their rounding.
bool has_error_of_fp32(libsgemm_math_mode_t mode) {
  return mode == LIBSGEMM_MATH_BF16X6 || mode == LIBSGEMM_MATH_FP16X3;
}

// The cheapest row of the mode asked for; of FP32 where there is none, or where that is as good and cheaper, unless the
// caller has split an operand for the mode.
const Kernel *walk(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes) {
  const Kernel *kernel = cheapest(backend, desc, device, workspace_bytes, desc.math_mode);
  if (desc.math_mode == LIBSGEMM_MATH_FP32) return kernel;
  const bool planned = desc.plan_a != nullptr || desc.plan_b != nullptr;
  if (kernel != nullptr && (planned || !has_error_of_fp32(desc.math_mode))) return kernel;
  const Kernel *fp32 = cheapest(backend, desc, device, workspace_bytes, LIBSGEMM_MATH_FP32);
  if (kernel == nullptr) return fp32;
  return fp32 != nullptr && fp32->cost(desc, device) < kernel->cost(desc, device) ? fp32 : kernel;
}

}  // namespace

bool same_choice(const GemmDesc &x, const GemmDesc &y) {
  return same_bits(x, y, &GemmDesc::m, &GemmDesc::ldc) && alike(x.a, y.a) && alike(x.b, y.b) && alike(x.c, y.c) &&
         alike(x.plan_a, y.plan_a) && alike(x.plan_b, y.plan_b) &&
         same_bits(x, y, &GemmDesc::routine, &GemmDesc::deterministic) && x.batch == y.batch &&
         same_bits(x, y, &GemmDesc::batch_count, &GemmDesc::stride_c);
}

const Kernel *select_kernel(const Backend &backend, const GemmDesc &desc, int device, size_t workspace_bytes) {
  Choice *last = place_of(desc);
  if (last->backend != &backend || last->device != device || last->workspace_bytes != workspace_bytes ||
      !same_choice(last->desc, desc)) {
    *last = {&backend, device, workspace_bytes, desc, walk(backend, desc, device, workspace_bytes)};
  }
  return last->kernel;
}

}  // namespace libsgemm
