// CPU emulations of what needs a driver: the functions that make tensor maps, and the trial of the order of sums. It
// refuses what the driver refuses.
#include <algorithm>
#include <cstring>

#include "fp64/dmma_order.h"
#include "runtime/launch.h"
#include "runtime/tensor_map.h"

namespace libsgemm::cuda {

bool adds_in_order(int) { return true; }

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

}  // namespace libsgemm::cuda
