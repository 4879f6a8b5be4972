// sm75_ffma_32x32x16_batched for m and n of at most 16.
#include "batched.cuh"
#include "gpu/kernels.h"

namespace libsgemm::cuda {
namespace {

struct Config : TileShape<16, 16, 16, 4, 2, 4, 1> {
  static constexpr int products = 8;  // products of a block
  static constexpr int blocks = 4;    // resident on a multiprocessor
  static constexpr double peak_fraction = 0.2;
};

}  // namespace

LIBSGEMM_BATCHED_CODE(sm75_ffma_16x16x16_batched)

KernelList sm75_ffma_16x16x16_batched() { return batched_kernel<DeviceCode>("sm75_ffma_16x16x16_batched"); }

}  // namespace libsgemm::cuda
