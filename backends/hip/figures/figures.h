// Model parameters: a file for each measured architecture, and one with assumptions. Kernels that share a loop and a
// tile share them.
#pragma once

#include "assumed.h"
#include "gpu/cost.h"

namespace libsgemm::hip {

using namespace gpu;

#define LIBSGEMM_NAME(kernel, ...) kernel,
enum class Fitted { LIBSGEMM_FIGURES_ASSUMED(LIBSGEMM_NAME) };
#undef LIBSGEMM_NAME

// bench/model/fit_model_hip.cpp has its own definition, which it can change.
const Figures &figures(int device, Fitted kernel);

}  // namespace libsgemm::hip
