// Products by Hopper's warpgroup instructions (wgmma). Blocks are persistent; one warp copies by TMA, two warpgroups
// multiply.
//
//   warpgroup 0, 1   multiply: kHalves times 64 rows of x each, times kN columns of y
//   warp 8           one lane copies stage after stage, of this tile and the next one, while the others store
//
//   stage s of `stages`:  [x: chunks of rows, in each the planes][y: the planes]
//   after the stages:     for each warp two boxes of 16 rows of x by 32 columns of y in flight to C, in C's layout:
//                         along y, or along x; 2048 bytes each
//   after these:          barriers full[stages], empty[stages]
//
// A stage, or k-step, spans `depth` of k. An operand keeps its layout in global memory: K-major, each row a line of 128
// or 64 bytes; or MN-major (along its outer side), in blocks of 64 elements x depth lines. TMA swizzles the 16-byte
// chunks of 8 lines, and wgmma reads them swizzled (instructions.cuh). An MN-major x of TF32 goes through registers
// (operand_lines.cuh).
//
// Planes are the splits of an operand (gpu/splits/splits.h): 1 for the caller's own operand, 2 or 3 for FP32. With more
// than one plane, the sums leave the tensor cores every kPromoteDepth k, since the tensor cores truncate where FP32
// rounds. Products of low weight come first, summed separately if they have a scale, then the others (Promotion). The
// other warpgroup multiplies meanwhile.
//
// The kernel of 16-bit products (WgmmaAnyWidth) has tiles of any width: a loop over k for each width, and one copy of
// everything else. Tiles of 64 rows of x are multiplied by both warpgroups, which take alternate stages.
//
// A cluster is two blocks (Config::cluster): neighbours that need the same tile of one operand, of which each copies a
// half to both. So a stage is free when both blocks have read it: their warps arrive at both blocks' barriers. A block
// must not end before its neighbour has written to it and arrived at it for the last time. Tiles of any width have
// clusters of up to four blocks (WgmmaCluster), side by side along x, or two by two. Two by two, a block copies half of
// its x to the block that shares x with it, and half of its y to the one that shares y.
//
// What bounds it (H100, Nsight Compute): a tile 256 wide keeps the tensor cores busy for 0.88 to 0.94 of the time, one
// 160 wide for 0.56. Such a kernel takes as long without its products: it waits for lines of operands, each of which
// takes a block 4 clocks while all multiprocessors read. Lines of 128 bytes that are not aligned to lines of the L2
// cache, as happens unless ld is a multiple of 64, count as two there and take 6 to 7 clocks. So the fewer lines a
// block requests itself, the better: for a k-step, a tile of 128 x 256 needs 384 lines alone, 256 in a pair, 192 in a
// cluster of four; a tile of 128 x 208 needs 168 two by two. 2216 x 2864 x 3064 TN takes 112, 81 and 68 us alone, in
// pairs and in fours (cuBLAS 63), 11688 x 216 x 9744 NT 184, 127 and 106 (114); 896 x 5504 x 18624 TT 273 alone, 266 in
// pairs that share x (250). Only 30 clusters of four run at once, on 120 of 132 multiprocessors: large squares with
// aligned lines, and products of one wave, are faster without them. On 89 random products the best ways reach 0.90 of
// cuBLAS's speed at the 5th percentile with clusters of four, 0.86 without.
//
// The lane that copies is elected (ptx::elect_one()), so that the compiler knows that it is only one. A lane chosen by
// its number took a loop over lanes for each copy, and a k-step of narrow tiles or of several boxes took as long as its
// instructions: 64 x 128 x 8192 33.6 -> 26.4 us (NT), 128 x 128 x 8192 of a triangle 55.7 -> 49.9.
//
// Tried: a fifth stage (same time); other L2 promotions of TMA's maps (same time). Neighbouring tiles that begin at
// different k, so that they do not request the same lines at once: 0.88 to 1.3 of the time, 1.01 on average. Tiles
// after the last full wave in slices of k, in the same launch, and a kernel that adds the slices: 896 x 5504 x 18624
// 377 -> 317 us, where tiles of 160 x 128 take 263; elsewhere adding the slices cost more than it saved.
//
// A small product takes as long as its few warps need for one instruction after the other, some 5 clocks each: 48 x 384
// x 208 in a graph took 4.3 us with all barriers initialised by one thread, divisions for the first tile's place, and
// the wait for the previous grid ahead of all that. Now it takes 2.6 us (cuBLAS 2.6).
//
// Sources: NVIDIA, PTX ISA, and CUTLASS' documents of the warp-specialised persistent design; DeepSeek's DeepGEMM for
// the promotion. Nothing of either is copied.
#pragma once

#include "dynamic_shared.cuh"
#include "instructions.cuh"
#include "wgmma_problem.h"
#include "wgmma_store.cuh"

