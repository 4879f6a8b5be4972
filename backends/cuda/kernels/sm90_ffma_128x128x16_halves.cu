// C = alpha op(A) op(B) + beta C on sm_90, where C is too small for tiles of 256 x 128: 128 x 128, and k in slices.
//
// A thread of 16 x 8 loads least for what it multiplies, but such threads of one tile are four warps, which leave half
// of a multiprocessor's issue slots free. So eight warps halve k: each group of four multiplies every second k-tile. A
// cluster of blocks shares out the rest of k. The sums meet in shared memory, and each block of the cluster adds and
// stores its part of the tile, always in the same order. An operand that runs along k is multiplied as it lies, four
// steps of k at a time; only if both do is one transposed on the way.
//
// Source: CUDA C++ Programming Guide, for the copy engine, clusters and register reallocation; CUTLASS, "sliced-K", for
// the groups; Gray, "maxas: SGEMM", for dealing out registers by bank.
//
//   tile of C: 128 x 128, twice         warp: 64 x 64 = 4 x 8 lanes        thread: 16 x 8
//   +---------+---------+               first row 4 r, column 4 c          4 groups of 4 rows, 16 apart
//   | warp 0  | warp 2  |               r = lane / 2 % 4                   2 groups of 4 columns, 32 apart
//   +---------+---------+               c = 2 (lane / 8) + lane % 2
//   | warp 1  | warp 3  |               rows along k: first row r          rows 4 apart
//   +---------+---------+               swapped: rows are columns of C
//   warps 4 to 7 the same, other k-tiles; warp 8 copies; warps 8 to 11 turn
//
// Shared memory, bytes: stage s of 6 of group g at 98304 g + 16384 s: rows at 0, columns at 8192, as 16 times 128
// floats, or, rows along k, two boxes of 128 times 8 floats; columns to be turned, 3 stages of 128 times 20 floats,
// from 196608 on; then 30 barriers. Afterwards: sums of the groups at 0 and 32768, the tile at 65536 in columns of 132,
// 136 or 144 floats.
//
// Requires: gemm of FP32; sm_90 (its own features, 90a); one product, m, n, k of at least 4; columns of A and B start
// at multiples of 16 bytes.
//
// Parameters (HalvesShape): tile, tile_k of a block; stages of each group.
//
// Measured (H100 SXM at 1980 MHz, CUDA 13.0): 1024 x 1024 x 1024 NN, NT, TN, TT 47.6, 47.7, 51.6, 47.6 us (45 TFLOP/s;
// cuBLAS 13.1 about 61); 512 x 512 x 512 18 us; 2048 x 2048 x 1024 170 us.
#include <algorithm>
#include <climits>
#include <cmath>

#include "aligned.h"
#include "cost.h"
#include "halves.cuh"
#include "kernels.h"
#include "launch.h"
#include "steered.h"
#include "stream_k_row.h"

namespace libsgemm::cuda {

extern "C" __global__ void __launch_bounds__(HalvesShape::threads, 1)
    sm90_ffma_128x128x16_halves(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                                const __grid_constant__ HalvesProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  halves<false, false, false>(a, b, p);
#endif
}

extern "C" __global__ void __launch_bounds__(HalvesShape::threads, 1)
    sm90_ffma_128x128x16_halves_along_k(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                                        const __grid_constant__ HalvesProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  halves<false, true, false>(a, b, p);
#endif
}

extern "C" __global__ void __launch_bounds__(HalvesShape::threads, 1)
    sm90_ffma_128x128x16_halves_along_k_swapped(const __grid_constant__ TensorMap a,
                                                const __grid_constant__ TensorMap b,
                                                const __grid_constant__ HalvesProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  halves<true, true, false>(a, b, p);
#endif
}

extern "C" __global__ void __launch_bounds__(HalvesShape::threads, 1)
    sm90_ffma_128x128x16_halves_along_k_turned(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                                               const __grid_constant__ HalvesProblem p) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  halves<false, true, true>(a, b, p);
#endif
}

