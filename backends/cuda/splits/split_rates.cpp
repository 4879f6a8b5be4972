#include "split_rates.h"

#include "gpu/splits/split_kernel.h"
#include "runtime/device.h"

namespace libsgemm::cuda {
namespace {

constexpr int kLeastArch = 80;

}  // namespace

int split_rate_mma(int index) { return device(index).code_arch >= kLeastArch ? device(index).tensor_per_clock : 0; }
int split_rate_wgmma(int index) { return device(index).code_arch >= kLeastArch ? device(index).wgmma_per_clock : 0; }

}  // namespace libsgemm::cuda

// fp32_fast: with slower FP64 tensor cores, operands of wide range would take several times as long as in FP32.
bool libsgemm::gpu::has_splits(libsgemm_math_mode_t mode, int index) {
  const cuda::Device &d = cuda::device(index);
  return d.code_arch >= cuda::kLeastArch &&
         (mode != LIBSGEMM_MATH_FP32_FAST || d.fp64_tensor_per_clock >= d.fma_per_clock);
}
