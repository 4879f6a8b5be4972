// Enumerating the devices, without a context.
#include "device.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "driver.h"

// The architectures this plugin holds code for, from CMakeLists.txt.
#ifndef LIBSGEMM_CUDA_CODE
#error "LIBSGEMM_CUDA_CODE: the architectures with machine code, as in {\"80\", \"90a\"}"
#endif
#ifndef LIBSGEMM_CUDA_PTX
#error "LIBSGEMM_CUDA_PTX: the virtual architecture of the PTX, 0 for none"
#endif

namespace libsgemm::cuda {
namespace {

struct Code {
  int arch;
  bool specific;  // "90a": for that architecture alone
};

constexpr Code kCode[] = {LIBSGEMM_CUDA_CODE};

struct Devices {
  std::vector<Device> list;
  std::vector<int> index;  // by CUDA's number; -1: left out
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

// Machine code runs on its own architecture and on later ones of the same major version; PTX on all later ones.
bool has_code(int arch) {
  const auto runs = [arch](const Code &code) {
    return code.specific ? code.arch == arch : code.arch / 10 == arch / 10 && code.arch <= arch;
  };
  return std::any_of(std::begin(kCode), std::end(kCode), runs) || (LIBSGEMM_CUDA_PTX > 0 && arch >= LIBSGEMM_CUDA_PTX);
}

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver().device_attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

// Of the programming guide's table of throughputs.
int fma_per_clock(int arch) { return arch < 80 || arch == 80 ? 64 : 128; }

bool describe(int ordinal, Device *d) {
  CUdevice device;
  if (driver().device(&device, ordinal) != CUDA_SUCCESS) return false;
  *d = {};
  d->ordinal = ordinal;
  d->arch = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
            attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  d->schedulers = 4;
  d->wave = 32;
  d->compute_units = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  d->fma_per_clock = fma_per_clock(d->arch);
  d->l2_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  // With the opt-in that launch.cpp makes.
  d->shared_memory_per_block =
      static_cast<size_t>(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  d->clock = 1e3 * attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  // Twice the memory clock times the bus width.
  d->memory_bandwidth = 2e3 * attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
                        attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
  driver().device_memory(&d->memory_bytes, device);
  driver().device_name(d->name, sizeof d->name, device);
  return true;
}

libsgemm_status_t refuse(Devices *all) { return all->status = LIBSGEMM_UNAVAILABLE; }

void add(int ordinal, Devices *all) {
  Device d;
  if (!describe(ordinal, &d)) {
    set_error(&all->left_out, "the driver cannot describe device %d", ordinal);
  } else if (!has_code(d.arch)) {
    set_error(&all->left_out, "this build holds no code for device %d, sm_%d (%s)", ordinal, d.arch, d.name);
  } else if (all->index[static_cast<size_t>(ordinal)] < 0) {
    all->index[static_cast<size_t>(ordinal)] = static_cast<int>(all->list.size());
    all->list.push_back(d);
  }
}

libsgemm_status_t enumerate_once(Devices *all) {
  int count = 0;
  const CUresult code = driver().device_count(&count);
  if (code != CUDA_SUCCESS || count == 0) {
    set_error(&all->error, "the NVIDIA driver shows no device: %s",
              words(code != CUDA_SUCCESS ? code : CUDA_ERROR_NO_DEVICE));
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

}  // namespace libsgemm::cuda

const libsgemm::gpu::DeviceModel &libsgemm::gpu::model(int index) { return cuda::device(index); }
