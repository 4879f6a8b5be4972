// The artificial AMD GPU that the rows are asked about and launched on, LIBSGEMM_SIMT_ARCH; and real GPUs, about which
// they are only asked.
#include "device.h"

#include <cstdio>
#include <cstring>
#include <vector>

#include "devices.h"
#include "simt.h"

namespace libsgemm::hip {
namespace {

struct Chip {
  const char *arch;
  Family family;
  int wave, schedulers, fma_per_clock;
};
constexpr Chip kChips[] = {{"gfx908", Family::cdna1, 64, 4, 64},   {"gfx90a", Family::cdna2, 64, 4, 128},
                           {"gfx942", Family::cdna3, 64, 4, 128},  {"gfx1030", Family::rdna2, 32, 2, 64},
                           {"gfx1100", Family::rdna3, 32, 2, 128}, {"gfx1201", Family::rdna4, 32, 2, 128}};

Device make_device() {
  Device d = {};
  for (const Chip &chip : kChips) {
    if (std::strcmp(chip.arch, LIBSGEMM_SIMT_ARCH) != 0) continue;
    std::strcpy(d.arch_name, chip.arch);
    std::strcpy(d.code_name, chip.arch);
    d.family = chip.family;
    d.wave = chip.wave;
    d.schedulers = chip.schedulers;
    d.fma_per_clock = chip.fma_per_clock;
  }
  d.compute_units = simt::schedule().multiprocessors;
  d.shared_memory_per_block = 64 << 10;
  d.clock = 1.7e9;
  d.memory_bandwidth = 100e9;
  return d;
}

// As device.cpp describes them, by data sheets.
struct Model {
  const char *name, *arch;
  Family family;
  int wave, schedulers, fma_per_clock, units;
  double gigahertz, gigabytes;  // a second
};
constexpr Model kModels[] = {
    {"Radeon VII", "gfx906", Family::gcn, 64, 4, 64, 60, 1.75, 1024},
    {"MI100", "gfx908", Family::cdna1, 64, 4, 64, 120, 1.502, 1229},
    {"MI210", "gfx90a", Family::cdna2, 64, 4, 128, 104, 1.7, 1638},
    {"MI300X", "gfx942", Family::cdna3, 64, 4, 128, 304, 2.1, 5300},
    {"MI355X", "gfx950", Family::cdna3, 64, 4, 128, 256, 2.4, 8000},
    {"RX 6900 XT", "gfx1030", Family::rdna2, 32, 2, 64, 80, 2.25, 512},
    {"RX 6600", "gfx1032", Family::rdna2, 32, 2, 64, 28, 2.49, 224},
    {"RX 7900 XTX", "gfx1100", Family::rdna3, 32, 2, 128, 96, 2.5, 960},
    {"RX 7600", "gfx1102", Family::rdna3, 32, 2, 128, 32, 2.66, 288},
    {"RX 9070 XT", "gfx1201", Family::rdna4, 32, 2, 128, 64, 2.97, 640},
};

std::vector<Device> make_devices() {
  std::vector<Device> devices = {make_device()};
  for (const Model &model : kModels) {
    Device d = make_device();
    std::snprintf(d.name, sizeof d.name, "%s", model.name);
    std::snprintf(d.arch_name, sizeof d.arch_name, "%s", model.arch);
    std::snprintf(d.code_name, sizeof d.code_name, "%s", model.arch);
    d.family = model.family;
    d.wave = model.wave;
    d.schedulers = model.schedulers;
    d.fma_per_clock = model.fma_per_clock;
    d.compute_units = model.units;
    d.clock = model.gigahertz * 1e9;
    d.memory_bandwidth = model.gigabytes * 1e9;
    devices.push_back(d);
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