namespace libsgemm::cuda {

constexpr int kConsumers = 2, kConsumerWarps = 8;

// ---- What a kernel is built from

// kN: columns of y. kHalves: halves, of 64 rows of x, for each warpgroup. kDepth: k of a stage.
template <Number kNumber, class XLines, class YLines, int kHalves, int kN, int kDepth, int kStages, int kCluster,
          int kPlanes = 1>
struct WgmmaShape {
  static constexpr Number number = kNumber;
  using X = XLines;
  using Y = YLines;
  static constexpr int halves = kHalves, n = kN, depth = kDepth, stages = kStages, cluster = kCluster, planes = kPlanes;
  static constexpr int tile_x = kConsumers * 64 * kHalves, tile_y = kN;
  // A cluster shares the operand with the larger tile; y only if its halves are whole blocks.
  static constexpr bool shares_x = tile_x > tile_y || kN % 128 != 0;
  static constexpr int cluster_x = shares_x ? tile_x : kCluster * tile_x;
  static constexpr int cluster_y = shares_x ? kCluster * tile_y : tile_y;

  static constexpr int element_bytes = kNumberBytes<kNumber>;
  static constexpr int instruction_depth = 32 / element_bytes;
  static constexpr int instructions = kDepth / instruction_depth;  // for a stage, along k

  // Rows of y in shared memory; MN-major blocks have 64.
  static constexpr int y_rows = Y::along_k ? kN : (kN + 63) / 64 * 64;
  static constexpr int x_chunk = kCluster == 2 && shares_x ? tile_x / 2 : tile_x;
  static constexpr int y_chunk = kCluster == 2 && !shares_x ? y_rows / 2 : y_rows;
  static constexpr int row_bytes = kDepth * element_bytes;
  static constexpr int x_bytes = tile_x * kPlanes * row_bytes, y_bytes = y_rows * kPlanes * row_bytes;
  static constexpr int stage_bytes = x_bytes + y_bytes;
  static constexpr int stages_bytes = kStages * stage_bytes;
  // Boxes in flight to C, if there is room for them.
  static constexpr int box_x = 16, box_y = kWgmmaBox, box_bytes = box_x * box_y * 4;
  static constexpr bool has_boxes =
      kN % box_y == 0 && stages_bytes + kConsumerWarps * 2 * box_bytes + 16 * kStages <= 227 * 1024;
  static constexpr int boxes_bytes = has_boxes ? kConsumerWarps * 2 * box_bytes : 0;
  // True if boxes may also run along x: needed if the layout of an operand decides which side of C is x.
  static constexpr bool boxes_along_x = has_boxes && X::by_threads;
  static constexpr int shared_bytes = stages_bytes + boxes_bytes + 16 * kStages;
  static_assert(!X::along_k || row_bytes == X::line, "a row of k is a line");
  static_assert(!Y::along_k || row_bytes == Y::line, "a row of k is a line");
  static_assert(kPlanes == 1 || y_chunk == y_rows, "planes of y are copied whole");
  static_assert(X::along_k || x_chunk % X::box_rows == 0, "whole blocks");
  static_assert(Y::along_k || y_chunk % Y::box_rows == 0, "whole blocks");
  static_assert(!Y::by_threads && (!X::by_threads || (kHalves == 1 && kPlanes == 1)), "x by registers, of one plane");
  static_assert(stage_bytes % 1024 == 0 && shared_bytes <= 227 * 1024, "of a multiprocessor");
  static_assert(kPlanes == 1 || kPromoteDepth % kDepth == 0, "whole stages between promotions");

  // Descriptor of plane `plane` of y. `y`: where y begins in a stage.
  __device__ __forceinline__ static uint64_t descriptor_y(uint32_t y, int plane) {
    return Y::descriptor(y + plane * (y_rows * row_bytes));
  }

  static constexpr bool any_width = false, any_cluster = false, any_triangle = false;
  static constexpr int most_stages = kStages;
  static constexpr bool shares_k = false;
};

// Shape whose tile width is set by the launch, one of WgmmaWidths. The stages share the memory of four stages of width
// 256. kCluster: 1, or kMostCluster if the launch sets the cluster. kRows: rows of x, 128 or 64. With 64, both
// warpgroups multiply all rows, in alternate stages: half as many bytes then arrive for a small tile, which is bound by
// them. Such tiles are at most 64 wide.
template <Number kNumber, class XLines, class YLines, int kCluster, int kRows>
struct WgmmaAnyWidth : WgmmaShape<kNumber, XLines, YLines, 1, 256, kWgmmaDepth, 4, 1> {
  using Widest = WgmmaShape<kNumber, XLines, YLines, 1, 256, kWgmmaDepth, 4, 1>;
  static constexpr bool any_width = true, any_cluster = kCluster > 1;
  static constexpr bool boxes_along_x = true, shares_k = kRows < kWgmmaRows;
  static constexpr int n = shares_k ? 64 : 256;  // the widest
  static constexpr int tile_x = kRows, x_bytes = kRows * Widest::row_bytes, cluster = kCluster;
  static constexpr int most_stages = 12;
  // Barriers of the exchange of accumulators, after those of the ring: they are there, and they are taken.
  static constexpr int barriers_at = Widest::stages_bytes + Widest::boxes_bytes;
  static constexpr int sums_there = barriers_at + 16 * most_stages, sums_taken = sums_there + 8;
  static constexpr int shared_bytes = sums_taken + 8;
  // Accumulators pass through the boxes of the warpgroup that does not store.
  static constexpr int sums_at = Widest::stages_bytes + Widest::boxes_bytes / 2;
  static_assert(!shares_k || n * kRows * 4 <= Widest::boxes_bytes / 2, "room for the sums");
  static_assert(shared_bytes <= 227 * 1024 && !Widest::shares_x && Widest::row_bytes == 128, "of a multiprocessor");
  static_assert(kRows == 64 || kRows == kWgmmaRows, "rows of an instruction, or of two");
  static_assert(kCluster == 1 || kCluster == kMostCluster, "alone, or as the launch says");

