// The CUDA backend for fit_model.cpp: parameters that are those of sm_90 at first, and a device described by a command.
#include <cstdio>
#include <cstdlib>

#include "cuda/figures/figures.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/throughput.h"
#include "fit_model.h"

namespace libsgemm {
namespace {

cuda::Device the_device = {};

}  // namespace

#define LIBSGEMM_FIGURES(row, ...) {#row, {__VA_ARGS__}},
#define LIBSGEMM_SHARE(row, share) {#row, share},

std::vector<fit::Figured> &fit::figured() {
  static std::vector<Figured> rows = {LIBSGEMM_FIGURES_SM90(LIBSGEMM_FIGURES)};
  return rows;
}

std::vector<fit::Shared> &fit::shared() {
  static std::vector<Shared> rows = {LIBSGEMM_SHARES_SM90(LIBSGEMM_SHARE)};
  return rows;
}

bool fit::set_device(const std::string &name, const std::string &arch, int units, double hertz, double bytes) {
  cuda::Device d = {};
  std::snprintf(d.name, sizeof d.name, "%s", name.c_str());
  d.arch = d.code_arch = std::atoi(arch.c_str());
  if (d.arch < 75) return false;
  d.compute_units = units;
  d.clock = hertz;
  d.memory_bandwidth = bytes;
  d.schedulers = 4;
  d.wave = 32;
  cuda::set_throughputs(&d);
  d.shared_memory_per_block = static_cast<size_t>(d.arch == 75                                    ? 64
                                                  : d.arch == 80 || d.arch == 87                  ? 163
                                                  : d.arch == 86 || d.arch == 89 || d.arch >= 120 ? 99
                                                                                                  : 227)
                              << 10;
  the_device = d;
  return true;
}

namespace cuda {

const Figures *fitted_figures(int, Fitted row) { return &fit::figured()[static_cast<size_t>(row)].figures; }
double fitted_share(int, Shared row) { return fit::shared()[static_cast<size_t>(row)].share; }

const Device &device(int) { return the_device; }
bool has_reassigned_kernels() { return true; }
const void *reassigned_kernel(const char *, const void *plain) { return plain; }

}  // namespace cuda

const gpu::DeviceModel &gpu::model(int) { return the_device; }

}  // namespace libsgemm
