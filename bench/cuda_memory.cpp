#include "cuda_memory.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "command.h"
#include "device_kernels.h"
#include "timing.h"

namespace command {
namespace {

constexpr size_t kGatherMost = 4096;
constexpr double kObservationSeconds = 0.02;  // between readings of clocks and power
// The stream is held while calls are enqueued, so that the device does not wait for the host.
constexpr double kEnqueueSeconds = 5e-6;  // of one call, at most
constexpr double kLeastHold = 2e-5, kMostHold = 2e-3;

constexpr unsigned kFfmaThreads = 256, kFfmaBlocks = 8;  // blocks a multiprocessor
constexpr unsigned kFfmaIterations = 4000;               // some 10 ms
constexpr int kFfmaSamples = 11;

constexpr size_t kCopyCaches = 8;  // bytes of a copy, in sizes of the L2 cache
constexpr int kCopies = 10, kCopySamples = 7;

int g_ordinal = 0;

CUdeviceptr address_of(const void *memory) { return reinterpret_cast<CUdeviceptr>(memory); }

CUdevice find_device(const Driver &driver, int ordinal) {
  int count = 0;
  require_cuda(driver.device_count(&count), "counting the GPUs");
  if (ordinal >= count) throw Error(fmt::format("--device {}: there are {} GPUs, counted from 0", ordinal, count));
  CUdevice device = 0;
  require_cuda(driver.device_get(&device, ordinal), "finding the GPU");
  return device;
}

int attribute(const Driver &driver, CUdevice device, DeviceAttribute which) {
  int value = 0;
  require_cuda(driver.device_attribute(&value, which, device), "an attribute of the GPU");
  return value;
}

std::string bus_id(const Driver &driver, CUdevice device) {
  char text[32] = "";
  require_cuda(driver.device_pci_bus_id(text, sizeof text, device), "the bus id of the GPU");
  return text;
}

GpuDescription describe(const Driver &driver, CUdevice device, const std::string &driver_version) {
  char name[256] = "";
  require_cuda(driver.device_name(name, sizeof name, device), "the name of the GPU");
  int version = 0;
  require_cuda(driver.driver_version(&version), "the version of the driver");
  return {
      name,
      fmt::format("sm_{}{}", attribute(driver, device, kCapabilityMajor), attribute(driver, device, kCapabilityMinor)),
      fmt::format("{} (CUDA {}.{})", driver_version.empty() ? "unknown" : driver_version, version / 1000,
                  version % 1000 / 10),
      attribute(driver, device, kMultiprocessors), attribute(driver, device, kL2Bytes)};
}

}  // namespace

CudaMemory::CudaMemory(int ordinal)
    : driver_(cuda_driver()), nvml_(bus_id(driver_, find_device(driver_, ordinal)).c_str()) {
  const CUdevice device = find_device(driver_, ordinal);
  description_ = describe(driver_, device, nvml_.driver_version());
  CUcontext context = nullptr;
  require_cuda(driver_.primary_context_retain(&context, device), "the context of the GPU");
  require_cuda(driver_.context_set_current(context), "the context of the GPU");
  require_cuda(driver_.stream_create(&stream_, kStreamNonBlocking), "a stream");
  require_cuda(driver_.event_create(&start_, kEventDefault), "an event");
  require_cuda(driver_.event_create(&stop_, kEventDefault), "an event");
  void *locked = nullptr;
  require_cuda(driver_.host_allocate(&locked, kGatherMost * sizeof(float)), "page-locked memory");
  gathered_ = static_cast<float *>(locked);
  load_kernels();
}

void CudaMemory::load_kernels() {
  const std::string text = device_kernels();
  CUmodule module = nullptr;
  require_cuda(driver_.module_load(&module, text.c_str()), "compiling the device code of the bench");
  require_cuda(driver_.module_function(&hold_, module, kHoldKernel), kHoldKernel);
  require_cuda(driver_.module_function(&ffma_, module, kFfmaKernel), kFfmaKernel);
}

void *CudaMemory::allocate(size_t bytes) {
  CUdeviceptr memory = 0;
  require_cuda(driver_.memory_allocate(&memory, std::max<size_t>(bytes, 1)), "allocating on the GPU");
  return reinterpret_cast<void *>(memory);
}

void CudaMemory::release(void *memory) {
  // Errors of earlier work, which this may report, have been found by finish() before.
  driver_.memory_free(address_of(memory));
}

void CudaMemory::upload(void *to, const void *from, size_t bytes) {
  if (bytes > 0) require_cuda(driver_.copy_to_device(address_of(to), from, bytes, stream_), "a copy to the GPU");
  finish();
}

void CudaMemory::download(void *to, const void *from, size_t bytes) {
  if (bytes > 0) require_cuda(driver_.copy_to_host(to, address_of(from), bytes, stream_), "a copy from the GPU");
  finish();
}

void CudaMemory::copy(void *to, const void *from, size_t bytes) {
  if (bytes == 0) return;
  require_cuda(driver_.copy_on_device(address_of(to), address_of(from), bytes, stream_), "a copy on the GPU");
}

void CudaMemory::scatter(float value, float *const *to, size_t count) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  for (size_t i = 0; i < count; ++i) {
    require_cuda(driver_.set_words(address_of(to[i]), bits, 1, stream_), "setting an element on the GPU");
  }
}

