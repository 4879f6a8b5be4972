// Computes in FP64 the tiles that a convolution by splits leaves out (conv_splits.h), by the kernel of
// sm90_dmma_64x64x32_conv and from unsplit tensors. Blocks of other tiles return at once. conv_repair_sum() adds slices
// of a weight gradient. Not measured.
#include "conv_splits.cuh"
#include "cuda/conv/dmma_conv.cuh"
#include "cuda/conv/dmma_conv_kernel.h"
#include "cuda/fp64/sm90_dmma_64x64x32.h"

namespace libsgemm::cuda {
namespace {

using Config = Sm90Dmma64x64x32;
static_assert(kOuterPad % Config::tile_m == 0 && kOuterPad % Config::tile_n == 0, "tiles within the guard's");

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
struct DeviceCode : DmmaConv<Config> {
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
  return ConvTiles<DeviceCode<ConvGuard>>::launch_with(desc, index, launch, error, guard, conv_image_is_a(desc, index));
}

libsgemm_status_t launch_conv_weights_repair(const ConvDesc &desc, const ConvWeightsGuard &guard, void *sums,
                                             size_t sums_bytes, const Launch &launch, Error *error) {
  using Tiles = ConvTiles<DeviceCode<ConvWeightsGuard>>;
  const TileProblem p = conv_problem(desc, 0).product;
  const int64_t k_tiles = ceil_div(p.k, Config::tile_k);
  const size_t slice = sizeof(double) * static_cast<size_t>(ceil_div(p.m, 4) * 4) * static_cast<size_t>(p.n);
  const int64_t most = std::min(k_tiles, static_cast<int64_t>(sums_bytes / slice));
  const int64_t tiles = ceil_div(p.m, Config::tile_m) * ceil_div(p.n, Config::tile_n);
  const int64_t places = int64_t{device(launch.device).compute_units} * Config::blocks;
  const int64_t wanted = std::min(most, ceil_div(places, tiles));
  const bool image_is_a = conv_image_is_a(desc, 0);
  if (wanted <= 1) return Tiles::launch_with(desc, 0, launch, error, guard, image_is_a);
  const int slice_tiles = static_cast<int>(ceil_div(k_tiles, wanted));
  ConvProblem sliced;
  const libsgemm_status_t status =
      Tiles::launch_slices(desc, slice_tiles, sums, launch, error, &sliced, guard, image_is_a);
  if (status != LIBSGEMM_SUCCESS) return status;
  return launch_conv_repair_sum(sliced, static_cast<int>(ceil_div(k_tiles, slice_tiles)), guard, launch, error);
}

}  // namespace libsgemm::cuda
