// For mutants.cmake: the wgmma main loop for any width, in which warpgroups share k and tiles end within a box of C.
#include "gpu/kernels.h"
#include "wgmma_one_width.h"

namespace libsgemm::cuda {
namespace {

constexpr int kRows = 64, kWidth = 48;

using Kernels = OneWidth<WgmmaAnyWidth<Number::f16, ptx::AlongK<128>, ptx::AlongOuter<64>, 1, kRows>>;
using Row = WgmmaWidthRow<Kernels, kRows, kWidth, false>;

bool supports(const GemmDesc &desc, int index) {
  if (desc.type != Type::f16 || !Row::supports(desc, index)) return false;
  const WgmmaSides sides(desc, Row::way(desc, index).swapped);
  return sides.x_along_k && !sides.y_along_k;
}

}  // namespace

Kernel sm90_wgmma_48x64x64_mutant() {
  Kernel kernel = wgmma_width_kernel<Kernels, kRows, kWidth, false>("sm90_wgmma_48x64x64_mutant");
  kernel.supports = supports;
  return kernel;
}

}  // namespace libsgemm::cuda
