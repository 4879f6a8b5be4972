// Enumerating the devices.
#include "device.h"

#include <hip/hip_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

// The architectures this plugin holds code for, from CMakeLists.txt.
#ifndef LIBSGEMM_HIP_CODE
#error "LIBSGEMM_HIP_CODE: the architectures with machine code, as in \"gfx906\", \"gfx90a\""
#endif

namespace libsgemm::hip {
namespace {

constexpr const char *kCode[] = {LIBSGEMM_HIP_CODE};

struct Devices {
  std::vector<Device> list;
  std::vector<int> index;  // by HIP's number; -1: left out
  Error left_out = {};
  Error error = {};
  libsgemm_status_t status = LIBSGEMM_SUCCESS;
  std::atomic<bool> done{false};
};

const Host *g_host = nullptr;

// Never destroyed: calls may come from exit handlers.
Devices &devices() {
  static Devices *instance = new Devices;
  return *instance;
}

// A code object runs on its own architecture only. Of which family that is does not matter: vector instructions are the
// least that a row needs.
bool has_code(const char *arch) {
  return std::any_of(std::begin(kCode), std::end(kCode),
                     [arch](const char *code) { return std::strcmp(code, arch) == 0; });
}

std::string all_code() {
  std::string text;
  for (const char *code : kCode) text += (text.empty() ? "" : " ") + std::string(code);
  return text;
}

// What a compute unit of a family does in a clock, its SIMDs, and how many bits a pin of the memory moves in a cycle of
// the clock that the runtime reports: HBM2 2, HBM3 4, GDDR6 16. The last entry of a name's beginning counts.
struct Chips {
  const char *prefix;
  Family family;
  int fma_per_clock, schedulers;
  double bits_per_cycle;
};

constexpr Chips kChips[] = {
    {"", Family::unknown, 64, 4, 2},      {"gfx9", Family::gcn, 64, 4, 2},      {"gfx908", Family::cdna1, 64, 4, 2},
    {"gfx90a", Family::cdna2, 128, 4, 2}, {"gfx94", Family::cdna3, 128, 4, 4},  {"gfx95", Family::cdna3, 128, 4, 4},
    {"gfx10", Family::rdna2, 64, 2, 16},  {"gfx11", Family::rdna3, 128, 2, 16}, {"gfx120", Family::rdna4, 128, 2, 16},
    {"sm_", Family::foreign, 128, 4, 2},
};

const Chips &chips_of(const char *arch) {
  const Chips *found = &kChips[0];
  for (const Chips &chips : kChips) {
    if (std::strncmp(arch, chips.prefix, std::strlen(chips.prefix)) == 0) found = &chips;
  }
  return *found;
}

constexpr double kUsualClock = 1.7e9, kUsualBandwidth = 500e9;  // Hz, bytes a second

int attribute(int ordinal, hipDeviceAttribute_t which) {
  int value = 0;
  if (hipDeviceGetAttribute(&value, which, ordinal) == hipSuccess) return value;
  static_cast<void>(hipGetLastError());
  return 0;
}

bool describe(int ordinal, Device *d) {
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, ordinal) != hipSuccess) return false;
  *d = {};
  d->ordinal = ordinal;
  std::snprintf(d->arch, sizeof d->arch, "%.*s", static_cast<int>(std::strcspn(properties.gcnArchName, ":")),
                properties.gcnArchName);
  std::snprintf(d->name, sizeof d->name, "%.*s", static_cast<int>(sizeof d->name) - 1,
                properties.name[0] != '\0' ? properties.name : d->arch);
  d->memory_bytes = properties.totalGlobalMem;
  const Chips &chips = chips_of(d->arch);
  d->family = chips.family;
  // The other attribute counts pairs of compute units on RDNA.
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
  // The rest only serves predictions, which must not divide by nothing.
  if (d->clock <= 0) d->clock = kUsualClock;
  if (d->memory_bandwidth <= 0) d->memory_bandwidth = kUsualBandwidth;
  return true;
}

libsgemm_status_t refuse(Devices *all) { return all->status = LIBSGEMM_UNAVAILABLE; }

void add(int ordinal, Devices *all) {
  Device d;
  if (!describe(ordinal, &d)) {
    set_error(&all->left_out, "the HIP runtime cannot describe device %d", ordinal);
  } else if (!has_code(d.arch)) {
    set_error(&all->left_out, "this build holds no code for device %d, %s (%s): only for %s", ordinal, d.arch, d.name,
              all_code().c_str());
  } else if (all->index[static_cast<size_t>(ordinal)] < 0) {
    all->index[static_cast<size_t>(ordinal)] = static_cast<int>(all->list.size());
    all->list.push_back(d);
  }
}

// Why there may be no device: what users meet before anything else.
void explain_no_device(hipError_t code, Error *error) {
  std::string why;
#if defined(__HIP_PLATFORM_AMD__)
  if (access("/dev/kfd", F_OK) != 0) {
    why = "; there is no /dev/kfd: no AMD GPU, or its driver amdgpu is not loaded";
  } else if (access("/dev/kfd", R_OK | W_OK) != 0) {
    why = "; this user may not open /dev/kfd: it takes membership of the group render or video";
  }
#endif
  for (const char *variable : {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const char *value = std::getenv(variable);
    if (value != nullptr) why += std::string("; ") + variable + "=" + value;
  }
  set_error(error, "the HIP runtime shows no device: %s%s", hipGetErrorString(code), why.c_str());
}

libsgemm_status_t enumerate_once(Devices *all) {
  int count = 0;
  const hipError_t code = hipGetDeviceCount(&count);
  if (code != hipSuccess || count == 0) {
    explain_no_device(code != hipSuccess ? code : hipErrorNoDevice, &all->error);
    static_cast<void>(hipGetLastError());
    return refuse(all);
  }
  all->index.assign(static_cast<size_t>(count), -1);
  if (g_host->devices == nullptr) {
    for (int ordinal = 0; ordinal < count; ++ordinal) add(ordinal, all);
  }
  for (int i = 0; g_host->devices != nullptr && i < g_host->device_count; ++i) {
    const int ordinal = g_host->devices[i];
    if (ordinal >= count) {
      set_error(&all->error, "LIBSGEMM_DEVICES names device %d, and there are %d, counted from 0", ordinal, count);
      return refuse(all);
    }
    add(ordinal, all);
  }
  if (all->list.empty()) {
    all->error = all->left_out;
    return refuse(all);
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace

void set_host(const Host &host) { g_host = &host; }

libsgemm_status_t enumerate(Error *error) {
  Devices &all = devices();
  if (!all.done.load(std::memory_order_acquire)) {  // asked for with every pointer
    static std::mutex *mutex = new std::mutex;
    const std::lock_guard<std::mutex> lock(*mutex);
    if (!all.done) enumerate_once(&all);
    all.done.store(true, std::memory_order_release);
  }
  if (all.status != LIBSGEMM_SUCCESS) *error = all.error;
  return all.status;
}

const Device &device(int index) { return devices().list[static_cast<size_t>(index)]; }

int device_count() { return static_cast<int>(devices().list.size()); }

int index_of(int ordinal) {
  const Devices &all = devices();
  return ordinal >= 0 && static_cast<size_t>(ordinal) < all.index.size() ? all.index[static_cast<size_t>(ordinal)] : -1;
}

const char *left_out() { return devices().left_out.text; }

}  // namespace libsgemm::hip

const libsgemm::gpu::DeviceModel &libsgemm::gpu::model(int index) { return hip::device(index); }