void CudaMemory::gather(float *to, const float *const *from, size_t count) {
  for (size_t first = 0; first < count; first += kGatherMost) {
    const size_t part = std::min(kGatherMost, count - first);
    for (size_t i = 0; i < part; ++i) {
      require_cuda(driver_.copy_to_host(gathered_ + i, address_of(from[first + i]), sizeof(float), stream_),
                   "reading an element from the GPU");
    }
    finish();
    memcpy(to + first, gathered_, part * sizeof(float));
  }
}

void CudaMemory::finish() { require_cuda(driver_.stream_synchronize(stream_), "work on the GPU"); }

double CudaMemory::time(int calls, const std::function<void(int)> &call) {
  hold(std::clamp(calls * kEnqueueSeconds, kLeastHold, kMostHold));
  require_cuda(driver_.event_record(start_, stream_), "an event");
  for (int i = 0; i < calls; ++i) call(i);
  require_cuda(driver_.event_record(stop_, stream_), "an event");
  nvml_.observe(kObservationSeconds);
  require_cuda(driver_.event_synchronize(stop_), "work on the GPU");
  float milliseconds = 0;
  require_cuda(driver_.event_elapsed(&milliseconds, start_, stop_), "the time between events");
  return 1e-3 * static_cast<double>(milliseconds);
}

Pace CudaMemory::pace() const { return {2e-3, 0.02, 3 * static_cast<size_t>(description_.l2_bytes)}; }

void CudaMemory::hold(double seconds) {
  unsigned long long nanoseconds = static_cast<unsigned long long>(1e9 * seconds);
  void *arguments[] = {&nanoseconds};
  require_cuda(driver_.launch(hold_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr), "holding the stream");
}

void CudaMemory::mark() { require_cuda(driver_.event_record(start_, stream_), "an event"); }

bool CudaMemory::mark_passed() {
  const CUresult result = driver_.event_query(start_);
  if (result == kCudaNotReady) return false;
  require_cuda(result, "work on the GPU");
  return true;
}

double CudaMemory::time_ffma(unsigned iterations) {
  CUdeviceptr sink = 0;
  float a = 0.999f, b = 1e-3f;
  void *arguments[] = {&sink, &iterations, &a, &b};
  const unsigned blocks = kFfmaBlocks * static_cast<unsigned>(description_.multiprocessors);
  return time(1, [&](int) {
    require_cuda(driver_.launch(ffma_, blocks, 1, 1, kFfmaThreads, 1, 1, 0, stream_, arguments, nullptr),
                 "the FFMA micro-benchmark");
  });
}

double CudaMemory::peak() {
  if (peak_ > 0) return peak_;
  for (int i = 0; i < kFfmaSamples; ++i) time_ffma(kFfmaIterations);  // brings the clocks up
  std::vector<double> seconds(kFfmaSamples);
  for (double &sample : seconds) sample = time_ffma(kFfmaIterations);
  const double flops = 2.0 * kChains * kUnroll * kFfmaIterations * kFfmaThreads * kFfmaBlocks *
                       static_cast<double>(description_.multiprocessors);
  return peak_ = flops / median(seconds);
}

double CudaMemory::copy_bandwidth() {
  if (copy_bandwidth_ > 0) return copy_bandwidth_;
  const size_t bytes = kCopyCaches * static_cast<size_t>(description_.l2_bytes);
  char *const memory = static_cast<char *>(allocate(2 * bytes));
  const auto copy_once = [&](int) { copy(memory + bytes, memory, bytes); };
  time(kCopies, copy_once);
  std::vector<double> seconds(kCopySamples);
  for (double &sample : seconds) sample = time(kCopies, copy_once);
  release(memory);
  return copy_bandwidth_ = 2.0 * static_cast<double>(bytes) * kCopies / median(seconds);
}

CudaMemory &cuda_memory() {
  static CudaMemory memory(g_ordinal);
  return memory;
}

void select_gpu(int ordinal) { g_ordinal = ordinal; }

}  // namespace command
