// How fast the rows were measured to be, by architecture: data, one file for each that was measured. A row without
// figures for an architecture has those of its Config.
#pragma once

#include "gpu/cost.h"
#include "sm90.h"

namespace libsgemm::cuda {

using namespace gpu;

#define LIBSGEMM_NAME(row, ...) row,
// Rows whose Figures are fitted. Each is in the file of every architecture measured.
enum class Fitted { LIBSGEMM_FIGURES_SM90(LIBSGEMM_NAME) };
// Rows with models of their own, of whose result only the share is fitted that they take in fact.
enum class Shared { LIBSGEMM_SHARES_SM90(LIBSGEMM_NAME) };
#undef LIBSGEMM_NAME

// Null where the architecture was not measured, and 1. bench/model/fit_model.cpp has its own, which it can change.
const Figures *fitted_figures(int arch, Fitted row);
double fitted_share(int arch, Shared row);

// Of rows that were measured on sm_90 alone.
inline const Figures &figures_or_sm90(int arch, Fitted row) {
  const Figures *figures = fitted_figures(arch, row);
  return figures != nullptr ? *figures : *fitted_figures(90, row);
}

}  // namespace libsgemm::cuda
