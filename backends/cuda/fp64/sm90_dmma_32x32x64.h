#pragma once

#include "dmma_multistage.cuh"
#include "figures/figures.h"

namespace libsgemm::cuda {

struct Sm90Dmma32x32x64 : DmmaShape<32, 32, 64, 16, 16> {
  static constexpr bool cuts = true;
  static constexpr int stages = 3;
  static constexpr int blocks = 3;
  static constexpr Fitted fitted = Fitted::sm90_dmma_32x32x64_multistage;
  static constexpr Fitted split_fitted = Fitted::sm90_dmma_32x32x64_split_k;
  static constexpr double elements = 0.8;
  static constexpr double by_floats = 6;
};

}  // namespace libsgemm::cuda
