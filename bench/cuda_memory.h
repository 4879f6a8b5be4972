// The memory of one NVIDIA GPU, with a stream on which everything is ordered and timed by events.
#pragma once

#include <string>
#include <vector>

#include "cuda_driver.h"
#include "nvml.h"
#include "peers.h"

namespace command {

struct GpuDescription {
  std::string name, arch;  // "NVIDIA H100 80GB HBM3", "sm_90"
  std::string driver;      // "580.65.06 (CUDA 13.0)"
  int multiprocessors;
  int64_t l2_bytes;
};

class CudaMemory : public Memory {
 public:
  // Makes the device's primary context, which is that of the library's plugin too, current. Throws Error.
  explicit CudaMemory(int ordinal);

  void *allocate(size_t bytes) override;
  void release(void *memory) override;
  void upload(void *to, const void *from, size_t bytes) override;
  void download(void *to, const void *from, size_t bytes) override;
  void copy(void *to, const void *from, size_t bytes) override;
  void scatter(float value, float *const *to, size_t count) override;
  void gather(float *to, const float *const *from, size_t count) override;
  void finish() override;
  // By events, after a kernel that holds the stream until the first calls are enqueued.
  double time(int calls, const std::function<void(int)> &call) override;
  Pace pace() const override;
  void *stream() const override { return stream_; }
  const char *backend() const override { return "cuda"; }
  Telemetry take_telemetry() override { return nvml_.take(); }

  const GpuDescription &description() const { return description_; }
  // Why the log of clocks and power is empty; empty if it is not.
  std::string telemetry_problem() const { return nvml_.problem(); }

  // Keeps the stream busy.
  void hold(double seconds);
  // Marks what has been enqueued so far; true if all of that is done.
  void mark();
  bool mark_passed();

  // FP32 operations a second of fused multiply-adds from registers: the ceiling of any FP32 product here. Measured at
  // the first call.
  double peak();
  // Bytes a second, read and written, of a copy on the device that no cache holds. Measured at the first call.
  double copy_bandwidth();

 private:
  void load_kernels();
  double time_ffma(unsigned iterations);

  const Driver &driver_;
  CUstream stream_ = nullptr;
  CUevent start_ = nullptr, stop_ = nullptr;
  CUfunction hold_ = nullptr, ffma_ = nullptr;
  GpuDescription description_;
  Nvml nvml_;
  float *gathered_ = nullptr;  // page-locked, kGatherMost elements
  double peak_ = 0, copy_bandwidth_ = 0;
};

// That of the device chosen by select_gpu; opened at the first call. Throws Error.
CudaMemory &cuda_memory();
// By CUDA's number of it; before cuda_memory(). The default is 0.
void select_gpu(int ordinal);

}  // namespace command
