// Clocks, power and temperature of an NVIDIA GPU, from the driver's management library, loaded at run time.
#pragma once

#include <string>

#include "peers.h"

namespace command {

class Nvml {
 public:
  // `pci_bus_id` as the driver's API gives it. What is not there, the library or a reading, is left out.
  explicit Nvml(const char *pci_bus_id);

  // One reading; none if the last is younger than `least_seconds`.
  void observe(double least_seconds);
  Telemetry take();

  std::string driver_version() const { return driver_version_; }  // "580.65.06"; empty if unknown
  std::string problem() const { return problem_; }                // why there are no readings; empty if there are

 private:
  using Device = void *;
  template <class Function>
  void find(Function *function, const char *symbol);

  void *library_ = nullptr;
  Device device_ = nullptr;
  std::string driver_version_, problem_;
  int (*clock_)(Device, int, unsigned *) = nullptr;
  int (*power_)(Device, unsigned *) = nullptr;
  int (*temperature_)(Device, int, unsigned *) = nullptr;
  int (*reasons_)(Device, unsigned long long *) = nullptr;
  Telemetry telemetry_;
  double last_ = 0;
};

// "none", or the names of the bits.
std::string throttle_text(uint64_t reasons);

}  // namespace command
