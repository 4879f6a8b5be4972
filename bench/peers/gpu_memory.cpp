#include "gpu_memory.h"

#include <fmt/core.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "base/command.h"
#include "base/timing.h"
#include "device_kernels.h"

namespace command {
namespace {

constexpr size_t kGatherMost = 4096;
constexpr double kObservationSeconds = 0.02;  // between readings of clocks and power
// hold() delays the stream while calls are enqueued, so that the device does not wait for the host.
constexpr double kEnqueueSeconds = 5e-6;  // most that a call takes
constexpr double kLeastHold = 2e-5, kMostHold = 2e-3;

constexpr unsigned long long kClockTicks = 200000;  // 2 ms at 100 MHz, 0.2 ms at 1 GHz
constexpr double kShortestHold = 1e-6;              // shortest duration of these ticks

constexpr size_t kCopyCaches = 8, kMostCopy = size_t{1} << 30;  // bytes of a copy: as a multiple of the cache; at most
constexpr int kCopies = 10, kCopySamples = 7;

int g_ordinal = 0;

int find_device(const GpuApi &api, int ordinal) {
  int count = 0;
  api.require(api.device_count(&count), "counting the GPUs");
  if (ordinal >= count) throw Error(fmt::format("--device {}: there are {} GPUs, counted from 0", ordinal, count));
  int device = 0;
  api.require(api.device_get(&device, ordinal), "finding the GPU");
  return device;
}

int attribute(const GpuApi &api, int device, int which) {
  int value = 0;
  api.require(api.device_attribute(&value, which, device), "an attribute of the GPU");
  return value;
}

std::string bus_id(const GpuApi &api, int device) {
  char text[96] = "";
  api.require(api.device_pci_bus_id(text, sizeof text, device), "the bus id of the GPU");
  return text;
}

// Hz and bytes/s of the data sheet; 0: unknown.
double clock_of(const GpuApi &api, int device) {
  return api.clock_attribute == 0 ? 0 : 1e3 * attribute(api, device, api.clock_attribute);
}
double bandwidth_of(const GpuApi &api, int device) {
  if (api.memory_clock_attribute == 0) return 0;
  return 2e3 * attribute(api, device, api.memory_clock_attribute) * attribute(api, device, api.bus_width_attribute) / 8;
}

GpuDescription describe(const GpuApi &api, int device, const std::string &driver_version) {
  char name[256] = "";
  api.require(api.device_name(name, sizeof name, device), "the name of the GPU");
  int version = 0;
  api.require(api.version(&version), "the version of the driver");
  return {name,
          api.arch(device),
          fmt::format("{} ({})", driver_version.empty() ? "unknown" : driver_version, api.version_text(version)),
          attribute(api, device, api.multiprocessors_attribute),
          std::max<int64_t>(attribute(api, device, api.l2_attribute), api.last_cache_bytes(device)),
          clock_of(api, device),
          bandwidth_of(api, device)};
}

}  // namespace

GpuMemory::GpuMemory(const GpuApi &api, int ordinal) : api_(api) {
  const int device = device_ = find_device(api, ordinal);
  sensors_ = api.sensors(bus_id(api, device));
  description_ = describe(api, device, sensors_->driver_version());
  api_.use_device(device);
  api_.require(api_.stream_create(&stream_, kStreamNonBlocking), "a stream");
  api_.require(api_.event_create(&start_, kEventDefault), "an event");
  api_.require(api_.event_create(&stop_, kEventDefault), "an event");
  void *locked = nullptr;
  api_.require(api_.host_allocate(&locked, kGatherMost * sizeof(float), kHostDefault), "page-locked memory");
  gathered_ = static_cast<float *>(locked);
  load_kernels(device);
}

// Errors are only noted: calls can be timed without the kernels.
void GpuMemory::load_kernels(int device) {
  try {
    const std::string code = api_.device_code(device);
    GpuModule module = nullptr;
    api_.require(api_.module_load(&module, code.c_str()), "compiling the device code of the bench");
    api_.require(api_.module_function(&hold_, module, kHoldKernel), kHoldKernel);
    has_kernels_ = true;
    measure_clock();
  } catch (const Error &error) {
    has_kernels_ = false;
    kernels_problem_ =
        fmt::format("the stream is not held while calls are enqueued, and the peak is not known: {}", error.what());
  }
}

void GpuMemory::measure_clock() {
  ticks_per_second_ = 1;
  double seconds = 0;
  for (int i = 0; i < 2; ++i) {  // the first call loads the kernel
    api_.require(api_.event_record(start_, stream_), "an event");
    hold(static_cast<double>(kClockTicks));
    api_.require(api_.event_record(stop_, stream_), "an event");
    seconds = seconds_between_events();
  }
  ticks_per_second_ = static_cast<double>(kClockTicks) / std::max(seconds, kShortestHold);
}

void *GpuMemory::allocate(size_t bytes) {
  void *memory = nullptr;
  api_.require(api_.memory_allocate(&memory, std::max<size_t>(bytes, 1)), "allocating on the GPU");
  return memory;
}

void GpuMemory::release(void *memory) {
  // An error would be one of earlier work: finish() reports those.
  api_.memory_free(memory);
}

void GpuMemory::upload(void *to, const void *from, size_t bytes) {
  if (bytes > 0) api_.require(api_.copy_to_device(to, from, bytes, stream_), "a copy to the GPU");
  finish();
}

void GpuMemory::download(void *to, const void *from, size_t bytes) {
  if (bytes > 0) api_.require(api_.copy_to_host(to, from, bytes, stream_), "a copy from the GPU");
  finish();
}

void GpuMemory::copy(void *to, const void *from, size_t bytes) {
  if (bytes == 0) return;
  api_.require(api_.copy_on_device(to, from, bytes, stream_), "a copy on the GPU");
}

void GpuMemory::scatter(float value, float *const *to, size_t count) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  for (size_t i = 0; i < count; ++i) {
    api_.require(api_.set_words(to[i], bits, 1, stream_), "setting an element on the GPU");
  }
}

