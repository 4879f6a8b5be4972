// For mutants: the wgmma main loop for any width, always in clusters of four blocks (two by two, or side by side). The
// emulated GPU is too small for the library to choose them.
#include "gpu/kernels.h"
#include "wgmma_one_width.h"

namespace libsgemm::cuda {
namespace {

constexpr int kWidth = 64;

using Kernels = OneWidth<WgmmaAnyWidth<Number::f16, ptx::AlongK<128>, ptx::AlongOuter<64>, kMostCluster, kWgmmaRows>>;

Plan prepare(const GemmDesc &desc, int index) {
  const WgmmaSides sides(desc, false);
  const bool fits = desc.routine == Routine::gemm && desc.type == Type::f16 &&
                    wgmma_fits(desc, kWgmmaRows, kWidth, index) && sides.x_along_k && !sides.y_along_k;
  return fits ? planned(1) : Plan();
}

libsgemm_status_t launch_all(const GemmDesc &desc, const Launch &launch, Error *error) {
  const WgmmaSides sides(desc, false);
  const WgmmaCluster cluster = desc.m > desc.n ? WgmmaCluster{1, 1} : WgmmaCluster{2, 0};
  const WgmmaInstance instance = wgmma_instance_of_width<Kernels>(desc, sides, kWgmmaRows, kWidth, cluster);
  return for_strided_chunks(desc, most_wgmma_products(desc, 1), [&](const StridedOperands &operands, int64_t count) {
    return launch_wgmma(desc, instance, sides, Stored::all, {1, nullptr, 0}, operands, count, launch, error);
  });
}

}  // namespace

KernelList sm90_wgmma_64x128x64_mutant() {
  Kernel kernel = {"sm90_wgmma_64x128x64_mutant", LIBSGEMM_MATH_FP32, prepare, launch_all};
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::cuda
