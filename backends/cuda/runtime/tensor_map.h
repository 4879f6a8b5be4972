// Tensor maps, which describe an array in memory, and the boxes to copy from it, to Hopper's TMA.
#pragma once

#include <cstdint>

#include "contract/backend.h"

namespace libsgemm::cuda {

struct alignas(128) TensorMap {
  uint64_t opaque[16];
};

// A column-major matrix of floats, and the box of a copy. `base` and 4 * ld are multiples of 16 bytes.
struct MatrixBoxes {
  const float *base;
  uint64_t rows, columns, ld;
  uint32_t box_rows, box_columns;
  // Quad (4 rows) q of column j goes to place q ^ j / 2 % 4, to avoid bank conflicts. Requires boxes of 16 rows, at
  // multiples of 512 bytes.
  bool swizzled;
};

// An array of four dimensions, the first of them dense, with elements of 2 or 4 bytes, and the box of a copy, at most
// 256 along each dimension. Elements outside of the array read as zero. `base` and all strides are multiples of 16
// bytes. In shared memory a line is the box's first dimension, `swizzle` bytes (64 or 128), with 16-byte chunks
// permuted: chunk c of line r goes to place c ^ r % 8, in lines of 64 bytes to c ^ r / 2 % 4.
struct TensorBoxes {
  const void *base;
  uint32_t element_bytes;
  uint64_t sizes[4];
  uint64_t strides[3];  // bytes
  uint32_t box[4];
  uint32_t swizzle;
  bool to_tf32;  // the copy rounds FP32 to the nearest TF32 numbers
};

// Images with contiguous channels, for copies in TMA's im2col mode; strides and layout as in TensorBoxes. A copy takes
// `channels_box` channels of `pixels_box` pixels: every `step`th one of the rectangle from `lower` to the image's last
// row and column plus `upper`, row after row and image after image. The copy's own offset, at most 255 each way, moves
// each pixel; pixels outside become zeros.
struct ImageBoxes {
  const void *base;
  uint32_t element_bytes;
  uint64_t channels, width, height, images;
  uint64_t strides[3];     // bytes: to the next column, row, image
  int lower[2], upper[2];  // columns, rows: -128 to 127
  uint32_t step[2];        // columns, rows: 1 to 8
  uint32_t channels_box, pixels_box;
  uint32_t swizzle;
  bool to_tf32;  // the same as in TensorBoxes
};

libsgemm_status_t encode(const TensorBoxes &boxes, const Launch &launch, TensorMap *map, Error *error);
libsgemm_status_t encode(const ImageBoxes &boxes, const Launch &launch, TensorMap *map, Error *error);
libsgemm_status_t encode(const MatrixBoxes &boxes, const Launch &launch, TensorMap *map, Error *error);

}  // namespace libsgemm::cuda
