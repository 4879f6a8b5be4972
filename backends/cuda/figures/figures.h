// Model parameters of kernels, in a file for each measured architecture. On others a kernel has those of its Config.
#pragma once

#include "gpu/cost.h"
#include "sm90.h"

namespace libsgemm::cuda {

using namespace gpu;

#define LIBSGEMM_NAME(kernel, ...) kernel,
enum class Fitted { LIBSGEMM_FIGURES_SM90(LIBSGEMM_NAME) };
// Kernels with their own cost models: only the ratio of measured to predicted time is fitted.
enum class Shared { LIBSGEMM_SHARES_SM90(LIBSGEMM_NAME) };
#undef LIBSGEMM_NAME

// Null and 1 if the architecture was not measured. bench/model/fit_model_cuda.cpp replaces both functions.
const Figures *fitted_figures(int arch, Fitted kernel);
double fitted_share(int arch, Shared kernel);

inline const Figures &figures_or_sm90(int arch, Fitted kernel) {
  const Figures *figures = fitted_figures(arch, kernel);
  return figures != nullptr ? *figures : *fitted_figures(90, kernel);
}

}  // namespace libsgemm::cuda