  // Bytes of a stage for a width. MN-major blocks have 64 columns.
  LIBSGEMM_HOST_DEVICE static constexpr int bytes_of_stage(int width) {
    const int rows = YLines::along_k ? width : (width + 63) / 64 * 64;
    return x_bytes + rows * Widest::row_bytes;
  }
  LIBSGEMM_HOST_DEVICE static constexpr int stages_of(int width, int bytes_less = 0) {
    const int fitting = Widest::stages_bytes / (bytes_of_stage(width) - bytes_less);
    return fitting < most_stages ? fitting : most_stages;
  }
};

// WgmmaAnyWidth for triangles, with any TriangleTiles.
template <Number kNumber, class Lines>
struct WgmmaAnyTriangle : WgmmaAnyWidth<kNumber, Lines, Lines, kMostCluster, kWgmmaRows> {
  static constexpr bool any_triangle = true, boxes_along_x = false;
  static_assert(Lines::along_k || kWgmmaRows % Lines::box_rows == 0, "x begins with a block of y");
};

// Calls use(std::integral_constant) with the width, one of up to kMost.
template <int kMost, class Use, int... kWidths>
__device__ __forceinline__ void with_wgmma_width(int width, const Use &use, std::integer_sequence<int, kWidths...>) {
  const auto try_width = [&](auto candidate) {
    constexpr int kWidth = decltype(candidate)::value;
    if constexpr (kWidth <= kMost) {
      if (width == kWidth) use(candidate);
      return width == kWidth;
    } else {
      return false;
    }
  };
  static_cast<void>((try_width(std::integral_constant<int, kWidths>()) || ...));
}
template <int kMost, class Use>
__device__ __forceinline__ void with_wgmma_width(int width, const Use &use) {
  with_wgmma_width<kMost>(width, use, WgmmaWidths());
}

// ---- The tiles of a cluster, in an order in which neighbours share operands in the L2 cache

struct WgmmaTile {
  int x, y;  // in tiles of a cluster
  int slice, product;

