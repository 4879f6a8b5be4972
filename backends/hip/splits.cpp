// Which chips have rows of the modes that split.
#include "device.h"
#include "gpu/splits/split_row.h"

bool libsgemm::gpu::has_splits(libsgemm_math_mode_t mode, int index) {
  const hip::Family family = hip::device(index).family;
  if (mode == LIBSGEMM_MATH_FP16X3) return family == hip::Family::cdna1 || family == hip::Family::cdna3;
  return mode == LIBSGEMM_MATH_BF16X6 && family == hip::Family::cdna3;
}
