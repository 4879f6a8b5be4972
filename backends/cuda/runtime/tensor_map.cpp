// Only the driver can encode tensor maps.
#include "tensor_map.h"

#include "driver.h"
#include "gpu/runtime/scope.h"

namespace libsgemm::cuda {

using namespace gpu;

namespace {

libsgemm_status_t outcome(CUresult code, Error *error) {
  if (code == CUDA_SUCCESS) return LIBSGEMM_SUCCESS;
  set_error(error, "describing a matrix to TMA: %s", words(code));
  return LIBSGEMM_EXECUTION_FAILED;
}

// Except for TF32, only the width of elements counts: a zero has the same bits in all types.
template <class Boxes>
CUtensorMapDataType type_of(const Boxes &boxes) {
  if (boxes.to_tf32) return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
  return boxes.element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16 : CU_TENSOR_MAP_DATA_TYPE_UINT32;
}

}  // namespace

libsgemm_status_t encode(const MatrixBoxes &boxes, const Launch &launch, TensorMap *map, Error *error) {
  static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= alignof(CUtensorMap), "the same");
  Scope scope;
  const libsgemm_status_t status = scope.enter(launch.device, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const cuuint64_t sizes[] = {boxes.rows, boxes.columns}, strides[] = {boxes.ld * sizeof(float)};
  const cuuint32_t box[] = {boxes.box_rows, boxes.box_columns}, steps[] = {1, 1};
  const CUresult code =
      driver().encode_tiled(reinterpret_cast<CUtensorMap *>(map), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
                            const_cast<float *>(boxes.base), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                            boxes.swizzled ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_NONE,
                            CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return outcome(code, error);
}

libsgemm_status_t encode(const TensorBoxes &boxes, const Launch &launch, TensorMap *map, Error *error) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(launch.device, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  constexpr cuuint32_t kSteps[] = {1, 1, 1, 1};
  cuuint64_t sizes[4], strides[3];
  for (int i = 0; i < 4; ++i) sizes[i] = boxes.sizes[i];
  for (int i = 0; i < 3; ++i) strides[i] = boxes.strides[i];
  const CUresult code =
      driver().encode_tiled(reinterpret_cast<CUtensorMap *>(map), type_of(boxes), 4, const_cast<void *>(boxes.base),
                            sizes, strides, boxes.box, kSteps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                            boxes.swizzle == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B,
                            CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return outcome(code, error);
}

libsgemm_status_t encode(const ImageBoxes &boxes, const Launch &launch, TensorMap *map, Error *error) {
  Scope scope;
  const libsgemm_status_t status = scope.enter(launch.device, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const cuuint64_t sizes[] = {boxes.channels, boxes.width, boxes.height, boxes.images};
  const cuuint64_t strides[] = {boxes.strides[0], boxes.strides[1], boxes.strides[2]};
  const cuuint32_t steps[] = {1, boxes.step[0], boxes.step[1], 1};
  const CUresult code = driver().encode_im2col(
      reinterpret_cast<CUtensorMap *>(map), type_of(boxes), 4, const_cast<void *>(boxes.base), sizes, strides,
      boxes.lower, boxes.upper, boxes.channels_box, boxes.pixels_box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      boxes.swizzle == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return outcome(code, error);
}

}  // namespace libsgemm::cuda
