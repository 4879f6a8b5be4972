// What a convolution of splits leaves out (conv_splits.h): images or filters that hold NaN or Inf, whose products may
// leave FP32's range, or that span too many powers of two for mode fp32_fast. From the tensors themselves with sums in
// FP64, rounded once, by the kernel of sm90_dmma_64x64x32_conv. Launched after every such convolution, with a block for
// each of its tiles; those that are not left out return at once.
// Not measured.
#include "conv_splits.cuh"
#include "dmma_conv.cuh"
#include "dmma_conv_row.h"
#include "fp64/sm90_dmma_64x64x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma64x64x32;
static_assert(kOuterPad % Config::tile_m == 0 && kOuterPad % Config::tile_n == 0, "tiles within the guard's");

// Whether the guard leaves out the tile that begins at this row and column.
__device__ __forceinline__ bool leaves_out(const ConvGuard &guard, int row, int column, bool pixels_are_rows) {
  row /= kOuterPad, column /= kOuterPad;
  return left_out(guard, pixels_are_rows ? row : column, pixels_are_rows ? column : row);
}
__device__ __forceinline__ bool leaves_out(const ConvWeightsGuard &guard, int, int, bool) { return left_out(guard); }

template <class Guard, Fetch KindA, Fetch KindB>
__global__ void __launch_bounds__(Config::threads, Config::blocks)
    sm90_conv_repair(const __grid_constant__ ConvProblems problems, const __grid_constant__ Guard guard,
                     bool pixels_are_rows) {
  const ConvTile<Config> tile(problems);
  if (leaves_out(guard, tile.row(), tile.column(), pixels_are_rows)) dmma_conv<Config, KindA, KindB>(problems);
}

template <class Guard>
struct Row : DmmaConv<Config> {
  template <Fetch KindA, Fetch KindB>
  static auto kernel() {
    return &sm90_conv_repair<Guard, KindA, KindB>;
  }
  template <Fetch KindA, Fetch KindB>
  static constexpr size_t shared_bytes() {
    return DmmaConvLayout<Config, KindA, KindB>::bytes;
  }
};

}  // namespace

libsgemm_status_t launch_conv_repair(const ConvDesc &desc, int64_t index, const ConvGuard &guard, const Launch &launch,
                                     Error *error) {
  return ConvTiles<Row<ConvGuard>>::launch_with(desc, index, launch, error, guard, conv_image_is_a(desc, index));
}

libsgemm_status_t launch_conv_weights_repair(const ConvDesc &desc, const ConvWeightsGuard &guard, const Launch &launch,
                                             Error *error) {
  return ConvTiles<Row<ConvWeightsGuard>>::launch_with(desc, 0, launch, error, guard, conv_image_is_a(desc, 0));
}

}  // namespace libsgemm::cuda
