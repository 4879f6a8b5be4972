// Clocks, power and temperature of an AMD GPU, as Linux's driver shows them in /sys.
#pragma once

#include "sensors.h"

namespace command {

class AmdSensors : public Sensors {
 public:
  // `pci_bus_id` as the runtime reports it: "0000:c1:00.0". Missing readings are left out.
  explicit AmdSensors(const std::string &pci_bus_id);

 private:
  Telemetry read() override;

  std::string folder_;  // the device's hwmon
};

}  // namespace command
