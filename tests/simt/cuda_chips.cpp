#include "runtime/device.h"

#include <cstdio>
#include <vector>

#include "devices.h"
#include "hopper/reassigned.h"
#include "runtime/throughput.h"
#include "simt/fibers/simt.h"

namespace libsgemm::cuda {

namespace {

Device artificial() {
  Device d = {};
  d.arch = d.code_arch = 90;
  d.schedulers = 4;
  d.wave = 32;
  d.compute_units = simt::Schedule().multiprocessors;
  d.fma_per_clock = 128;
  d.tensor_per_clock = 1280;
  d.wgmma_per_clock = 2048;
  d.fp64_tensor_per_clock = 128;
  d.l2_bytes = 1 << 20;
  d.shared_memory_per_block = simt::kMaxSharedBytes;
  d.parameter_bytes = 32764;
  d.clock = 1.98e9;
  d.memory_bandwidth = 100e9;
  return d;
}

// Throughputs follow architecture and name as in runtime/device.cpp; the rest is from data sheets.
struct Chip {
  const char *name;
  int arch, units;
  double gigahertz, gigabytes;
  int shared_kib, l2_mib;
};
constexpr Chip kChips[] = {
    {"T4", 75, 40, 1.59, 320, 64, 4},          {"RTX 2080 Ti", 75, 68, 1.545, 616, 64, 6},
    {"A100", 80, 108, 1.41, 1555, 163, 40},    {"A30", 80, 56, 1.44, 933, 163, 24},
    {"RTX 3090", 86, 82, 1.695, 936, 99, 6},   {"RTX 3050", 86, 20, 1.777, 224, 99, 2},
    {"Orin", 87, 16, 1.3, 205, 163, 4},        {"RTX 4090", 89, 128, 2.52, 1008, 99, 72},
    {"RTX 4060", 89, 24, 2.46, 272, 99, 24},   {"L4", 89, 58, 2.04, 300, 99, 48},
    {"H100", 90, 132, 1.98, 3352, 227, 50},    {"H100 PCIe", 90, 114, 1.755, 2039, 227, 50},
    {"H20", 90, 78, 1.98, 4000, 227, 60},      {"H200", 90, 132, 1.98, 4890, 227, 50},
    {"B200", 100, 148, 1.965, 8000, 227, 126}, {"RTX 5090", 120, 170, 2.41, 1792, 99, 96},
    {"RTX 5060", 120, 30, 2.5, 448, 99, 32},
};

std::vector<Device> make_devices() {
  std::vector<Device> devices = {artificial()};
  for (const Chip &chip : kChips) {
    Device d = artificial();
    d.arch = d.code_arch = chip.arch;
    d.compute_units = chip.units;
    d.clock = chip.gigahertz * 1e9;
    d.memory_bandwidth = chip.gigabytes * 1e9;
    d.shared_memory_per_block = static_cast<size_t>(chip.shared_kib) << 10;
    d.l2_bytes = int64_t{chip.l2_mib} << 20;
    std::snprintf(d.name, sizeof d.name, "%s", chip.name);
    set_throughputs(&d);
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

bool has_reassigned_kernels() { return true; }
const void *reassigned_kernel(const char *, const void *plain) { return plain; }

}  // namespace libsgemm::cuda

const libsgemm::gpu::DeviceModel &libsgemm::gpu::model(int index) { return cuda::device(index); }

int simt::device_count() { return static_cast<int>(libsgemm::cuda::devices().size()); }
