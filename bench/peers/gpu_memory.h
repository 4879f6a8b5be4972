// The memory of one GPU, with a stream on which everything is ordered and timed by events.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu_api.h"
#include "peers.h"

namespace command {

struct GpuDescription {
  std::string name, arch;  // "NVIDIA H100 80GB HBM3", "sm_90"; "AMD Instinct MI210", "gfx90a"
  std::string driver;      // "580.65.06 (CUDA 13.0)"
  int multiprocessors;
  int64_t cache_bytes;              // of the largest
  double clock = 0, bandwidth = 0;  // of the data sheet, Hz and bytes a second; 0: not known
};

class GpuMemory : public Memory {
 public:
  // Makes the device, with the context that the library's plugin uses, the thread's. Throws Error.
  GpuMemory(const GpuApi &api, int ordinal);

  void *allocate(size_t bytes) override;
  void release(void *memory) override;
  void upload(void *to, const void *from, size_t bytes) override;
  void download(void *to, const void *from, size_t bytes) override;
  void copy(void *to, const void *from, size_t bytes) override;
  void scatter(float value, float *const *to, size_t count) override;
  void gather(float *to, const float *const *from, size_t count) override;
  void finish() override;
  // By events, after a kernel, if there is one, that holds the stream until the first calls are enqueued.
  double time(int calls, const std::function<void(int)> &call) override;
  Pace pace() const override;
  void *stream() const override { return stream_; }
  const char *backend() const override { return api_.backend; }
  const char *arch() const override { return description_.arch.c_str(); }
  Telemetry take_telemetry() override { return sensors_->take(); }
  // A reading of clocks and power, unless the last is recent; time() takes it itself.
  void observe();

  const GpuApi &api() const { return api_; }
  int device() const { return device_; }  // as the driver numbers it
  const GpuDescription &description() const { return description_; }
  // Why the log of clocks and power is empty; empty if it is not.
  std::string telemetry_problem() const { return sensors_->problem(); }
  // Why there is no kernel to hold the stream; empty if there is.
  std::string kernels_problem() const { return kernels_problem_; }

  // Keeps the stream busy; nothing without kernels.
  void hold(double seconds);
  // Marks what has been enqueued so far; true if all of that is done.
  void mark();
  bool mark_passed();

  // Bytes a second, read and written, of a copy on the device that no cache holds. Measured at the first call.
  double copy_bandwidth();

 private:
  void load_kernels(int device);
  void measure_clock();
  double seconds_between_events();

  const GpuApi &api_;
  int device_ = 0;
  GpuStream stream_ = nullptr;
  GpuEvent start_ = nullptr, stop_ = nullptr;
  bool has_kernels_ = false;
  GpuFunction hold_ = nullptr;
  double ticks_per_second_ = 0;  // of the clock of kHoldKernel
  std::string kernels_problem_;
  GpuDescription description_;
  std::unique_ptr<Sensors> sensors_;
  float *gathered_ = nullptr;  // page-locked, kGatherMost elements
  double copy_bandwidth_ = 0;
};

// Those of the device chosen by select_gpu; opened at the first call. Throw Error.
GpuMemory &cuda_memory();
GpuMemory &hip_memory();
// Of a GPU backend, by its name.
GpuMemory &gpu_memory_of(const std::string &backend);
// By the vendor's number of it; before them. The default is 0.
void select_gpu(int ordinal);

}  // namespace command
