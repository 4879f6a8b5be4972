#include "device.h"

#include <cstdio>
#include <vector>

#include "code_arch.h"
#include "driver.h"
#include "gpu/runtime/devices.h"
#include "throughput.h"

#ifndef LIBSGEMM_CUDA_CODE
#error "LIBSGEMM_CUDA_CODE: the architectures with machine code, as in {80, false}, {90, true}"
#endif
#ifndef LIBSGEMM_CUDA_PTX
#error "LIBSGEMM_CUDA_PTX: the virtual architectures of the PTX, 0 for none"
#endif

namespace libsgemm::cuda {
namespace {

constexpr Code kCode[] = {LIBSGEMM_CUDA_CODE};
constexpr int kPtx[] = {LIBSGEMM_CUDA_PTX};

// Never destroyed: exit handlers may call the backend.
std::vector<Device> &devices() {
  static auto *instance = new std::vector<Device>;
  return *instance;
}

constexpr double kUsualClock = 1.5e9, kUsualBandwidth = 500e9;  // Hz, bytes/s

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver().device_attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

// wgmma requires code for exactly that architecture (sm_90a).
bool has_specific_code(int arch) {
  for (const Code &code : kCode) {
    if (code.specific && code.arch == arch) return true;
  }
  return false;
}

bool describe(int ordinal, Device *d) {
  CUdevice device;
  if (driver().device(&device, ordinal) != CUDA_SUCCESS) return false;
  *d = {};
  d->ordinal = ordinal;
  d->arch = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  d->code_arch = code_arch(d->arch, kCode, kPtx);
  std::snprintf(d->arch_name, sizeof d->arch_name, "sm_%d", d->arch);
  d->schedulers = 4;
  d->wave = 32;
  d->compute_units = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  d->l2_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  // The limit after the opt-in of launch.cpp.
  d->shared_memory_per_block =
      static_cast<size_t>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  int driver_version = 0;
  driver().get_version(&driver_version);
  d->parameter_bytes = driver_version >= 12010 && d->arch >= 70 ? kLargeParameterBytes : 4096;
  d->clock = 1e3 * attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  d->memory_bandwidth = 2e3 * attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                        attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  // Some virtual machines and drivers report 0. Predictions must not divide by it.
  if (d->clock <= 0) d->clock = kUsualClock;
  if (d->memory_bandwidth <= 0) d->memory_bandwidth = kUsualBandwidth;
  driver().device_memory(&d->memory_bytes, device);
  driver().device_name(d->name, sizeof d->name, device);
  set_throughputs(d);
  if (!has_specific_code(d->arch)) d->wgmma_per_clock = 0;
  return d->arch > 0 && d->compute_units > 0 && d->shared_memory_per_block > 0;
}

}  // namespace

const Device &device(int index) { return devices()[static_cast<size_t>(index)]; }

}  // namespace libsgemm::cuda

namespace libsgemm::gpu {

using namespace cuda;

const DeviceModel &model(int index) { return device(index); }

libsgemm_status_t count_devices(int *count, Error *error) {
  const CUresult code = driver().device_count(count);
  if (code == CUDA_SUCCESS && *count > 0) return LIBSGEMM_SUCCESS;
  set_error(error, "the NVIDIA driver shows no device: %s", words(code != CUDA_SUCCESS ? code : CUDA_ERROR_NO_DEVICE));
  return LIBSGEMM_UNAVAILABLE;
}

bool take_device(int ordinal, Error *why_not) {
  Device d;
  if (!describe(ordinal, &d)) {
    set_error(why_not, "the driver cannot describe device %d", ordinal);
    return false;
  }
  if (d.code_arch == 0) {
    set_error(why_not, "this build holds no code for device %d, %s (%s)", ordinal, d.arch_name, d.name);
    return false;
  }
  devices().push_back(d);
  return true;
}

}  // namespace libsgemm::gpu