  __device__ __forceinline__ static int count(const WgmmaProblem &p) { return p.tiles.value * p.slices * p.products; }
  // `any_triangle`: true if p.triangle may be other than squares.
  __device__ __forceinline__ WgmmaTile(const WgmmaProblem &p, int index, bool any_triangle = false) {
    // Computing the first tile's place is most of a small product's latency, so no unnecessary division is made.
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
        // Lines run along x if y grows, otherwise along y.
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
  // Slices differ by at most one k-step.
  __device__ __forceinline__ int first_step(const WgmmaProblem &p) const { return step(p, slice); }
  __device__ __forceinline__ int steps(const WgmmaProblem &p) const { return step(p, slice + 1) - step(p, slice); }

 private:
  __device__ __forceinline__ static int step(const WgmmaProblem &p, int slice) {
    return slice * p.slice_steps + min(slice, p.k_steps - p.slice_steps * p.slices);
  }

  // Sets x <= y in a triangle of `order` rows. A group's columns follow each other, and in each column the rows that
  // are in the triangle.
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

// Rows of a matrix, from `row` on.
struct WgmmaRows {
  int row, product;

  // Copies a stage of kChunk rows, from `k` on.
  template <class Config, class Lines, int kChunk>
  __device__ __forceinline__ void copy(uint32_t shared, const TensorMap &map, int k, bool to_pair,
                                       uint32_t barrier) const;
};

// A kernel's Work is what its launch computes, tile after tile. A thread requests tiles by ascending index; maps() and
// problem() belong to the last one requested. WgmmaWork is the Work of a single WgmmaProblem.
struct WgmmaWork {
  const WgmmaMaps &of_maps;
  const WgmmaProblem &of_problem;
  bool any_triangle = false;  // as for WgmmaTile

  __device__ __forceinline__ int count() const { return WgmmaTile::count(of_problem); }
  __device__ __forceinline__ WgmmaTile tile(int index) { return {of_problem, index, any_triangle}; }
  __device__ __forceinline__ const WgmmaMaps &maps() const { return of_maps; }
  __device__ __forceinline__ const WgmmaProblem &problem() const { return of_problem; }
  // Copier of the rows of x from `row` on.
  __device__ __forceinline__ WgmmaRows rows(int row, int product) const { return {row, product}; }
  __device__ __forceinline__ void expect(int) const {}  // the tile will be copied soon
  // Prefetches what the first copies need; runs before the previous grid has ended, so only what that does not write.
  __device__ __forceinline__ void prepare() const {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    ptx::prefetch_map(&of_maps.x);
    ptx::prefetch_map(&of_maps.y);
    if (of_problem.boxes) ptx::prefetch_map(&of_maps.c);
#endif
  }
};

// First row of x and first column of y of a block's tile.
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

// Indices of the tiles that a block computes.
struct WgmmaWalk {
  int first, step, count;
};

// A place in the ring of stages.
template <class Config>
struct WgmmaRing {
  uint32_t shared;  // address of stage 0
  int stages = Config::stages, stage_bytes = Config::stage_bytes;
  int x_at = 0, y_at = Config::x_bytes;  // offsets in a stage
  int stage = 0;
  unsigned parity = 0;
  int rank;                       // the block's, in its cluster
  int sharers = Config::cluster;  // blocks that share operands with this one, and itself
  __device__ __forceinline__ WgmmaRing(uint32_t shared, int rank) : shared(shared), rank(rank) {}
  // With Config::any_width, `p` may be any product of the launch: they have the same stages.
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
  // Frees the stage of the barrier for copies of all blocks that share operands with this one.
  __device__ __forceinline__ void release(uint32_t barrier) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (Config::cluster > 1) {
      if (lane < sharers) ptx::barrier_arrive_at(barrier, Config::any_cluster ? rank ^ lane : lane);
    } else {
      if (lane == 0) ptx::barrier_arrive(barrier);
    }
  }
};

// ---- Copying

// `blocks`: multicast mask, or 0 for this block alone.
__device__ __forceinline__ void copy_box(unsigned blocks, uint32_t to, const TensorMap &map, int along, int across,
                                         int plane, int product, uint32_t barrier) {
  if (blocks != 0) {
    ptx::copy_box_to(blocks, to, &map, along, across, plane, product, barrier);
  } else {
    ptx::copy_box(to, &map, along, across, plane, product, barrier);
  }
}

// Copies a stage of a chunk of an operand's rows, from `row` and `k` on. With `to_pair`, the chunk is half of the tile
// and goes to both blocks.
template <class Config, class Lines, int kChunk>
__device__ __forceinline__ void copy_chunk(uint32_t shared, const TensorMap &map, int row, int k, int product,
                                           bool to_pair, uint32_t barrier) {
  // A box of K-major rows has all planes.
  constexpr int kBlocks = (kChunk + Lines::box_rows - 1) / Lines::box_rows;
  constexpr int kBoxes = Lines::along_k ? kBlocks : kBlocks * Config::planes;
#pragma unroll
  for (int i = 0; i < kBoxes; ++i) {
    const uint32_t to = shared + i * Config::depth * 128;
    const int of_block = row + Lines::box_rows * (i % kBlocks);
    const int along = Lines::along_k ? k : of_block, across = Lines::along_k ? of_block : k;
    copy_box(to_pair ? 3 : 0, to, map, along, across, i / kBlocks, product, barrier);
  }
}

template <class Config, class Lines, int kChunk>
__device__ __forceinline__ void WgmmaRows::copy(uint32_t shared, const TensorMap &map, int k, bool to_pair,
                                                uint32_t barrier) const {
  copy_chunk<Config, Lines, kChunk>(shared, map, row, k, product, to_pair, barrier);
}

// Part of an operand's tile that a block copies: number `part` of 1 << log_parts, to `blocks` (copy_box()).
struct WgmmaShare {
  int part = 0, log_parts = 0;
  unsigned blocks = 0;
};

// For tiles of any width: copies `outer` rows of x or columns of y from `first` on, at most kMost; of their lines only
// this block's share.
template <class Config, class Lines, int kMost>
__device__ __forceinline__ void copy_outer(uint32_t shared, const TensorMap &map, int outer, int first, int k,
                                           int product, const WgmmaShare &share, uint32_t barrier) {
  const int line = share.part * ((Lines::along_k ? outer : Config::depth) >> share.log_parts);
  const uint32_t to = shared + line * Config::row_bytes;
  if constexpr (Lines::along_k) {
    copy_box(share.blocks, to, map, k, first + line, 0, product, barrier);
  } else {
    // Unrolled: the lane that copies must be ahead of the products.
#pragma unroll
    for (int i = 0; i < kMost; i += Lines::box_rows) {
      if (i < outer) copy_box(share.blocks, to + i * Config::row_bytes, map, first + i, k + line, 0, product, barrier);
    }
  }
}

template <class Config, class Work>
__device__ __forceinline__ void copy_tiles(Work work, WgmmaRing<Config> at, const WgmmaWalk &walk) {
  constexpr bool kPair = Config::cluster == 2;
  constexpr bool kPairX = kPair && Config::shares_x, kPairY = kPair && !Config::shares_x;
  const int rank = at.rank;
  [[maybe_unused]] WgmmaShare share_x, share_y;  // for tiles of any width
  if constexpr (Config::any_cluster) {
    const WgmmaCluster &c = work.problem().cluster;
    if (c.log_y > 0) share_x = {c.y(rank), c.log_y, c.sharing_x(rank)};
    if (c.log_x > 0) share_y = {c.x(rank), c.log_x, c.sharing_y(rank)};
  }
#pragma unroll 1
  for (int t = walk.first; t < walk.count; t += walk.step) {
    const WgmmaTile tile = work.tile(t);
    const WgmmaMaps &maps = work.maps();
    const WgmmaProblem &p = work.problem();
    work.expect(t + walk.step);
    // For a shared operand, the half that this block copies.
    const int x = Config::any_width ? tile_first_x<Config>(p, tile, rank)
                                    : tile.x * Config::cluster_x + rank * (kPairX ? Config::x_chunk : Config::tile_x);
    const int y = Config::any_width ? tile_first_y<Config>(p, tile, rank)
                                    : tile.y * Config::cluster_y + rank * (kPairY ? Config::y_chunk : Config::tile_y);
    const auto rows = work.rows(x, tile.product * p.moves_x);
    const int steps = tile.steps(p);
    int k = tile.first_step(p) * Config::depth;
    if (t == walk.first) ptx::wait_for_grid_before();
#pragma unroll 1
    for (int s = 0; s < steps; ++s, k += Config::depth) {
      ptx::barrier_wait(at.empty(), at.parity ^ 1);
      ptx::barrier_arrive_and_expect(at.full(), at.stage_bytes);
      if constexpr (Config::any_width) {
        if (!Config::any_triangle || !p.y_has_x()) {
          copy_outer<Config, typename Config::X, Config::tile_x>(at.x(), maps.x, Config::tile_x, x, k,
                                                                 tile.product * p.moves_x, share_x, at.full());
        }
        copy_outer<Config, typename Config::Y, Config::n>(at.y(), maps.y, p.width, y, k, tile.product * p.moves_y,
                                                          share_y, at.full());
      } else {
        rows.template copy<Config, typename Config::X, Config::x_chunk>(
            at.x() + (kPairX ? rank * (Config::x_bytes / 2) : 0), maps.x, k, kPairX, at.full());
        copy_chunk<Config, typename Config::Y, Config::y_chunk>(at.y() + (kPairY ? rank * (Config::y_bytes / 2) : 0),
                                                                maps.y, y, k, tile.product * p.moves_y, kPairY,
                                                                at.full());
      }
      at.advance();
    }
  }
}

// ---- Multiplying

// Returns where the warpgroup's half `half` of plane `plane` of x begins in a stage.
template <class Config>
__device__ __forceinline__ uint32_t offset_x(int group, int half, int plane) {
  const int row = (group * Config::halves + half) * 64, chunk = row / Config::x_chunk;
  return (chunk * Config::planes + plane) * (Config::x_chunk * Config::row_bytes) +
         (row - chunk * Config::x_chunk) * Config::row_bytes;
}

// Issues the products of one stage: a half and plane of x times the plane of y that `of_y` describes. `fresh`: the
// accumulators start at zero.
template <class Config, int kSums>
__device__ __forceinline__ void multiply_stage(float (&sum)[kSums], uint32_t x, uint64_t of_y, bool fresh) {
  using X = typename Config::X;
  using Y = typename Config::Y;
  const uint64_t of_x = X::descriptor(x);
#pragma unroll
  for (int i = 0; i < Config::instructions; ++i) {
    ptx::wgmma<Config::number, 2 * kSums, X::along_k, Y::along_k>(
        sum, of_x + (i * X::step_bytes >> 4), of_y + (i * Y::step_bytes >> 4), i > 0 || !fresh ? 1 : 0);
  }
}

// Multiplies all of a tile's k, accumulating in the tensor cores.
template <class Config, int kSums>
__device__ __forceinline__ void multiply_tile(float (&sum)[Config::halves][kSums], WgmmaRing<Config> *at, int group,
                                              int steps) {
  uint32_t before = 0;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    at->wait_full();
    ptx::wgmma_fence();
#pragma unroll
    for (int h = 0; h < Config::halves; ++h) {
      multiply_stage<Config>(sum[h], at->x() + offset_x<Config>(group, h, 0), Config::descriptor_y(at->y(), 0), s == 0);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();  // for the stage before
    if (s > 0) at->release(before);
    before = at->empty();
    at->advance();
  }
  ptx::wgmma_wait<0>();
  at->release(before);
}

// multiply_tile() for stages that the warpgroups take alternately.
template <class Config, int kSums>
__device__ __forceinline__ void multiply_in_turn(float (&sum)[1][kSums], WgmmaRing<Config> *at, int group, int steps) {
  uint32_t before = 0;
  if (group > 0) at->advance();
#pragma unroll 1
  for (int s = group; s < steps; s += kConsumers) {
    at->wait_full();
    ptx::wgmma_fence();
    multiply_stage<Config>(sum[0], at->x(), Config::descriptor_y(at->y(), 0), s == group);
    ptx::wgmma_commit();
    ptx::wgmma_wait<1>();  // its stage before
    if (s > group) at->release(before);
    before = at->empty();
    at->advance();
    if (s + 1 < steps) at->advance();
  }
  ptx::wgmma_wait<0>();
  if (steps > group) at->release(before);
}

// Adds the accumulators of both warpgroups. Returns true to the first one, which stores the sums. `both` needs
// registers of its own: otherwise the compiler would wait for the products one by one (C7515). `parity`: that of the
// exchange's barriers.
template <class Config, int kSums>
__device__ __forceinline__ bool gather_sums(const float (&sum)[kSums], float (&both)[kSums], uint32_t shared, int group,
                                            int steps, int width, unsigned *parity) {
  if (steps < kConsumers) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) both[i] = sum[i];
    return group == 0;
  }
  const uint32_t mine = shared + Config::sums_at + threadIdx.x % 128 * 4;
  if (group == 1) {
    ptx::barrier_wait(shared + Config::sums_taken, *parity ^ 1);
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      if (2 * i < width) ptx::store_shared(mine + 512 * i, sum[i]);
    }
    ptx::barrier_arrive(shared + Config::sums_there);
  } else {
    ptx::barrier_wait(shared + Config::sums_there, *parity);
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      if (2 * i < width) both[i] = sum[i] + ptx::load_shared(mine + 512 * i);
    }
    ptx::barrier_arrive(shared + Config::sums_taken);
  }
  *parity ^= 1;
  return group == 0;
}

