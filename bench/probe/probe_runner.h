// Runs and times the kernels of probe_kernels.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "peers/gpu_memory.h"
#include "probe.h"
#include "probe_kernels.h"

namespace command {

class KernelRunner {
 public:
  KernelRunner(GpuMemory *memory, double seconds);

  GpuMemory &memory() const { return *memory_; }
  const GpuApi &api() const { return api_; }
  double seconds() const { return seconds_; }
  int arch() const { return arch_; }  // 90 for sm_90; 0 for AMD

  bool has(const KernelProbe &probe) const;

  // Compiles once. Throws Error.
  GpuFunction function(const std::string &kernel);
  // Throws ProbeFault if the result is above what the device can do.
  void measure(const KernelProbe &probe, GpuFunction function, Figure *figure);
  void launch(const KernelProbe &probe, GpuFunction function, unsigned iterations, uint64_t data, unsigned bytes);

  // Calls sample(), which returns seconds, first to warm up, then repeatedly. Returns the later results, and stores the
  // GPU's telemetry in *figure.
  std::vector<double> sample(const std::function<double()> &sample, Figure *figure);

 private:
  struct Span {
    uint64_t data;
    unsigned bytes;
  };
  Span place(const KernelProbe &probe);
  unsigned blocks_of(const KernelProbe &probe) const;
  void fill_small();
  void *large(size_t bytes);
  void make_chain(size_t bytes);
  unsigned choose_iterations(const std::function<double(unsigned)> &run) const;
  double per_clock(Unit unit) const;
  static void require_possible(const KernelProbe &probe, const Figure &figure);

  GpuMemory *memory_;
  const GpuApi &api_;
  double seconds_;
  int arch_ = 0;
  std::map<std::string, GpuModule> modules_;
  Buffer out_, small_;
  std::unique_ptr<Buffer> large_;
  size_t large_bytes_ = 0;
};

// Returns the FP32 FLOP/s of the fastest instructions on registers: the ceiling of any FP32 product. 0: not measured.
double fp32_peak(GpuMemory *memory);

}  // namespace command
