// Tiles of the wgmma main loop (wgmma_engine.cuh), in an order in which neighbours share operands in L2, and the ring
// of stages.
#pragma once

#include "wgmma_shape.cuh"

namespace libsgemm::cuda {

struct WgmmaTile {
  int x, y;  // units: tiles of a cluster
  int slice, product;

  __device__ __forceinline__ static int count(const WgmmaProblem &p) { return p.tiles.value * p.slices * p.products; }
  __device__ __forceinline__ WgmmaTile(const WgmmaProblem &p, int index, bool any_triangle = false) {
    // A small product is sensitive to latency: no division unless needed.
    product = slice = 0;
    if (p.slices * p.products > 1) {
      slice = p.tiles.quotient(index);
      index -= slice * p.tiles.value;
      if (p.products > 1) {
        product = slice / p.slices;
        slice -= product * p.slices;
      }
    }
    if (p.part == Part::all) {
      const int group_tiles = kWgmmaGroup * p.tiles_x, group = index < group_tiles ? 0 : index / group_tiles;
      const int within = index - group * group_tiles, height = min(kWgmmaGroup, p.tiles_y - group * kWgmmaGroup);
      x = height == kWgmmaGroup ? within / kWgmmaGroup : p.last_height.quotient(within);
      y = group * kWgmmaGroup + within - x * height;
    } else {
      if (!any_triangle || p.triangle == TriangleTiles::squares) {
        place_in_triangle(p.tiles_y, index);
      } else if (p.triangle == TriangleTiles::beside) {
        place_in_triangle(p.tiles_y - 1, index);
        ++y;
      } else if (p.triangle == TriangleTiles::halves) {
        x = 2 * index + (p.part == Part::x_from_y), y = index;
        return;
      } else if (p.triangle == TriangleTiles::quarters) {
        x = y = 2 * index + (p.part == Part::y_from_x);
      } else {
        // The lines of TriangleLines run along x if y grows, otherwise along y.
        const int of_x = kWgmmaRows << p.cluster.log_x, of_y = p.width << p.cluster.log_y;
        const bool y_grows = p.part == Part::y_from_x;
        TriangleLines rest(y_grows ? of_y : of_x, y_grows ? of_x : of_y, y_grows ? p.tiles_x : p.tiles_y);
        y = 0, x = index;
        for (int clusters = rest.next(); x >= clusters; clusters = rest.next()) x -= clusters, ++y;
      }
      if (p.part == Part::x_from_y) {
        const int row = y;
        y = x, x = row;
      }
    }
  }
  __device__ __forceinline__ int first_step(const WgmmaProblem &p) const { return step(p, slice); }
  __device__ __forceinline__ int steps(const WgmmaProblem &p) const { return step(p, slice + 1) - step(p, slice); }

 private:
  __device__ __forceinline__ static int step(const WgmmaProblem &p, int slice) {
    return slice * p.slice_steps + min(slice, p.k_steps - p.slice_steps * p.slices);
  }

  // Sets x <= y for tile `index` of a triangle of `order` rows, which is ordered by group, then by column.
  __device__ __forceinline__ void place_in_triangle(int order, int index) {
    // Number of tiles in g groups, which have kWgmmaGroup * g rows.
    const auto before = [](int g) { return kWgmmaGroup * g * (kWgmmaGroup * g + 1) / 2; };
    int group = static_cast<int>(ptx::approximate_sqrt(2.0f * static_cast<float>(index))) / kWgmmaGroup;
    while (before(group) > index) --group;
    while (before(group + 1) <= index) ++group;
    const int first = group * kWgmmaGroup, height = min(kWgmmaGroup, order - first);
    index -= before(group);
    if (index < first * height) {
      x = index / height;
      y = first + index - x * height;
      return;
    }
    index -= first * height;
    int column = 0;
    while (index >= height - column) index -= height - column, ++column;
    x = first + column, y = x + index;
  }
};

struct WgmmaRows {
  int row, product;

  template <class Config, class Lines, int kChunk>
  __device__ __forceinline__ void copy(uint32_t shared, const TensorMap &map, int k, bool to_pair,
                                       uint32_t barrier) const;
};

// The Work of the engine's templates. A thread requests tiles in ascending order; maps() and problem() belong to the
// latest one.
struct WgmmaWork {
  const WgmmaMaps &of_maps;
  const WgmmaProblem &of_problem;
  bool any_triangle = false;

