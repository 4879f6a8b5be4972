// sm75_ffma_256x256x256_blocked_trsm for trmm. With FP64 tensor cores of the full rate, triangles are not halved if
// their copy fits the default workspace (docs/kernels/level3.md).
#include <algorithm>

#include "gpu/level3/blocked.h"
#include "gpu/level3/trmm_copy.h"
#include "runtime/device.h"

namespace libsgemm::cuda {
namespace {

using level3::Leaf;

constexpr Tiling kCopied = {64, 64, 128, 3, {0.85}};

// Predicts a triangle that is not halved.
double copied_seconds(const GemmDesc &desc, int index) {
  GemmDesc gemm = gemm_step(desc, desc.m, desc.n, desc.k / 2 + kCopied.tile_m, 1, 0);
  gemm.batch_count = desc.batch_count;
  return gemm_seconds(device(index), gemm, kCopied) + 2 * kLaunchSeconds;
}

GemmDesc leaf_step(const GemmDesc &desc, int64_t order) {
  GemmDesc step = desc;
  (desc.side == LIBSGEMM_LEFT ? step.m : step.n) = order;
  return step;
}

Leaf leaf_of(const GemmDesc &desc, int index) {
  constexpr int64_t kMostLeaf = 4096;
  const Device &d = device(index);
  Leaf leaf = {};
  if (d.code_arch < 90 || d.fp64_tensor_per_clock < d.fma_per_clock) return leaf;
  for (int64_t order = kMostLeaf; order > leaf.order; order /= 2) {
    if (level3::copy_bytes(leaf_step(desc, order), index) > LIBSGEMM_WORKSPACE_DEFAULT_BYTES) continue;
    leaf.order = order;
    leaf.seconds = copied_seconds;
  }
  return leaf;
}

size_t workspace(const GemmDesc &desc, int index) {
  const int64_t order = leaf_of(desc, index).order;
  return order > level3::kLeaf ? level3::copy_bytes(leaf_step(desc, std::min(order, desc.k)), index) : 0;
}

bool supports(const GemmDesc &desc, int) { return desc.routine == Routine::trmm && desc.batch != Batch::pointers; }

libsgemm_status_t enqueue(const GemmDesc &desc, const Launch &launch, Error *error) {
  return level3::launch_recursively(desc, launch, error, enqueue, leaf_of(desc, launch.device));
}

double cost(const GemmDesc &desc, int index) { return level3::recursive_seconds(desc, index, leaf_of(desc, index)); }

}  // namespace

KernelList sm75_ffma_256x256x256_blocked_trmm() {
  Kernel kernel = {"sm75_ffma_256x256x256_blocked_trmm", LIBSGEMM_MATH_FP32, prepare_fixed<supports, cost, workspace>,
                   enqueue};
  kernel.in_steps = true;
  return kernel;
}

}  // namespace libsgemm::cuda
