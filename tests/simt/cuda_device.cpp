// The artificial NVIDIA GPU that the rows are asked about and launched on, and what the driver does for them; and real
// GPUs, about which they are only asked.
#include "runtime/device.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "devices.h"
#include "hopper/reassigned.h"
#include "runtime/launch.h"
#include "runtime/tensor_map.h"
#include "runtime/throughput.h"

namespace libsgemm::cuda {

namespace {

Device artificial() {
  Device d = {};
  d.arch = d.code_arch = 90;
  d.schedulers = 4;
  d.wave = 32;
  d.compute_units = simt::schedule().multiprocessors;
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

// As runtime/device.cpp describes them: the throughputs by architecture and name, the rest by data sheets.
struct Chip {
  const char *name;
  int arch, units;
  double gigahertz, gigabytes;  // a second
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

libsgemm_status_t encode(const MatrixBoxes &boxes, const Launch &, TensorMap *map, Error *error) {
  const auto address = reinterpret_cast<uintptr_t>(boxes.base);
  const bool fits = boxes.box_rows <= 256 && boxes.box_columns <= 256 && (!boxes.swizzled || boxes.box_rows == 16);
  if ((address % 16 | boxes.ld % 4 | boxes.box_rows % 4) != 0 || !fits || boxes.rows == 0 || boxes.columns == 0) {
    set_error(error, "a GPU refuses such boxes of a matrix");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  const simt::TensorMap tensor = {boxes.base,     boxes.rows,        boxes.columns, boxes.ld,
                                  boxes.box_rows, boxes.box_columns, boxes.swizzled};
  static_assert(sizeof tensor <= sizeof map->opaque, "it fits");
  std::memcpy(map->opaque, &tensor, sizeof tensor);
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t encode(const TensorBoxes &boxes, const Launch &, TensorMap *map, Error *error) {
  constexpr uint64_t kMostSize = uint64_t{1} << 32, kMostStride = uint64_t{1} << 40;
  const auto address = reinterpret_cast<uintptr_t>(boxes.base);
  bool fits = boxes.base != nullptr && address % 16 == 0 && (boxes.element_bytes == 2 || boxes.element_bytes == 4) &&
              (boxes.swizzle == 64 || boxes.swizzle == 128);
  for (int i = 0; i < 4; ++i) {
    fits = fits && boxes.sizes[i] >= 1 && boxes.sizes[i] <= kMostSize && boxes.box[i] >= 1 && boxes.box[i] <= 256;
  }
  for (const uint64_t stride : boxes.strides) fits = fits && stride % 16 == 0 && stride < kMostStride;
  const uint64_t line = uint64_t{boxes.box[0]} * boxes.element_bytes;
  if (!fits || line % 16 != 0 || line > boxes.swizzle) {
    set_error(error, "a GPU refuses such boxes of an array");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  simt::ArrayMap array = {};
  array.dimensions = simt::ArrayMap::kDimensions;
  array.base = static_cast<const char *>(boxes.base);
  std::copy_n(boxes.sizes, 4, array.sizes);
  std::copy_n(boxes.strides, 3, array.strides);
  std::copy_n(boxes.box, 4, array.box);
  array.element_bytes = boxes.element_bytes, array.swizzle = boxes.swizzle;
  array.to_tf32 = boxes.to_tf32;
  static_assert(sizeof array <= sizeof map->opaque, "it fits");
  std::memcpy(map->opaque, &array, sizeof array);
  return LIBSGEMM_SUCCESS;
}

libsgemm_status_t encode(const ImageBoxes &boxes, const Launch &, TensorMap *map, Error *error) {
  constexpr uint64_t kMostSize = uint64_t{1} << 32, kMostStride = uint64_t{1} << 40;
  const uint64_t sizes[] = {boxes.channels, boxes.width, boxes.height, boxes.images};
  bool fits = boxes.base != nullptr && reinterpret_cast<uintptr_t>(boxes.base) % 16 == 0 &&
              (boxes.swizzle == 64 || boxes.swizzle == 128) && (boxes.element_bytes == 2 || boxes.element_bytes == 4) &&
              boxes.channels_box * boxes.element_bytes % 16 == 0 && boxes.channels_box >= 1 &&
              boxes.channels_box * boxes.element_bytes <= boxes.swizzle && boxes.pixels_box >= 1 &&
              boxes.pixels_box <= 1024;
  for (const uint64_t size : sizes) fits = fits && size >= 1 && size <= kMostSize;
  for (const uint64_t stride : boxes.strides) fits = fits && stride % 16 == 0 && stride < kMostStride;
  for (int d = 0; d < 2; ++d) {
    fits = fits && boxes.step[d] >= 1 && boxes.step[d] <= 8 && boxes.lower[d] >= -128 && boxes.lower[d] <= 127 &&
           boxes.upper[d] >= -128 && boxes.upper[d] <= 127;
  }
  if (!fits) {
    set_error(error, "a GPU refuses such boxes of images");
    return LIBSGEMM_EXECUTION_FAILED;
  }
  simt::ArrayMap images = {};
  images.dimensions = simt::ArrayMap::kImages;
  images.base = static_cast<const char *>(boxes.base);
  std::copy_n(sizes, 4, images.sizes);
  std::copy_n(boxes.strides, 3, images.strides);
  images.box[0] = boxes.channels_box, images.box[1] = boxes.pixels_box, images.box[2] = images.box[3] = 1;
  images.element_bytes = boxes.element_bytes, images.swizzle = boxes.swizzle;
  images.to_tf32 = boxes.to_tf32;
  for (int d = 0; d < 2; ++d) {
    images.lower[d] = static_cast<int16_t>(boxes.lower[d]), images.upper[d] = static_cast<int16_t>(boxes.upper[d]);
    images.step[d] = static_cast<uint8_t>(boxes.step[d]);
  }
  static_assert(sizeof images <= sizeof map->opaque, "it fits");
  std::memcpy(map->opaque, &images, sizeof images);
  return LIBSGEMM_SUCCESS;
}

bool has_reassigned_kernels() { return true; }
const void *reassigned_kernel(const char *, const void *plain) { return plain; }

}  // namespace libsgemm::cuda

const libsgemm::gpu::DeviceModel &libsgemm::gpu::model(int index) { return cuda::device(index); }

int simt::device_count() { return static_cast<int>(libsgemm::cuda::devices().size()); }
