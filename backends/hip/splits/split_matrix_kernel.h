#pragma once

#include "gpu/splits/split_kernel.h"
#include "hip/tensor/matrix_kernel.h"
#include "split_product.h"

namespace libsgemm::hip {

template <class Config, void (*kKernel)(StridedOperands, SplitProblem)>
SplitProduct split_product_of(Scheme scheme) {
  constexpr double kStall = 0.1;  // the same for other kernels on matrix cores
  return {scheme,
          Config::splits,
          Config::products,
          {Config::tile_m, Config::tile_n, Config::threads, Config::blocks, {Config::peak_fraction, kStall}},
          2 * 2 * SplitStreamOf<Config>::words * sizeof(Words4),
          enqueue_split_product<Config, 0, kKernel>,
          [](int index) { return has_mfma(index) ? matrix_rate(index, Config::type) : 0; }};
}

}  // namespace libsgemm::hip
