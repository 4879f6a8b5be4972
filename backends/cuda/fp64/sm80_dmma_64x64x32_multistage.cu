#include "dmma_multistage.cuh"
#include "dmma_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : DmmaShape<64, 64, 32, 32, 32, M8n8k4> {
  static constexpr int stages = 2;
  static constexpr int blocks = 4;  // resident on a multiprocessor
  static constexpr Fitted fitted = Fitted::sm90_dmma_64x64x32_multistage;
  static constexpr Fitted split_fitted = Fitted::sm90_dmma_64x64x32_split_k;
  static constexpr double elements = 0.93;  // of the speed, where operands are copied by elements
  static constexpr double by_rows =
      39;  // steps of k that it costs to store C where its columns do not start at 8 bytes
};

}  // namespace

LIBSGEMM_DMMA_ROW(sm80_dmma_64x64x32_multistage)

Kernel sm80_dmma_64x64x32_split_k() { return dmma_split_kernel<Row>("sm80_dmma_64x64x32_split_k"); }

}  // namespace libsgemm::cuda
