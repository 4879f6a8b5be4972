// sm90_ffma_128x128x16_sliced_k with tiles of 256 x 64, for 33 to 64 columns or rows. The tile's rows are its longer
// side (swapped: columns of C). A K-major operand is multiplied in place if it has these rows; otherwise it is
// transposed in shared memory.
#include "gpu/kernels.h"
#include "reassigned.h"
#include "sliced_k.cuh"
#include "sliced_k_kernel.h"

namespace libsgemm::cuda {

LIBSGEMM_SLICED_K_CODE(sm90_ffma_256x64x16_sliced_k, ThinSlicedK, false, false, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_256x64x16_sliced_k_transposed, ThinSlicedK, false, false, true)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_256x64x16_sliced_k_along_k, ThinSlicedK, false, true, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_256x64x16_sliced_k_along_k_transposed, ThinSlicedK, false, true, true)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_256x64x16_sliced_k_swapped, ThinSlicedK, true, false, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_256x64x16_sliced_k_swapped_transposed, ThinSlicedK, true, false, true)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_256x64x16_sliced_k_along_k_swapped, ThinSlicedK, true, true, false)
LIBSGEMM_SLICED_K_CODE(sm90_ffma_256x64x16_sliced_k_along_k_swapped_transposed, ThinSlicedK, true, true, true)

namespace {

libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
  static const SlicedKKernel kernel = [] {
    SlicedKKernel k = {};
    k.instances[0][0][0] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k", sm90_ffma_256x64x16_sliced_k);
    k.instances[0][0][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_transposed",
                                                               sm90_ffma_256x64x16_sliced_k_transposed);
    k.instances[0][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_along_k",
                                                               sm90_ffma_256x64x16_sliced_k_along_k);
    k.instances[0][1][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_along_k_transposed",
                                                               sm90_ffma_256x64x16_sliced_k_along_k_transposed);
    k.instances[1][0][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_swapped",
                                                               sm90_ffma_256x64x16_sliced_k_swapped);
    k.instances[1][0][1] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_swapped_transposed",
                                                               sm90_ffma_256x64x16_sliced_k_swapped_transposed);
    k.instances[1][1][0] = reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_along_k_swapped",
                                                               sm90_ffma_256x64x16_sliced_k_along_k_swapped);
    k.instances[1][1][1] =
        reassigned<SlicedKKernel::Function>("sm90_ffma_256x64x16_sliced_k_along_k_swapped_transposed",
                                            sm90_ffma_256x64x16_sliced_k_along_k_swapped_transposed);
    return k;
  }();
  return launch_sliced_k(desc, sliced_k_sizes<ThinSlicedK>(), kernel, launch, error);
}

}  // namespace

KernelList sm90_ffma_256x64x16_sliced_k() {
  return sliced_k_entry<ThinSlicedK>("sm90_ffma_256x64x16_sliced_k", launch);
}

}  // namespace libsgemm::cuda
