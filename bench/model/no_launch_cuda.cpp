// no_launch.cpp for backends/cuda.
#include "cuda/fp64/dmma_order.h"
#include "cuda/runtime/launch.h"
#include "cuda/runtime/tensor_map.h"

namespace libsgemm::cuda {

libsgemm_status_t encode(const MatrixBoxes &, const Launch &, TensorMap *, Error *) { return LIBSGEMM_UNAVAILABLE; }
libsgemm_status_t encode(const TensorBoxes &, const Launch &, TensorMap *, Error *) { return LIBSGEMM_UNAVAILABLE; }
libsgemm_status_t encode(const ImageBoxes &, const Launch &, TensorMap *, Error *) { return LIBSGEMM_UNAVAILABLE; }
libsgemm_status_t launch_related_raw(const void *, const Relation &, dim3, dim3, size_t, const Launch &, void **,
                                     Error *) {
  return LIBSGEMM_UNAVAILABLE;
}
libsgemm_status_t resident_clusters(const void *, unsigned, dim3, size_t, const Launch &, int *, Error *) {
  return LIBSGEMM_UNAVAILABLE;
}

bool adds_in_order(int) { return true; }

}  // namespace libsgemm::cuda