// multiply_tile() with x through registers. These must not be written while products are in flight: the compiler would
// wait for each product (C7513). So the warpgroup waits for its own products, and the other one multiplies meanwhile.
template <class Config>
__device__ __forceinline__ void multiply_tile_by_threads(float (&sum)[Config::n / 2], WgmmaRing<Config> *at, int group,
                                                         int steps) {
  using X = typename Config::X;
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const X of_x(at->x(), group * 64 + thread / 32 * 16, lane);
    float x[Config::instructions][4];
    at->wait_full();
#pragma unroll
    for (int i = 0; i < Config::instructions; ++i) {
#pragma unroll
      for (int r = 0; r < 4; ++r) x[i][r] = ptx::load_shared(of_x.at(r) + i * X::step_bytes);
      X::arrange(x[i], lane);
    }
    ptx::wgmma_fence();
    const uint64_t of_y = Config::descriptor_y(at->y(), 0);
#pragma unroll
    for (int i = 0; i < Config::instructions; ++i) {
      ptx::wgmma_tf32<Config::n>(sum, x[i], of_y + (i * Config::Y::step_bytes >> 4), i > 0 || s > 0 ? 1 : 0);
    }
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
    at->release(at->empty());
    at->advance();
  }
}

// Products of a scheme, in their order: plane x(r) of x times plane y(r) of y. The first `low` are summed separately
// and multiplied by low_scale.
template <int kPlanes>
struct Promotion;
template <>
struct Promotion<1> {
  static constexpr int count = 1;
};
template <>
struct Promotion<2> {
  static constexpr int count = 3, low = 2;
  static constexpr float low_scale = 0x1p-11f;
  __device__ __forceinline__ static constexpr int x(int r) { return r == 0; }
  __device__ __forceinline__ static constexpr int y(int r) { return r == 1; }
};
template <>
struct Promotion<3> {
  static constexpr int count = 6, low = 0;
  static constexpr float low_scale = 1;
  __device__ __forceinline__ static constexpr int x(int r) { return 0x001012 >> 4 * r & 15; }
  __device__ __forceinline__ static constexpr int y(int r) { return 0x010210 >> 4 * r & 15; }
};