  __device__ __forceinline__ int count() const { return WgmmaTile::count(of_problem); }
  __device__ __forceinline__ WgmmaTile tile(int index) { return {of_problem, index, any_triangle}; }
  __device__ __forceinline__ const WgmmaMaps &maps() const { return of_maps; }
  __device__ __forceinline__ const WgmmaProblem &problem() const { return of_problem; }
  __device__ __forceinline__ WgmmaRows rows(int row, int product) const { return {row, product}; }
  // Announces the next tile to copy, for a Work that prefetches its maps.
  __device__ __forceinline__ void expect(int) const {}
  // Prefetches what the first copies need.
  __device__ __forceinline__ void prepare() const {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    ptx::prefetch_map(&of_maps.x);
    ptx::prefetch_map(&of_maps.y);
    if (of_problem.boxes) ptx::prefetch_map(&of_maps.c);
#endif
  }
};

template <class Config>
__device__ __forceinline__ int tile_first_x(const WgmmaProblem &p, const WgmmaTile &tile, int rank) {
  if constexpr (Config::any_cluster) {
    return ((tile.x << p.cluster.log_x) + p.cluster.x(rank)) * Config::tile_x;
  } else if constexpr (Config::any_width) {
    return tile.x * Config::tile_x;
  } else {
    return tile.x * Config::cluster_x + (Config::shares_x ? 0 : rank * Config::tile_x);
  }
}
template <class Config>
__device__ __forceinline__ int tile_first_y(const WgmmaProblem &p, const WgmmaTile &tile, int rank) {
  if constexpr (Config::any_cluster) {
    return ((tile.y << p.cluster.log_y) + p.cluster.y(rank)) * p.width;
  } else if constexpr (Config::any_width) {
    return tile.y * p.width;
  } else {
    return tile.y * Config::cluster_y + (Config::shares_x ? rank * Config::tile_y : 0);
  }
}

// The tiles of a block: first, first + step, ... below count.
struct WgmmaWalk {
  int first, step, count;
};

template <class Config>
struct WgmmaRing {
  uint32_t shared;  // address of stage 0
  int stages = Config::stages, stage_bytes = Config::stage_bytes;
  int x_at = 0, y_at = Config::x_bytes;  // offsets in a stage
  int stage = 0;
  unsigned parity = 0;
  int rank;                       // the block's rank in its cluster
  int sharers = Config::cluster;  // blocks that share operands, this one included
  __device__ __forceinline__ WgmmaRing(uint32_t shared, int rank) : shared(shared), rank(rank) {}
  // `p`: any product of the launch; all have the same stages.
  __device__ __forceinline__ WgmmaRing(uint32_t shared, int rank, const WgmmaProblem &p) : WgmmaRing(shared, rank) {
    if constexpr (Config::any_width) {
      stages = p.stages, stage_bytes = Config::bytes_of_stage(p.width);
      if constexpr (Config::any_cluster) sharers = p.cluster.sharers();
    }
    if constexpr (Config::any_triangle) {
      if (p.y_has_x()) stage_bytes -= Config::x_bytes, x_at = p.x_row() * Config::row_bytes, y_at = 0;
    }
  }
  __device__ __forceinline__ uint32_t x() const {
    return shared + stage * stage_bytes + (Config::any_triangle ? x_at : 0);
  }
  __device__ __forceinline__ uint32_t y() const {
    if constexpr (Config::any_triangle) return shared + stage * stage_bytes + y_at;
    return x() + Config::x_bytes;
  }
  __device__ __forceinline__ uint32_t full() const {
    return shared + Config::stages_bytes + Config::boxes_bytes + 8 * stage;
  }
  __device__ __forceinline__ uint32_t empty() const { return full() + 8 * Config::most_stages; }
  __device__ __forceinline__ void wait_full() const { ptx::barrier_wait(full(), parity); }
  __device__ __forceinline__ void advance() {
    if (++stage == stages) stage = 0, parity ^= 1;
  }
  // Frees the stage in all blocks that share operands.
  __device__ __forceinline__ void release(uint32_t barrier) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (Config::cluster > 1) {
      if (lane < sharers) ptx::barrier_arrive_at(barrier, Config::any_cluster ? rank ^ lane : lane);
    } else {
      if (lane == 0) ptx::barrier_arrive(barrier);
    }
  }
};

}  // namespace libsgemm::cuda