namespace {

using Shape = HalvesShape;

constexpr int kLargestCluster = 4;
// What a multiprocessor reaches of its peak within a tile.
constexpr double kPeakFraction = 0.83;
constexpr double kTurnedFraction = 0.77;    // if an operand is transposed on the way
constexpr double kStartSeconds = 1.5e-6;    // of a launch: barriers, first stages
constexpr double kFinishSeconds = 2.0e-6;   // of a tile: adding up the groups, storing
constexpr double kClusterSeconds = 1.5e-6;  // adding up the blocks

bool runs_along_k_a(const GemmDesc &desc) { return desc.transa != LIBSGEMM_NO_TRANS; }
bool runs_along_k_b(const GemmDesc &desc) { return desc.transb == LIBSGEMM_NO_TRANS; }

bool supports(const GemmDesc &desc, int index) {
  if (!copy_engine_supports(desc, index)) return false;
  if (!columns_aligned(desc.a, desc.lda) || !columns_aligned(desc.b, desc.ldb)) return false;
  return static_cast<int64_t>(tiles_along(desc.m, Shape::tile)) * tiles_along(desc.n, Shape::tile) <
         INT_MAX / kLargestCluster;
}

struct Plan {
  int cluster;
  double seconds;
};

// Clusters of more than two do not reach all multiprocessors, which come in groups of 14 to 18: on the H100 30 of 4.
int resident_clusters(const Device &d, int cluster) {
  return std::max(1, (cluster > 2 ? d.multiprocessors * 10 / 11 : d.multiprocessors) / cluster);
}

Plan plan_of(const GemmDesc &desc, int index) {
  const Device &d = device(index);
  const double fraction = runs_along_k_a(desc) && runs_along_k_b(desc) ? kTurnedFraction : kPeakFraction;
  const double step = 2.0 * Shape::tile * Shape::tile * Shape::tile_k * d.multiprocessors / (fraction * ffma_peak(d));
  const double count = static_cast<double>(tiles_along(desc.m, Shape::tile)) * tiles_along(desc.n, Shape::tile);
  const int k_tiles = tiles_along(desc.k, Shape::tile_k);
  Plan plan = {};
  for (int cluster = 1; cluster <= std::min(kLargestCluster, k_tiles); cluster *= 2) {
    const double waves = std::ceil(count / resident_clusters(d, cluster));
    const int pairs = ((k_tiles - 1) / cluster + 2) / 2;  // of k-tiles, one for each group
    const double finish = kFinishSeconds + (cluster == 1 ? 0 : kClusterSeconds);
    const double seconds = waves * (Shape::groups * pairs * step + finish);
    if (plan.cluster == 0 || seconds < plan.seconds) plan = {cluster, seconds};
  }
  plan.seconds = kLaunchSeconds + overlapped(kStartSeconds + plan.seconds, memory_seconds(d, gemm_bytes(desc)));
  return plan;
}

// `along_k`: how many steps of k a box holds if the operand runs along k, otherwise 0.
libsgemm_status_t describe(const void *base, int64_t ld, uint32_t along_k, int64_t outer, int64_t k,
                           const Launch &launch, TensorMap *map, Error *error) {
  MatrixBoxes boxes = {};
  boxes.base = static_cast<const float *>(base);
  boxes.ld = static_cast<uint64_t>(ld);
  boxes.rows = static_cast<uint64_t>(along_k != 0 ? k : outer);
  boxes.columns = static_cast<uint64_t>(along_k != 0 ? outer : k);
  boxes.box_rows = along_k != 0 ? along_k : Shape::tile;
  boxes.box_columns = along_k != 0 ? Shape::tile : Shape::tile_k;
  return encode(boxes, launch, map, error);
}

libsgemm_status_t launch_slices(const GemmDesc &desc, int slices, const Launch &launch, Error *error) {
  const bool a_along_k = runs_along_k_a(desc), b_along_k = runs_along_k_b(desc), both = a_along_k && b_along_k;
  TensorMap a = {}, b = {};
  libsgemm_status_t status =
      describe(desc.a, desc.lda, a_along_k ? Shape::box_steps : 0, desc.m, desc.k, launch, &a, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  const uint32_t b_steps = both ? Shape::turn_steps : b_along_k ? Shape::box_steps : 0;
  status = describe(desc.b, desc.ldb, b_steps, desc.n, desc.k, launch, &b, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  HalvesProblem p = {};
  p.m = desc.m, p.n = desc.n, p.ldc = desc.ldc, p.c = desc.c;
  p.alpha = desc.alpha, p.beta = desc.beta;
  p.vectors = columns_aligned(desc.c, desc.ldc);
  p.tiles_m = tiles_along(desc.m, Shape::tile), p.tiles_n = tiles_along(desc.n, Shape::tile);
  p.k_tiles = tiles_along(desc.k, Shape::tile_k), p.slices = slices;
  using Function = void (*)(TensorMap, TensorMap, HalvesProblem);
  static const Function plain = steered<Function>("sm90_ffma_128x128x16_halves", sm90_ffma_128x128x16_halves),
                        along_k = steered<Function>("sm90_ffma_128x128x16_halves_along_k",
                                                    sm90_ffma_128x128x16_halves_along_k),
                        turned = steered<Function>("sm90_ffma_128x128x16_halves_along_k_turned",
                                                   sm90_ffma_128x128x16_halves_along_k_turned),
                        swapped_along_k = steered<Function>("sm90_ffma_128x128x16_halves_along_k_swapped",
                                                            sm90_ffma_128x128x16_halves_along_k_swapped);
  // If one operand runs along k, the threads' 16 rows are its.
  const bool swapped = b_along_k && !a_along_k;
  const Function kernel = both ? turned : swapped ? swapped_along_k : a_along_k ? along_k : plain;
  const auto blocks = static_cast<unsigned>(p.tiles_m * p.tiles_n * slices);
  return launch_clusters(kernel, static_cast<unsigned>(slices), dim3(blocks), dim3(Shape::threads),
                         both ? Shape::turn_shared_bytes : Shape::shared_bytes, launch, error, swapped ? b : a,
                         swapped ? a : b, p);
}

}  // namespace

Kernel sm90_ffma_128x128x16_halves() {
  return {"sm90_ffma_128x128x16_halves",
          LIBSGEMM_MATH_FP32,
          supports,
          [](const GemmDesc &desc, int device) { return plan_of(desc, device).seconds; },
          [](const GemmDesc &, int) { return size_t{0}; },
          [](const GemmDesc &desc, const Launch &launch, Error *error) {
            return launch_slices(desc, plan_of(desc, launch.device).cluster, launch, error);
          }};
}

}  // namespace libsgemm::cuda
