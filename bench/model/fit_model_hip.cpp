// Backend hip in the program that fits the cost model. The fit starts with the parameters assumed of all chips.
#include "fit_model.h"
#include "hip/figures/figures.h"
#include "hip/runtime/data_sheet.h"

namespace libsgemm {
namespace {

hip::Device the_device = {};

}  // namespace

#define LIBSGEMM_FIGURES(row, ...) {#row, {__VA_ARGS__}},

std::vector<fit::Figured> &fit::figured() {
  static std::vector<Figured> rows = {LIBSGEMM_FIGURES_ASSUMED(LIBSGEMM_FIGURES)};
  return rows;
}

std::vector<fit::Shared> &fit::shared() {
  static std::vector<Shared> none;
  return none;
}

bool fit::set_device(const std::string &name, const std::string &arch, int units, double hertz, double bytes) {
  if (arch.rfind("gfx", 0) != 0) return false;
  the_device = hip::by_data_sheet(name.c_str(), arch.c_str(), units, hertz, bytes);
  return true;
}

const hip::Device &hip::device(int) { return the_device; }
const gpu::Figures &hip::figures(int, Fitted row) { return fit::figured()[static_cast<size_t>(row)].figures; }

const gpu::DeviceModel &gpu::model(int) { return the_device; }

}  // namespace libsgemm
