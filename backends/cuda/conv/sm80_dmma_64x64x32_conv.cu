// The kernels of sm90_dmma_64x64x32_conv.cu for the A100, A800 and A30 (sm_80). Not measured.
#include "dmma_conv.cuh"
#include "dmma_conv_kernel.h"
#include "fp64/sm80_dmma_64x64x32.h"
#include "gpu/conv/col2im_kernel.h"
#include "gpu/conv/conv_pack_kernel.h"

namespace libsgemm::cuda {
namespace {

struct Config : Sm80Dmma64x64x32 {
  static constexpr int blocks = 3;  // places (gather_tile.cuh) leave no shared memory for a fourth
};

}  // namespace

LIBSGEMM_DMMA_CONV_CODE(sm80_dmma_64x64x32_conv)

KernelList sm80_dmma_64x64x32_conv() {
  return {conv_kernel<ConvCode>("sm80_dmma_64x64x32_conv"),
          conv_split_kernel<ConvCode>("sm80_dmma_64x64x32_conv_split_k"),
          conv_packed_kernel<ConvCode>("sm80_dmma_64x64x32_conv_packed"),
          col2im_kernel<ConvCode>("sm80_dmma_64x64x32_col2im")};
}

}  // namespace libsgemm::cuda
