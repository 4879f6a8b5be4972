// sm90_ffma_256x64x16_sliced_k with tiles of 512 x 32 (warps of 128 rows, 8 x 4 lanes), for 17 to 32 columns or rows.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "sliced_k.cuh"
#include "sliced_k_kernel.h"

namespace libsgemm::cuda {

LIBSGEMM_SLICED_K_CODE(sm90_ffma_512x32x16_sliced_k, ThinnerSlicedK, false, false, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_512x32x16_sliced_k_transposed, ThinnerSlicedK, false, false, true)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_512x32x16_sliced_k_along_k, ThinnerSlicedK, false, true, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_512x32x16_sliced_k_along_k_transposed, ThinnerSlicedK, false, true, true)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_512x32x16_sliced_k_swapped, ThinnerSlicedK, true, false, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_512x32x16_sliced_k_swapped_transposed, ThinnerSlicedK, true, false, true)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_512x32x16_sliced_k_along_k_swapped, ThinnerSlicedK, true, true, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_512x32x16_sliced_k_along_k_swapped_transposed, ThinnerSlicedK, true, true, true)

namespace {

libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
  static const SlicedKKernel kernel = [] {
    SlicedKKernel k = {};
    k.instances[0][0][0] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k", sm90_ffma_512x32x16_sliced_k);
    k.instances[0][0][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_transposed",
                                                               sm90_ffma_512x32x16_sliced_k_transposed);
    k.instances[0][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_along_k",
                                                               sm90_ffma_512x32x16_sliced_k_along_k);
    k.instances[0][1][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_along_k_transposed",
                                                               sm90_ffma_512x32x16_sliced_k_along_k_transposed);
    k.instances[1][0][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_swapped",
                                                               sm90_ffma_512x32x16_sliced_k_swapped);
    k.instances[1][0][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_swapped_transposed",
                                                               sm90_ffma_512x32x16_sliced_k_swapped_transposed);
    k.instances[1][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_along_k_swapped",
                                                               sm90_ffma_512x32x16_sliced_k_along_k_swapped);
    k.instances[1][1][1] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_512x32x16_sliced_k_along_k_swapped_transposed",
                                            sm90_ffma_512x32x16_sliced_k_along_k_swapped_transposed);
    return k;
  }();
  return launch_sliced_k(desc, sliced_k_sizes<ThinnerSlicedK>(), kernel, launch, error);
}

}  // namespace

KernelList sm90_ffma_512x32x16_sliced_k() {
  return sliced_k_entry<ThinnerSlicedK>("sm90_ffma_512x32x16_sliced_k", launch);
}

}  // namespace libsgemm::cuda
