#include "nvml.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace command {
namespace {

constexpr const char *kFile = "libnvidia-ml.so.1";
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;         // NVML_CLOCK_SM
constexpr int kTemperatureGpu = 0;  // NVML_TEMPERATURE_GPU

struct Reason {
  uint64_t bit;
  const char *name;
};

// nvmlClocksEventReasons
constexpr Reason kReasons[] = {{0x1, "idle"},
                               {0x2, "application clocks"},
                               {0x4, "power cap"},
                               {0x8, "hardware slowdown"},
                               {0x10, "sync boost"},
                               {0x20, "thermal"},
                               {0x40, "hardware thermal"},
                               {0x80, "power brake"},
                               {0x100, "display clocks"}};

}  // namespace

template <class Function>
void Nvml::find(Function *function, const char *symbol) {
  *function = reinterpret_cast<Function>(dlsym(library_, symbol));
}

Nvml::Nvml(const char *pci_bus_id) {
  library_ = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    problem_ = fmt::format("clocks and power are not known: {}", dlerror());
    return;
  }
  int (*init)() = nullptr;
  int (*find_device)(const char *, Device *) = nullptr;
  int (*version)(char *, unsigned) = nullptr;
  find(&init, "nvmlInit_v2");
  find(&find_device, "nvmlDeviceGetHandleByPciBusId_v2");
  find(&version, "nvmlSystemGetDriverVersion");
  find(&clock_, "nvmlDeviceGetClockInfo");
  find(&power_, "nvmlDeviceGetPowerUsage");
  find(&temperature_, "nvmlDeviceGetTemperature");
  find(&reasons_, "nvmlDeviceGetCurrentClocksEventReasons");
  if (reasons_ == nullptr) find(&reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons");  // until driver 535
  if (init == nullptr || find_device == nullptr || init() != kSuccess ||
      find_device(pci_bus_id, &device_) != kSuccess) {
    device_ = nullptr;
    problem_ = fmt::format("clocks and power are not known: {} does not know the device {}", kFile, pci_bus_id);
    return;
  }
  char text[96] = "";
  if (version != nullptr && version(text, sizeof text) == kSuccess) driver_version_ = text;
}

Telemetry Nvml::read() {
  unsigned mhz = 0, milliwatts = 0, celsius = 0;
  unsigned long long reasons = 0;
  if (clock_ != nullptr) clock_(device_, kClockSm, &mhz);
  if (power_ != nullptr) power_(device_, &milliwatts);
  if (temperature_ != nullptr) temperature_(device_, kTemperatureGpu, &celsius);
  if (reasons_ != nullptr) reasons_(device_, &reasons);
  const double clock = mhz, watts = 1e-3 * milliwatts;
  return {1, clock, clock, watts, watts, static_cast<double>(celsius), reasons, reasons_ != nullptr};
}

std::string throttle_text(uint64_t reasons) {
  std::string text;
  for (const Reason &reason : kReasons) {
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.name);
  }
  return text.empty() ? "none" : text;
}

}  // namespace command
