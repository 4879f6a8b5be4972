// For mutants' kernels (wgmma_width_kernel.h): one instance of the wgmma main loop for any width, whatever a call
// requests.
#pragma once

#include "cuda/wgmma/wgmma_width_kernel.h"

namespace libsgemm::cuda {

template <class Shape>
__global__ void __launch_bounds__(kWgmmaThreads, 1)
    one_width(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaProblem p) {
  wgmma_product<Shape>(maps, p, PlainFinish());
}

template <class Shape>
struct OneWidth {
  template <Number, bool, bool, int, int>
  static WgmmaKernel kernel() {
    return &one_width<Shape>;
  }
};

}  // namespace libsgemm::cuda
