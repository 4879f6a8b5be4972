// Clocks, power and temperature of an AMD GPU from Linux's /sys.
#pragma once

#include "sensors.h"

namespace command {

class AmdSensors : public Sensors {
 public:
  // `pci_bus_id`: "0000:c1:00.0".
  explicit AmdSensors(const std::string &pci_bus_id);

 private:
  Telemetry read() override;

  std::string folder_;  // hwmon of the device
};

}  // namespace command
