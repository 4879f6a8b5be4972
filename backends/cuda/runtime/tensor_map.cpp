// Tensor maps, which only the driver can encode.
#include "tensor_map.h"

#include "driver.h"
#include "gpu/runtime/scope.h"

namespace libsgemm::cuda {

using namespace gpu;

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
  if (code == CUDA_SUCCESS) return LIBSGEMM_SUCCESS;
  set_error(error, "describing a matrix to TMA: %s", words(code));
  return LIBSGEMM_EXECUTION_FAILED;
}

}  // namespace libsgemm::cuda
