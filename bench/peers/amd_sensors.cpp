#include "amd_sensors.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace command {
namespace {

double read_number(const std::string &file) {
  std::ifstream stream(file);
  double value = 0;
  return stream >> value ? value : 0;
}

std::string read_line(const std::string &file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace

AmdSensors::AmdSensors(const std::string &pci_bus_id) {
  const std::string monitors = "/sys/bus/pci/devices/" + pci_bus_id + "/hwmon";
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(monitors, error)) folder_ = entry.path().string();
  if (folder_.empty()) problem_ = fmt::format("clocks and power are not known: {}: not found", monitors);
  driver_version_ = read_line("/sys/module/amdgpu/version");  // only in AMD's own package
}

// Units: Hz, microwatts, thousandths of a degree. Chips report current or average power.
Telemetry AmdSensors::read() {
  const double mhz = 1e-6 * read_number(folder_ + "/freq1_input");
  double watts = 1e-6 * read_number(folder_ + "/power1_average");
  if (watts == 0) watts = 1e-6 * read_number(folder_ + "/power1_input");
  const double celsius = 1e-3 * read_number(folder_ + "/temp1_input");
  return {1, mhz, mhz, watts, watts, celsius, 0, false};
}

}  // namespace command