void GpuMemory::gather(float *to, const float *const *from, size_t count) {
  for (size_t first = 0; first < count; first += kGatherMost) {
    const size_t part = std::min(kGatherMost, count - first);
    for (size_t i = 0; i < part; ++i) {
      api_.require(api_.copy_to_host(gathered_ + i, from[first + i], sizeof(float), stream_),
                   "reading an element from the GPU");
    }
    finish();
    memcpy(to + first, gathered_, part * sizeof(float));
  }
}

void GpuMemory::finish() { api_.require(api_.stream_synchronize(stream_), "work on the GPU"); }

double GpuMemory::time(int calls, const std::function<void(int)> &call) {
  hold(std::clamp(calls * kEnqueueSeconds, kLeastHold, kMostHold));
  api_.require(api_.event_record(start_, stream_), "an event");
  for (int i = 0; i < calls; ++i) call(i);
  api_.require(api_.event_record(stop_, stream_), "an event");
  observe();
  return seconds_between_events();
}

void GpuMemory::observe() { sensors_->observe(kObservationSeconds); }

double GpuMemory::seconds_between_events() {
  api_.require(api_.event_synchronize(stop_), "work on the GPU");
  float milliseconds = 0;
  api_.require(api_.event_elapsed(&milliseconds, start_, stop_), "the time between events");
  return 1e-3 * static_cast<double>(milliseconds);
}

Pace GpuMemory::pace() const { return {2e-3, 0.02, 3 * static_cast<size_t>(description_.cache_bytes)}; }

void GpuMemory::hold(double seconds) {
  if (!has_kernels_) return;
  auto ticks = static_cast<unsigned long long>(ticks_per_second_ * seconds);
  void *arguments[] = {&ticks};
  api_.require(api_.launch(hold_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr), "holding the stream");
}

void GpuMemory::mark() { api_.require(api_.event_record(start_, stream_), "an event"); }

bool GpuMemory::mark_passed() {
  const int result = api_.event_query(start_);
  if (result == kGpuNotReady) return false;
  api_.require(result, "work on the GPU");
  return true;
}

double GpuMemory::copy_bandwidth() {
  if (copy_bandwidth_ > 0) return copy_bandwidth_;
  const size_t bytes = std::min(kCopyCaches * static_cast<size_t>(description_.cache_bytes), kMostCopy);
  char *const memory = static_cast<char *>(allocate(2 * bytes));
  const auto copy_once = [&](int) { copy(memory + bytes, memory, bytes); };
  time(kCopies, copy_once);
  std::vector<double> seconds(kCopySamples);
  for (double &sample : seconds) sample = time(kCopies, copy_once);
  release(memory);
  return copy_bandwidth_ = 2.0 * static_cast<double>(bytes) * kCopies / median(seconds);
}

GpuMemory &cuda_memory() {
  static GpuMemory memory(cuda_api(), g_ordinal);
  return memory;
}

GpuMemory &hip_memory() {
  static GpuMemory memory(hip_api(), g_ordinal);
  return memory;
}

GpuMemory &gpu_memory_of(const std::string &backend) { return backend == "hip" ? hip_memory() : cuda_memory(); }

void select_gpu(int ordinal) { g_ordinal = ordinal; }

}  // namespace command
