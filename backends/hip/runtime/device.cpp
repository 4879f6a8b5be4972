#include "device.h"

#include <hip/hip_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/runtime/code.h"
#include "gpu/runtime/devices.h"

#ifndef LIBSGEMM_HIP_CODE
#error "LIBSGEMM_HIP_CODE: the architectures with machine code, as in \"gfx906\", \"gfx90a\""
#endif

namespace libsgemm::hip {
namespace {

constexpr const char *kCode[] = {LIBSGEMM_HIP_CODE};

// The list is never destroyed: exit handlers use it.
std::vector<Device> &devices() {
  static auto *instance = new std::vector<Device>;
  return *instance;
}

// A family's code, and a name prefix of chips that run it.
struct Generic {
  const char *code, *chips;
};
constexpr Generic kGenerics[] = {{"gfx9-4-generic", "gfx94"},
                                 {"gfx9-4-generic", "gfx95"},
                                 {"gfx10-3-generic", "gfx103"},
                                 {"gfx11-generic", "gfx11"},
                                 {"gfx12-generic", "gfx120"}};

bool begins_with(const char *name, const char *with) { return std::strncmp(name, with, std::strlen(with)) == 0; }

bool is_for_family_of(const char *code, const char *arch) {
  return std::any_of(std::begin(kGenerics), std::end(kGenerics), [&](const Generic &generic) {
    return std::strcmp(code, generic.code) == 0 && begins_with(arch, generic.chips);
  });
}

// Returns the code that the runtime chooses: the architecture's, else its family's; NULL if none. Some kernels need
// only vector instructions, so the chip may be of any Family.
const char *code_for(const char *arch) {
  const char *found = nullptr;
  for (const char *code : kCode) {
    if (std::strcmp(code, arch) == 0) return code;
    if (is_for_family_of(code, arch)) found = code;
  }
  return found;
}

std::string all_code() {
  std::string text;
  for (const char *code : kCode) text += (text.empty() ? "" : " ") + std::string(code);
  return text;
}

constexpr double kUsualClock = 1.7e9, kUsualBandwidth = 500e9;  // Hz, bytes/s

int attribute(int ordinal, hipDeviceAttribute_t which) {
  int value = 0;
  return succeeds(hipDeviceGetAttribute(&value, which, ordinal)) ? value : 0;
}

bool describe(int ordinal, Device *d) {
  hipDeviceProp_t properties;
  if (!succeeds(hipGetDeviceProperties(&properties, ordinal))) return false;
  *d = {};
  d->ordinal = ordinal;
  std::snprintf(d->arch_name, sizeof d->arch_name, "%.*s", static_cast<int>(std::strcspn(properties.gcnArchName, ":")),
                properties.gcnArchName);
  std::snprintf(d->name, sizeof d->name, "%.*s", static_cast<int>(sizeof d->name) - 1,
                properties.name[0] != '\0' ? properties.name : d->arch_name);
  d->memory_bytes = properties.totalGlobalMem;
  const Chips &chips = chips_of(d->arch_name);
  d->family = chips.family;
  // On RDNA the other attribute counts pairs of compute units.
  d->compute_units = attribute(ordinal, hipDeviceAttributePhysicalMultiProcessorCount);
  if (d->compute_units == 0) d->compute_units = attribute(ordinal, hipDeviceAttributeMultiprocessorCount);
  d->schedulers = chips.schedulers;
  d->wave = attribute(ordinal, hipDeviceAttributeWarpSize);
  d->fma_per_clock = chips.fma_per_clock;
  d->clock = 1e3 * attribute(ordinal, hipDeviceAttributeClockRate);
  d->memory_bandwidth = chips.bits_per_cycle * 1e3 * attribute(ordinal, hipDeviceAttributeMemoryClockRate) *
                        attribute(ordinal, hipDeviceAttributeMemoryBusWidth) / 8;
  d->shared_memory_per_block = static_cast<size_t>(attribute(ordinal, hipDeviceAttributeMaxSharedMemoryPerBlock));
  if (d->compute_units <= 0 || d->wave <= 0 || d->shared_memory_per_block == 0) return false;
  if (d->clock <= 0) d->clock = kUsualClock;
  if (d->memory_bandwidth <= 0) d->memory_bandwidth = kUsualBandwidth;
  return true;
}

// Users often see this error first.
void explain_no_device(hipError_t code, Error *error) {
  std::string why;
#if defined(__HIP_PLATFORM_AMD__)
  if (access("/dev/kfd", F_OK) != 0) {
    why = "; there is no /dev/kfd: no AMD GPU, or its driver amdgpu is not loaded";
  } else if (access("/dev/kfd", R_OK | W_OK) != 0) {
    why = "; this user may not open /dev/kfd: that needs membership of the group render or video";
  }
#endif
  for (const char *variable : {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const char *value = std::getenv(variable);
    if (value != nullptr) why += std::string("; ") + variable + "=" + value;
  }
  set_error(error, "the HIP runtime shows no device: %s%s", hipGetErrorString(code), why.c_str());
}

}  // namespace

const Device &device(int index) { return devices()[static_cast<size_t>(index)]; }

}  // namespace libsgemm::hip

namespace libsgemm::gpu {

using namespace hip;

const DeviceModel &model(int index) { return device(index); }

libsgemm_status_t count_devices(int *count, Error *error) {
  const hipError_t code = hipGetDeviceCount(count);
  if (succeeds(code) && *count > 0) return LIBSGEMM_SUCCESS;
  explain_no_device(code != hipSuccess ? code : hipErrorNoDevice, error);
  return LIBSGEMM_UNAVAILABLE;
}

bool take_device(int ordinal, Error *why_not) {
  Device d;
  if (!describe(ordinal, &d)) {
    set_error(why_not, "the HIP runtime cannot describe device %d", ordinal);
    return false;
  }
  const char *code = code_for(d.arch_name);
  if (code == nullptr) {
    set_error(why_not, "this build holds no code for device %d, %s (%s): only for %s", ordinal, d.arch_name, d.name,
              all_code().c_str());
    return false;
  }
  std::snprintf(d.code_name, sizeof d.code_name, "%s", code);
  devices().push_back(d);
  return true;
}

}  // namespace libsgemm::gpu
