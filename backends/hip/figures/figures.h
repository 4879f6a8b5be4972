// How fast the rows are, by architecture: data, one file for each that was measured, and what is assumed of all others.
// Rows that share a loop and a tile share their figures.
#pragma once

#include "assumed.h"
#include "gpu/cost.h"

namespace libsgemm::hip {

using namespace gpu;

#define LIBSGEMM_NAME(row, ...) row,
enum class Fitted { LIBSGEMM_FIGURES_ASSUMED(LIBSGEMM_NAME) };
#undef LIBSGEMM_NAME

// Of a row on a device. bench/model/fit_model_hip.cpp has its own, which it can change.
const Figures &figures(int device, Fitted row);

}  // namespace libsgemm::hip