// multiply_tile() for several planes, with sums in FP32 outside of the tensor cores.
template <class Config>
__device__ __forceinline__ void multiply_planes(float (&sum)[Config::halves][Config::n / 2], WgmmaRing<Config> *at,
                                                int group, int steps) {
  using Products = Promotion<Config::planes>;
  constexpr int kTogether = kPromoteDepth / Config::depth;
#pragma unroll
  for (int h = 0; h < Config::halves; ++h) {
#pragma unroll
    for (int i = 0; i < Config::n / 2; ++i) sum[h][i] = 0;
  }
  float part[Config::n / 2];
#pragma unroll 1
  for (int s = 0; s < steps; s += kTogether) {
    const WgmmaRing<Config> first = *at;
    // Issues products `from` to `to` of all stages between promotions.
    const auto multiply = [&](int half, int from, int to) {
      WgmmaRing<Config> stage = first;
#pragma unroll
      for (int g = 0; g < kTogether; ++g) {
        if (half == 0 && from == 0) stage.wait_full();
        ptx::wgmma_fence();
#pragma unroll
        for (int r = from; r < to; ++r) {
          multiply_stage<Config>(part, stage.x() + offset_x<Config>(group, half, Products::x(r)),
                                 Config::descriptor_y(stage.y(), Products::y(r)), g == 0 && r == from);
        }
        stage.advance();
      }
      ptx::wgmma_commit();
      ptx::wgmma_wait<0>();
      return stage;
    };
#pragma unroll
    for (int h = 0; h < Config::halves; ++h) {
      if constexpr (Products::low > 0) {
        multiply(h, 0, Products::low);
#pragma unroll
        for (int i = 0; i < Config::n / 2; ++i) sum[h][i] = fmaf(part[i], Products::low_scale, sum[h][i]);
      }
      *at = multiply(h, Products::low, Products::count);
      if (h + 1 == Config::halves) {
        WgmmaRing<Config> stage = first;
#pragma unroll
        for (int g = 0; g < kTogether; ++g) {
          stage.release(stage.empty());
          stage.advance();
        }
      }
#pragma unroll
      for (int i = 0; i < Config::n / 2; ++i) sum[h][i] += part[i];
    }
  }
}

