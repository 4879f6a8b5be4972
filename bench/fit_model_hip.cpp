// fit_model for backend hip, which begins with what is assumed of all chips.
#include <cstdio>

#include "device.h"
#include "figures/figures.h"
#include "fit_model.h"

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
  const hip::Chips &chips = hip::chips_of(arch.c_str());
  hip::Device d = {};
  std::snprintf(d.name, sizeof d.name, "%s", name.c_str());
  std::snprintf(d.arch_name, sizeof d.arch_name, "%s", arch.c_str());
  std::snprintf(d.code_name, sizeof d.code_name, "%s", arch.c_str());
  d.family = chips.family;
  d.compute_units = units;
  d.clock = hertz;
  d.memory_bandwidth = bytes;
  d.schedulers = chips.schedulers;
  d.wave = chips.wave;
  d.fma_per_clock = chips.fma_per_clock;
  d.shared_memory_per_block = 64 << 10;  // the rows take no more, also where there is more
  the_device = d;
  return true;
}

const hip::Device &hip::device(int) { return the_device; }
const gpu::Figures &hip::figures(int, Fitted row) { return fit::figured()[static_cast<size_t>(row)].figures; }

const gpu::DeviceModel &gpu::model(int) { return the_device; }

}  // namespace libsgemm
