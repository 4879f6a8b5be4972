// The artificial AMD GPU that the rows are asked about and launched on, LIBSGEMM_SIMT_ARCH.
#include "device.h"

#include <cstring>

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

}  // namespace

const Device &device(int) {
  static const Device instance = make_device();
  return instance;
}

}  // namespace libsgemm::hip

const libsgemm::gpu::DeviceModel &libsgemm::gpu::model(int index) { return hip::device(index); }
