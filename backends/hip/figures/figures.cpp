#include "figures.h"

namespace libsgemm::hip {
namespace {

#define LIBSGEMM_FIGURES(row, ...) {__VA_ARGS__},
constexpr Figures kAssumed[] = {LIBSGEMM_FIGURES_ASSUMED(LIBSGEMM_FIGURES)};

}  // namespace

// No architecture has been measured yet.
const Figures &figures(int, Fitted row) { return kAssumed[static_cast<int>(row)]; }

}  // namespace libsgemm::hip