// ---- The kernel's body. finish(product, x, y) returns the Finish (wgmma_store.cuh) of a warpgroup's accumulators,
// whose first row and column these are.

// Initialises the ring's barriers, one stage a thread, and makes them known to all blocks of the cluster. `arrivals`:
// number that fills a stage, apart from bytes. init_more(stage) initialises other barriers of a stage. This does not
// wait for the previous grid: threads that read or write memory of other grids wait later, as late as they can.
template <class Config, class InitMore>
__device__ __forceinline__ void begin(WgmmaRing<Config> stage, unsigned arrivals, const InitMore &init_more) {
  ptx::let_next_grid_start();
  stage.stage = static_cast<int>(threadIdx.x);
  if (stage.stage < stage.stages) {
    ptx::barrier_init(stage.full(), arrivals);
    ptx::barrier_init(stage.empty(), (Config::shares_k ? kConsumerWarps / 2 : kConsumerWarps) * stage.sharers);
    init_more(stage);
    if constexpr (Config::shares_k) {
      if (stage.stage == 0) {
        ptx::barrier_init(stage.shared + Config::sums_there, 128);
        ptx::barrier_init(stage.shared + Config::sums_taken, 128);
      }
    }
    ptx::barrier_init_done();
  }
  if constexpr (Config::cluster == 1) {
    __syncthreads();
  } else {
    ptx::synchronize_cluster();
  }
}

