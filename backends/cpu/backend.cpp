// The kernels' names have the tile of this CPU: cpu_avx512_48x8x512_chain.
#include "contract/backend.h"

#include <iterator>
#include <string>

#include "launch.h"
#include "process/parallel.h"
#include "tile.h"

namespace libsgemm {
namespace {

// Costs decide nothing: there is one kernel per math mode.
double only_cost(const GemmDesc &, int) { return 1; }

template <typename Real>
std::string name_of(const char *kind) {
  const CpuSteps<Real> &steps = steps_of<Real>(this_cpu());
  return std::string("cpu_") + (this_cpu().unit != nullptr ? this_cpu().unit : "none") + "_" +
         std::to_string(steps.x.width) + "x" + std::to_string(steps.y.width) + "x" + std::to_string(kBlock) + "_" +
         kind;
}

libsgemm_status_t open(const Host &, Error *error) {
  if (this_cpu().unit != nullptr) return LIBSGEMM_SUCCESS;
  set_error(error, "no kernels for this kind of CPU");
  return LIBSGEMM_UNAVAILABLE;
}

const char *version() { return "Highway"; }

libsgemm_status_t describe_device(int, libsgemm_device_info_t *info, Error *) {
  std::snprintf(info->name, sizeof info->name, "CPU");
  std::snprintf(info->arch, sizeof info->arch, "%s", this_cpu().unit);
  info->compute_units = threads_by_default();
  return LIBSGEMM_SUCCESS;
}

Backend make() {
  static const std::string fp32 = name_of<float>("chain"), fp64 = name_of<double>("chain_fp64");
  constexpr const char *kPurpose = "sums of a given order, all cores";
  static const Kernel kernels[] = {
      {fp32.c_str(), LIBSGEMM_MATH_FP32, prepare_fixed<fp32_supports, only_cost>, fp32_launch, false, false, kPurpose,
       true},
      {fp64.c_str(), LIBSGEMM_MATH_FP64, prepare_fixed<fp64_supports, only_cost>, fp64_launch, false, false, kPurpose,
       true},
  };
  return cpu_backend("cpu", kernels, static_cast<int>(std::size(kernels)), open, version, describe_device);
}

}  // namespace
}  // namespace libsgemm

extern "C" LIBSGEMM_API const libsgemm::Backend *libsgemm_backend_table() {
  static const libsgemm::Backend backend = libsgemm::make();
  return &backend;
}
