// TMA's description of a matrix (CUtensorMap).
#pragma once

#include <cstdint>

#include "contract/backend.h"

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

// Of an array of four dimensions, of which the first is dense, with elements of 2 or 4 bytes, and the box that one copy
// takes; what of it lies outside becomes zeros. `base` and all strides are multiples of 16 bytes; the box is at most
// 256 elements along each dimension. In shared memory the 16-byte chunks of 8 lines of `swizzle` bytes, 64 or 128,
// change places: chunk c of line r comes to c ^ r % 8, of 64 bytes to c ^ r / 2 % 4. That is the box's first dimension.
struct TensorBoxes {
  const void *base;
  uint32_t element_bytes;
  uint64_t sizes[4];
  uint64_t strides[3];  // bytes, of all but the first
  uint32_t box[4];
  uint32_t swizzle;
  bool to_tf32;  // elements are FP32 and become the nearest TF32 numbers on their way to shared memory
};

// Of images whose channels are neighbours, elements of 2 or 4 bytes, for copies in TMA's im2col mode: one takes
// `channels_box` channels of `pixels_box` pixels, of those that lie in the rectangle from `lower` to the last row and
// column of the image plus `upper`, every `step`th of them, row after row and image after image. Each is then moved by
// the copy's own offset, at most 255 each way; what lies outside of the image becomes zeros. `base` and all strides are
// multiples of 16 bytes. In shared memory as with TensorBoxes.
struct ImageBoxes {
  const void *base;
  uint32_t element_bytes;
  uint64_t channels, width, height, images;
  uint64_t strides[3];     // bytes: from column to column, row to row, image to image
  int lower[2], upper[2];  // columns, rows: of -128 to 127
  uint32_t step[2];        // columns, rows: of 1 to 8
  uint32_t channels_box, pixels_box;
  uint32_t swizzle;
  bool to_tf32;  // as of TensorBoxes
};

// For kernels on the launch's device.
libsgemm_status_t encode(const TensorBoxes &boxes, const Launch &launch, TensorMap *map, Error *error);
libsgemm_status_t encode(const ImageBoxes &boxes, const Launch &launch, TensorMap *map, Error *error);
libsgemm_status_t encode(const MatrixBoxes &boxes, const Launch &launch, TensorMap *map, Error *error);

}  // namespace libsgemm::cuda
