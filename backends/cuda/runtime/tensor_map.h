// TMA's description of a matrix (CUtensorMap).
#pragma once

#include <cstdint>

#include "backend.h"

namespace libsgemm::cuda {

struct alignas(128) TensorMap {
  uint64_t opaque[16];
};

// Of a column-major matrix of floats, and the box that one copy takes. `base` and 4 * ld are multiples of 16 bytes.
struct MatrixBoxes {
  const float *base;
  uint64_t rows, columns, ld;
  uint32_t box_rows, box_columns;
  // A box has 16 rows, and in shared memory the quads of column j change places: quad q comes to q ^ j / 2 % 4, so that
  // neighbouring columns' quads meet in different banks. Boxes lie at multiples of 512 bytes.
  bool swizzled;
};

// For kernels on the launch's device.
libsgemm_status_t encode(const MatrixBoxes &boxes, const Launch &launch, TensorMap *map, Error *error);

}  // namespace libsgemm::cuda