// Body of a warpgroup that multiplies.
template <class Config, class Work, class Finish>
__device__ __forceinline__ void multiply_tiles(Work work, WgmmaRing<Config> at, int group, const WgmmaWalk &walk,
                                               const Finish &finish) {
  float sum[Config::halves][Config::n / 2];
  [[maybe_unused]] float both[Config::halves][Config::n / 2];
  [[maybe_unused]] unsigned gathered = 0;
  ptx::wait_for_grid_before();
#pragma unroll 1
  for (int t = walk.first; t < walk.count; t += walk.step) {
    const WgmmaTile tile = work.tile(t);
    const WgmmaProblem &p = work.problem();
    constexpr int kHeight = 64 * Config::halves;
    const int group_x = Config::shares_k ? 0 : group * kHeight;
    int width = Config::any_width ? p.width : Config::n, group_y = 0;
    if constexpr (Config::any_triangle) {
      if (p.y_has_x()) {  // the part of y that this warpgroup's x need
        const bool grows = p.part == Part::y_from_x;
        if (grows) group_y = group_x;
        width -= grows ? group_x : kHeight - group_x;
        at.y_at = group_y * Config::row_bytes;
      }
    }
    if constexpr (decltype(finish(0, 0, 0))::reads_boxes) {
      if (p.beta != 0) {
        prefetch_output(WgmmaOutput(p, tile.product), tile_first_x<Config>(p, tile, at.rank) + group_x,
                        tile_first_y<Config>(p, tile, at.rank) + group_y, kHeight, width);
      }
    }
    if constexpr (Config::X::by_threads) {
      multiply_tile_by_threads<Config>(sum[0], &at, group, tile.steps(p));
    } else if constexpr (Config::any_width) {
      with_wgmma_width<Config::n>(width, [&](auto of) {
        auto &of_width = reinterpret_cast<float(&)[1][decltype(of)::value / 2]>(sum);
        if constexpr (Config::shares_k) {
          multiply_in_turn<Config>(of_width, &at, group, tile.steps(p));
        } else {
          multiply_tile<Config>(of_width, &at, group, tile.steps(p));
        }
      });
    } else if constexpr (Config::planes == 1) {
      multiply_tile<Config>(sum, &at, group, tile.steps(p));
    } else {
      multiply_planes<Config>(sum, &at, group, tile.steps(p));
    }
    if constexpr (Config::shares_k) {
      if (!gather_sums<Config>(sum[0], both[0], at.shared, group, tile.steps(p), p.width, &gathered)) continue;
    }
    const int x = tile_first_x<Config>(p, tile, at.rank) + group_x;
    const int y = tile_first_y<Config>(p, tile, at.rank) + group_y;
    const int matrix = tile.product * p.slices + tile.slice;
    WgmmaOutput out(p, matrix);
    if constexpr (Config::any_width) out.y_end = min(out.y_end, y + width);
    const auto &result = Config::shares_k ? both : sum;
    const auto tile_finish = finish(tile.product, x, y);
    if (!tile_finish.wanted || !out.meets(x, y, kHeight, width)) continue;
    if constexpr (Config::has_boxes) {
      uint32_t warp = threadIdx.x / 32;
      // Recomputed for each tile: registers do not suffice for the addresses of all boxes.
      if constexpr (Config::any_triangle) warp = static_cast<uint32_t>(ptx::uniform(static_cast<int>(warp)));
      const uint32_t boxes = at.shared + Config::stages_bytes + warp * (2 * Config::box_bytes);
      if (p.boxes && (Config::any_triangle || out.contains(x, y, kHeight, width))) {
        const TensorMap &c = work.maps().c;
        if (Config::boxes_along_x && out.step_y != 1) {
          store_boxes<Config, Config::boxes_along_x, false>(result, x, y, width, c, matrix, out, boxes, tile_finish);
        } else if (decltype(tile_finish)::reads_boxes && out.beta != 0) {
          store_boxes<Config, false, decltype(tile_finish)::reads_boxes>(result, x, y, width, c, matrix, out, boxes,
                                                                         tile_finish);
        } else {
          store_boxes<Config, false, false>(result, x, y, width, c, matrix, out, boxes, tile_finish);
        }
        continue;
      }
      if constexpr (!decltype(tile_finish)::dense) {
        if (out.step_y == 1) {
          store_rows<Config>(result, x, y, out, boxes, tile_finish);
        } else {
          store_columns<Config>(result, x, y, out, boxes, tile_finish);
        }
        continue;
      }
      if (Config::any_triangle || (Config::planes == 1 && out.step_y == 1)) {  // with planes registers do not suffice
        store_rows<Config>(result, x, y, out, boxes, tile_finish);
        continue;
      }
      if constexpr (Config::boxes_along_x) {
        store_columns<Config>(result, x, y, out, boxes, tile_finish);
        continue;
      }
    }
    store_sums<Config>(result, x, y, out, tile_finish);
  }
  if constexpr (Config::has_boxes) {
    if (threadIdx.x % 32 == 0) ptx::store_wait<0>();  // their sources vanish with the block
    __syncwarp();
  }
}

// Returns the walk of block `block` of `blocks` that have `count` tiles; below, of this block of the whole launch.
template <class Config>
__device__ __forceinline__ WgmmaWalk walk_of(const WgmmaProblem &p, int block, int blocks, int count) {
  if constexpr (Config::any_cluster) {
    return {block >> p.cluster.log_blocks(), blocks >> p.cluster.log_blocks(), count};
  } else {
    return {block / Config::cluster, blocks / Config::cluster, count};
  }
}
template <class Config>
__device__ __forceinline__ WgmmaWalk walk_of(const WgmmaProblem &p, int count) {
  return walk_of<Config>(p, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), count);
}

template <class Config, class Work, class Finish>
__device__ __forceinline__ void wgmma_products(Work work, const WgmmaWalk &walk, const Finish &finish) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr bool kAlone = Config::cluster == 1;
  const WgmmaRing<Config> at(ptx::shared_address(dynamic_shared()), kAlone ? 0 : ptx::cluster_rank(), work.problem());
  if (threadIdx.x == kConsumers * 128) work.prepare();
  begin<Config>(at, 1, [](const WgmmaRing<Config> &) {});
  const int group = ptx::uniform(static_cast<int>(threadIdx.x) / 128);
  if (group == kConsumers) {
    ptx::give_registers<40>();
    // With planes, registers do not suffice for an elected lane, and the k-steps do not wait for copies.
    if (Config::planes > 1 ? threadIdx.x == kConsumers * 128
                           : threadIdx.x < kConsumers * 128 + 32 && ptx::elect_one()) {
      copy_tiles<Config>(work, at, walk);
    }
    ptx::wait_for_grid_before();
    __syncwarp();
  } else {
    ptx::take_registers<232>();
    multiply_tiles<Config>(work, at, group, walk, finish);
  }
  if constexpr (!kAlone) ptx::synchronize_cluster();
#endif
}

template <class Config, class Work, class Finish>
__device__ __forceinline__ void wgmma_products(Work work, const Finish &finish) {
  wgmma_products<Config>(work, walk_of<Config>(work.problem(), work.count()), finish);
}

template <class Config, class Finish>
__device__ __forceinline__ void wgmma_product(const WgmmaMaps &maps, const WgmmaProblem &p, const Finish &finish) {
  wgmma_products<Config>(WgmmaWork{maps, p}, finish);
}

}  // namespace libsgemm::cuda
