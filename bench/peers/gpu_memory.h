// A GPU's memory and stream.
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
  int64_t cache_bytes;              // largest cache
  double clock = 0, bandwidth = 0;  // data sheet's Hz and bytes/s; 0: unknown
};

class GpuMemory : public Memory {
 public:
  GpuMemory(const GpuApi &api, int ordinal);

  void *allocate(size_t bytes) override;
  void release(void *memory) override;
  void upload(void *to, const void *from, size_t bytes) override;
  void download(void *to, const void *from, size_t bytes) override;
  void copy(void *to, const void *from, size_t bytes) override;
  void scatter(float value, float *const *to, size_t count) override;
  void gather(float *to, const float *const *from, size_t count) override;
  void finish() override;
  // Times by events. A kernel, if available, holds the stream while calls are enqueued.
  double time(int calls, const std::function<void(int)> &call) override;
  Pace pace() const override;
  void *stream() const override { return stream_; }
  const char *backend() const override { return api_.backend; }
  const char *arch() const override { return description_.arch.c_str(); }
  Telemetry take_telemetry() override { return sensors_->take(); }
  // Reads clocks and power, unless the last reading is recent.
  void observe();

  const GpuApi &api() const { return api_; }
  int device() const { return device_; }  // the driver's number
  const GpuDescription &description() const { return description_; }
  // Why there are no readings of clocks and power, or "".
  std::string telemetry_problem() const { return sensors_->problem(); }
  // Why no kernel can hold the stream, or "".
  std::string kernels_problem() const { return kernels_problem_; }

  // Keeps the stream busy; no effect without kernels.
  void hold(double seconds);
  // mark_passed(): the work before mark() is done.
  void mark();
  bool mark_passed();

  // Bytes/s, read and written, of a copy larger than all caches; measured once.
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
  double ticks_per_second_ = 0;
  std::string kernels_problem_;
  GpuDescription description_;
  std::unique_ptr<Sensors> sensors_;
  float *gathered_ = nullptr;  // page-locked, kGatherMost elements
  double copy_bandwidth_ = 0;
};

// The memory of select_gpu()'s device, opened once. Throw Error.
GpuMemory &cuda_memory();
GpuMemory &hip_memory();
GpuMemory &gpu_memory_of(const std::string &backend);
// Call it before the functions above. Default: 0.
void select_gpu(int ordinal);

}  // namespace command
