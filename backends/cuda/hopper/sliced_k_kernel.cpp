#include "sliced_k_kernel.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "figures/figures.h"
#include "gpu/aligned.h"
#include "gpu/cost.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "stream_k_kernel.h"

namespace libsgemm::cuda {

namespace {

constexpr int kLargestCluster = 4, kTileK = SquareSlicedK::tile_k, kGroups = SquareSlicedK::groups;
// Share of a multiprocessor's peak in the main loop.
constexpr double kPeakFraction = 0.83, kTransposedFraction = 0.79;
constexpr double kStartSeconds = 1.5e-6;    // a wave's barriers and first stages
constexpr double kFinishSeconds = 2.0e-6;   // adding the groups' sums of a tile, storing
constexpr double kClusterSeconds = 1.5e-6;  // adding the blocks' sums

bool runs_along_k_a(const GemmDesc &desc) { return desc.transa != LIBSGEMM_NO_TRANS; }
bool runs_along_k_b(const GemmDesc &desc) { return desc.transb == LIBSGEMM_NO_TRANS; }

struct Layout {
  bool swapped;  // the tile's rows are C's columns
  bool rows_along_k, columns_along_k;
  int tiles_m, tiles_n;
};

Layout layout_of(const GemmDesc &desc, const SlicedKSizes &sizes, bool swapped) {
  const bool a = runs_along_k_a(desc), b = runs_along_k_b(desc);
  if (swapped) return {true, b, a, tiles_along(desc.m, sizes.columns), tiles_along(desc.n, sizes.rows)};
  return {false, a, b, tiles_along(desc.m, sizes.rows), tiles_along(desc.n, sizes.columns)};
}

// Chooses the layout with fewer tiles, then the one without a transposition.
Layout layout_of(const GemmDesc &desc, const SlicedKSizes &sizes) {
  const Layout plain = layout_of(desc, sizes, false), swapped = layout_of(desc, sizes, true);
  const int64_t plain_tiles = int64_t{plain.tiles_m} * plain.tiles_n,
                swapped_tiles = int64_t{swapped.tiles_m} * swapped.tiles_n;
  if (plain_tiles != swapped_tiles) return plain_tiles < swapped_tiles ? plain : swapped;
  return plain.columns_along_k && !plain.rows_along_k ? swapped : plain;
}

struct SlicedKPlan {
  int cluster;
  double seconds;
};

// A cluster runs in one GPC of 14 to 18 multiprocessors, so clusters of more than two leave some idle: an H100 runs 30
// clusters of 4.
int resident_clusters(const Device &d, int cluster) {
  return std::max(1, (cluster > 2 ? d.compute_units * 10 / 11 : d.compute_units) / cluster);
}

SlicedKPlan plan_of(const GemmDesc &desc, const SlicedKSizes &sizes, int index) {
  const Device &d = device(index);
  const Layout layout = layout_of(desc, sizes);
  const double fraction = layout.columns_along_k ? kTransposedFraction : kPeakFraction;
  const double step = 2.0 * sizes.rows * sizes.columns * kTileK * d.compute_units / (fraction * fma_peak(d));
  const double count = static_cast<double>(layout.tiles_m) * layout.tiles_n;
  const int k_tiles = tiles_along(desc.k, kTileK);
  SlicedKPlan plan = {};
  for (int cluster = 1; cluster <= std::min(kLargestCluster, k_tiles); cluster *= 2) {
    const double waves = std::ceil(count / resident_clusters(d, cluster));
    const int pairs = ((k_tiles - 1) / cluster + 2) / 2;  // one for each group
    const double besides = kStartSeconds + kFinishSeconds + (cluster == 1 ? 0 : kClusterSeconds);
    const double seconds =
        waves * besides + overlapped(waves * kGroups * pairs * step, memory_seconds(d, gemm_bytes(desc)));
    if (plan.cluster == 0 || seconds < plan.seconds) plan = {cluster, seconds};
  }
  plan.seconds = fitted_share(90, Shared::sliced_k) * (plan.seconds + kLaunchSeconds);
  return plan;
}

// Boxes have `steps` of k times `lines`.
libsgemm_status_t describe(const void *base, int64_t ld, bool along_k, int64_t outer, int64_t k, int lines, int steps,
                           const Launch &launch, TensorMap *map, Error *error) {
  MatrixBoxes boxes = {};
  boxes.base = static_cast<const float *>(base);
  boxes.ld = static_cast<uint64_t>(ld);
  boxes.rows = static_cast<uint64_t>(along_k ? k : outer);
  boxes.columns = static_cast<uint64_t>(along_k ? outer : k);
  boxes.box_rows = static_cast<uint32_t>(along_k ? steps : lines);
  boxes.box_columns = static_cast<uint32_t>(along_k ? lines : steps);
  return encode(boxes, launch, map, error);
}

}  // namespace

bool sliced_k_supports(const GemmDesc &desc, const SlicedKSizes &sizes, int index) {
  if (!tma_supports(desc, index)) return false;
  if (!columns_aligned(desc.a, desc.lda) || !columns_aligned(desc.b, desc.ldb)) return false;
  const Layout layout = layout_of(desc, sizes);
  return int64_t{layout.tiles_m} * layout.tiles_n < INT_MAX / kLargestCluster;
}

double sliced_k_seconds(const GemmDesc &desc, const SlicedKSizes &sizes, int index) {
  return plan_of(desc, sizes, index).seconds;
}

libsgemm_status_t launch_sliced_k(const GemmDesc &desc, const SlicedKSizes &sizes, const SlicedKKernel &kernel,
                                  const Launch &launch, Error *error) {
  const Layout layout = layout_of(desc, sizes);
  const bool swapped = layout.swapped, transposed = layout.columns_along_k;
  TensorMap rows = {}, columns = {};
  libsgemm_status_t status =
      describe(swapped ? desc.b : desc.a, swapped ? desc.ldb : desc.lda, layout.rows_along_k, swapped ? desc.n : desc.m,
               desc.k, layout.rows_along_k ? sizes.box_rows : SquareSlicedK::rows,
               layout.rows_along_k ? SquareSlicedK::box_steps : kTileK, launch, &rows, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  status =
      describe(swapped ? desc.a : desc.b, swapped ? desc.lda : desc.ldb, transposed, swapped ? desc.m : desc.n, desc.k,
               sizes.columns, transposed ? SquareSlicedK::transpose_steps : kTileK, launch, &columns, error);
  if (status != LIBSGEMM_SUCCESS) return status;
  SlicedKProblem p = {};
  p.m = desc.m, p.n = desc.n, p.ldc = desc.ldc, p.c = desc.c;
  p.alpha = desc.alpha, p.beta = desc.beta;
  p.vectors = columns_aligned(desc.c, desc.ldc);
  p.tiles_m = layout.tiles_m, p.tiles_n = layout.tiles_n;
  p.k_tiles = tiles_along(desc.k, kTileK), p.slices = plan_of(desc, sizes, launch.device).cluster;
  const auto blocks = static_cast<unsigned>(p.tiles_m * p.tiles_n * p.slices);
  return launch_clusters(kernel.instances[swapped][layout.rows_along_k][transposed], static_cast<unsigned>(p.slices),
                         dim3(blocks), dim3(SquareSlicedK::threads),
                         transposed ? sizes.transpose_shared_bytes : sizes.shared_bytes, launch, error, rows, columns,
                         p);
}

}  // namespace libsgemm::cuda
