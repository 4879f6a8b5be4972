// Sensors of an NVIDIA GPU, from its management library, loaded at run time.
#pragma once

#include "sensors.h"

namespace command {

class Nvml : public Sensors {
 public:
  // `pci_bus_id` is the driver's.
  explicit Nvml(const char *pci_bus_id);

 private:
  using Device = void *;
  template <class Function>
  void find(Function *function, const char *symbol);
  Telemetry read() override;

  void *library_ = nullptr;
  Device device_ = nullptr;
  int (*clock_)(Device, int, unsigned *) = nullptr;
  int (*power_)(Device, unsigned *) = nullptr;
  int (*temperature_)(Device, int, unsigned *) = nullptr;
  int (*reasons_)(Device, unsigned long long *) = nullptr;
};

std::string throttle_text(uint64_t reasons);

}  // namespace command
