// Launches a product by wgmma.
#pragma once

#include <algorithm>

#include "gpu/batch.h"
#include "gpu/tiles/split_k.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "tensor/tensor_operands.h"
#include "wgmma_problem.h"

namespace libsgemm::cuda {

using WgmmaKernel = void (*)(WgmmaMaps, WgmmaProblem);

struct WgmmaInstance {
  WgmmaKernel kernel;
  int tile_x, tile_y, cluster_x, cluster_y, cluster, depth, stages, element_bytes;
  uint32_t x_box[2], y_box[2], x_swizzle, y_swizzle;  // boxes: size along lines, across them
  size_t shared_bytes;
  uint32_t c_box[2];   // size along y, along x; 0: no boxes
  bool boxes_along_x;  // boxes may run along x, too
  WgmmaCluster shape;  // only for tiles of any width
  TriangleTiles triangle;
};

// The kernels' sides of C: x is n unless `swapped`.
struct WgmmaSides {
  bool swapped, x_along_k, y_along_k;

  WgmmaSides(const GemmDesc &desc, bool swapped)
      : swapped(swapped),
        x_along_k(swapped ? along_k_a(desc) : along_k_b(desc)),
        y_along_k(swapped ? along_k_b(desc) : along_k_a(desc)) {}
  int64_t x(const GemmDesc &desc) const { return swapped ? desc.m : desc.n; }
  int64_t y(const GemmDesc &desc) const { return swapped ? desc.n : desc.m; }
};

// True if swapped sides save an eighth of the tiles: their stores are narrow, neither vectors nor TMA.
inline bool wgmma_swaps(const GemmDesc &desc, int tile_x, int tile_y) {
  const auto tiles = [&](int64_t x, int64_t y) { return ceil_div(x, tile_x) * ceil_div(y, tile_y); };
  return tiles(desc.m, desc.n) < tiles(desc.n, desc.m) * 7 / 8;
}

// True if tiles of this width may be stored as boxes. If C is read, boxes must be whole: a last box that overlaps the
// previous one would read what that one wrote.
inline bool wgmma_boxes_add(float beta, bool along_y, int width) {
  return beta == 0 || (along_y && width % kWgmmaBox == 0);
}

inline bool wgmma_boxes_fit(const GemmDesc &desc, bool swapped, int width) {
  const int64_t stride = desc.batch == Batch::strided ? desc.stride_c : 0;
  return wgmma_boxes_add(desc.beta, !swapped, width) && reinterpret_cast<uintptr_t>(desc.c) % 16 == 0 &&
         static_cast<uint64_t>(desc.m | desc.ldc | stride) % 4 == 0;
}

struct WgmmaSlices {
  int count;
  float *partial;  // sums of the slices; null: they go to C
  int64_t partial_ld;
};

// Number of clusters of `x` x `y` in a triangle of `order` rows.
int64_t wgmma_triangle_clusters(TriangleTiles tiles, int64_t order, bool y_grows, int x, int y);
constexpr int64_t kMostTriangleLines = 256;  // the host counts them one by one

// Sets the fields of *p that follow from its sizes, part, k-steps and slices.
void count_tiles(const WgmmaInstance &instance, WgmmaProblem *p);

// Describes C to TMA: sets p->boxes and *map.
libsgemm_status_t describe_boxes(const WgmmaInstance &instance, int64_t matrices, const Launch &launch, WgmmaProblem *p,
                                 TensorMap *map, Error *error);

// Launches persistent blocks, no more than fit at once.
template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_wgmma_tiles(void (*kernel)(Parameters...), const WgmmaInstance &i, int64_t tiles,
                                     const Launch &launch, Error *error, const Arguments &...arguments) {
  int64_t clusters = std::min<int64_t>(tiles, device(launch.device).compute_units / i.cluster);
  if (i.cluster > 2) {
    int resident = 0;
    const libsgemm_status_t status =
        resident_clusters(reinterpret_cast<const void *>(kernel), static_cast<unsigned>(i.cluster), dim3(kWgmmaThreads),
                          i.shared_bytes, launch, &resident, error);
    if (status != LIBSGEMM_SUCCESS) return status;
    clusters = std::min<int64_t>(clusters, std::max(resident, 1));
  }
  // If few clusters are left out, the fewest that need no more rounds: the tiles of a round are then neighbours, and
  // idle multiprocessors leave power to the others.
  const int64_t even = ceil_div(tiles, ceil_div(tiles, clusters));
  if (clusters - even <= clusters / 16) clusters = even;
  return launch_after(kernel, static_cast<unsigned>(i.cluster), dim3(static_cast<unsigned>(clusters * i.cluster)),
                      dim3(kWgmmaThreads), i.shared_bytes, launch, error, arguments...);
}
template <typename... Parameters, typename... Arguments>
libsgemm_status_t launch_wgmma_kernel(void (*kernel)(Parameters...), const WgmmaInstance &i, const WgmmaProblem &p,
                                      const Launch &launch, Error *error, const Arguments &...arguments) {
  return launch_wgmma_tiles(kernel, i, int64_t{p.tiles.value} * p.slices * p.products, launch, error, arguments...);
}

// Fills *maps and *problem. `part` is a part of the m x n matrix C.
libsgemm_status_t describe_wgmma(const GemmDesc &desc, const WgmmaInstance &instance, const WgmmaSides &sides,
                                 libsgemm::Stored::Part part, const WgmmaSlices &slices,
                                 const StridedOperands &operands, int64_t count, const Launch &launch, WgmmaMaps *maps,
                                 WgmmaProblem *problem, Error *error);

libsgemm_status_t launch_wgmma(const GemmDesc &desc, const WgmmaInstance &instance, const WgmmaSides &sides,
                               libsgemm::Stored::Part part, const WgmmaSlices &slices, const StridedOperands &operands,
                               int64_t count, const Launch &launch, Error *error);

// True if TMA can copy the operands and an int can count the tiles.
bool wgmma_fits(const GemmDesc &desc, int tile_x, int tile_y, int index);

}  // namespace libsgemm::cuda
