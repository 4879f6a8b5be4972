// The artificial NVIDIA GPU that the rows are asked about and launched on, and what the driver does for them.
#include "runtime/device.h"

#include "hopper/reassigned.h"
#include "runtime/launch.h"
#include "runtime/tensor_map.h"

namespace libsgemm::cuda {

const Device &device(int) {
  static const Device instance = [] {
    Device d = {};
    d.arch = d.code_arch = 90;
    d.schedulers = 4;
    d.wave = 32;
    d.compute_units = simt::schedule().multiprocessors;
    d.fma_per_clock = 128;
    d.tensor_per_clock = 1280;
    d.l2_bytes = 1 << 20;
    d.shared_memory_per_block = simt::kMaxSharedBytes;
    d.clock = 1.98e9;
    d.memory_bandwidth = 100e9;
    return d;
  }();
  return instance;
}

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

bool has_reassigned_kernels() { return true; }
const void *reassigned_kernel(const char *, const void *plain) { return plain; }

}  // namespace libsgemm::cuda

const libsgemm::gpu::DeviceModel &libsgemm::gpu::model(int index) { return cuda::device(index); }
