#pragma once

#include "dmma_multistage.cuh"
#include "figures/figures.h"

namespace libsgemm::cuda {

struct Sm80Dmma64x64x32 : DmmaShape<64, 64, 32, 32, 32, M8n8k4> {
  static constexpr bool cuts = true;
  static constexpr int stages = 2;
  static constexpr int blocks = 4;
  // Estimates: not measured on sm_80.
  static constexpr Fitted fitted = Fitted::sm90_dmma_64x64x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm90_dmma_64x64x32_split_k;
  static constexpr double elements = 0.93;
  static constexpr double by_floats = 6;
};

}  // namespace libsgemm::cuda
