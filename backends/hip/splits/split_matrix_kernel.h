#pragma once

#include "gpu/splits/split_kernel.h"
#include "hip/tensor/matrix_kernel.h"
#include "split_product.h"

namespace libsgemm::hip {

template <class Config, void (*kKernel)(StridedOperands, SplitProblem)>
libsgemm_status_t enqueue_split_product(const GemmDesc &panel, const Splits &a, const Splits &b, const Guard &guard,
                                        const Launch &launch, Error *error) {
  const SplitProblem p = {tile_problem<Config>(panel), a, b, guard};
  StridedOperands operands = {};
  operands.c_base = panel.c, operands.c_elements = panel.stride_c;
  const dim3 grid(static_cast<unsigned>(p.tile.tiles_m) * static_cast<unsigned>(p.tile.tiles_n), 1,
                  static_cast<unsigned>(panel.batch_count));
  return launch_kernel(kKernel, grid, dim3(Config::threads), 0, launch, error, operands, p);
}

template <class Config, void (*kKernel)(StridedOperands, SplitProblem)>
SplitProduct split_product_of(Scheme scheme) {
  constexpr double kStall = 0.1;  // the same for other kernels on matrix cores
  return {scheme,
          Config::splits,
          Config::products,
          {Config::tile_m, Config::tile_n, Config::threads, Config::blocks, {Config::peak_fraction, kStall}},
          2 * 2 * SplitStreamOf<Config>::words * sizeof(Words4),
          enqueue_split_product<Config, kKernel>,
          [](int index) { return has_mfma(index) ? matrix_rate(index, Config::type) : 0; }};
}

}  // namespace libsgemm::hip
