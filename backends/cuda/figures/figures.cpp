#include "figures.h"

namespace libsgemm::cuda {
namespace {

#define LIBSGEMM_FIGURES(row, ...) {__VA_ARGS__},
#define LIBSGEMM_SHARE(row, share) share,
constexpr Figures kSm90[] = {LIBSGEMM_FIGURES_SM90(LIBSGEMM_FIGURES)};
constexpr double kSharesSm90[] = {LIBSGEMM_SHARES_SM90(LIBSGEMM_SHARE)};

}  // namespace

const Figures *fitted_figures(int arch, Fitted row) { return arch == 90 ? &kSm90[static_cast<int>(row)] : nullptr; }

double fitted_share(int arch, Shared row) { return arch == 90 ? kSharesSm90[static_cast<int>(row)] : 1.0; }

}  // namespace libsgemm::cuda
