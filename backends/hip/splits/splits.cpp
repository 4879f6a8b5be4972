#include "gpu/splits/split_kernel.h"
#include "hip/runtime/device.h"

// fp32_fast also requires FP64 matrix cores. If these compute all tiles, a product takes, apart from the passes, as
// long as in FP32 on gfx942, and twice as long on gfx950.
bool libsgemm::gpu::has_splits(libsgemm_math_mode_t mode, int index) {
  const hip::Family family = hip::device(index).family;
  return mode_traits(mode).splits &&
         (family == hip::Family::cdna3 || (family == hip::Family::cdna1 && mode == LIBSGEMM_MATH_FP16X3));
}
