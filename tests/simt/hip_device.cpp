// LIBSGEMM_SIMT_ARCH is the architecture of the artificial GPU.
#include <vector>

#include "devices.h"
#include "hip/runtime/data_sheet.h"
#include "simt/fibers/simt.h"

namespace libsgemm::hip {
namespace {

// Fields follow device.cpp, numbers data sheets.
struct Model {
  const char *name, *arch;
  int units;
  double gigahertz, gigabytes;
};
constexpr Model kModels[] = {
    {"Radeon VII", "gfx906", 60, 1.75, 1024}, {"MI100", "gfx908", 120, 1.502, 1229},
    {"MI210", "gfx90a", 104, 1.7, 1638},      {"MI300X", "gfx942", 304, 2.1, 5300},
    {"MI355X", "gfx950", 256, 2.4, 8000},     {"RX 6900 XT", "gfx1030", 80, 2.25, 512},
    {"RX 6600", "gfx1032", 28, 2.49, 224},    {"RX 7900 XTX", "gfx1100", 96, 2.5, 960},
    {"RX 7600", "gfx1102", 32, 2.66, 288},    {"RX 9070 XT", "gfx1201", 64, 2.97, 640},
};

std::vector<Device> make_devices() {
  std::vector<Device> devices = {by_data_sheet("", LIBSGEMM_SIMT_ARCH, simt::schedule().multiprocessors, 1.7e9, 100e9)};
  for (const Model &model : kModels) {
    devices.push_back(by_data_sheet(model.name, model.arch, model.units, model.gigahertz * 1e9, model.gigabytes * 1e9));
  }
  return devices;
}

const std::vector<Device> &devices() {
  static const std::vector<Device> all = make_devices();
  return all;
}

}  // namespace

const Device &device(int index) { return devices()[static_cast<size_t>(index)]; }

}  // namespace libsgemm::hip

const libsgemm::gpu::DeviceModel &libsgemm::gpu::model(int index) { return hip::device(index); }

int simt::device_count() { return static_cast<int>(libsgemm::hip::devices().size()); }
