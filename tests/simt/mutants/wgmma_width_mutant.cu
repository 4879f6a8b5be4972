// For mutants.cmake: the wgmma main loop for any width, in which warpgroups share k and tiles end within a box of C.
#include "gpu/kernels.h"
#include "wgmma_one_width.h"

namespace libsgemm::cuda {
namespace {

constexpr int kRows = 64, kWidth = 48;

using Kernels = OneWidth<WgmmaAnyWidth<Number::f16, ptx::AlongK<128>, ptx::AlongOuter<64>, 1, kRows>>;
using Width = WgmmaWidth<Kernels, kRows, kWidth, false>;

Plan prepare(const GemmDesc &desc, int index) {
  const Plan plan = Width::prepare(desc, index);
  const WgmmaSides sides(desc, plan.config.swapped);
  return desc.type == Type::f16 && sides.x_along_k && !sides.y_along_k ? plan : Plan();
}

}  // namespace

KernelList sm90_wgmma_48x64x64_mutant() {
  Kernel kernel = wgmma_width_kernel<Kernels, kRows, kWidth, false>("sm90_wgmma_48x64x64_mutant");
  kernel.prepare = prepare;
  return kernel;
}

}  // namespace libsgemm::cuda
