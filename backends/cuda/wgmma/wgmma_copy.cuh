// Copies of the wgmma main loop (wgmma_engine.cuh).
#pragma once

#include "wgmma_tiles.cuh"

namespace libsgemm::cuda {

// `blocks`: multicast mask, or 0 for this block alone.
__device__ __forceinline__ void copy_box(unsigned blocks, uint32_t to, const TensorMap &map, int along, int across,
                                         int plane, int product, uint32_t barrier) {
  if (blocks != 0) {
    ptx::copy_box_to(blocks, to, &map, along, across, plane, product, barrier);
  } else {
    ptx::copy_box(to, &map, along, across, plane, product, barrier);
  }
}

// Copies a stage of an operand's chunk. to_pair: the chunk is half of the tile and goes to both blocks.
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

// Part of an operand's tile that a block copies: number `part` of 1 << log_parts.
struct WgmmaShare {
  int part = 0, log_parts = 0;
  unsigned blocks = 0;
};

// Copies the block's share of `outer` (at most kMost) rows of x or columns of y, for tiles of any width.
template <class Config, class Lines, int kMost>
__device__ __forceinline__ void copy_outer(uint32_t shared, const TensorMap &map, int outer, int first, int k,
                                           int product, const WgmmaShare &share, uint32_t barrier) {
  const int line = share.part * ((Lines::along_k ? outer : Config::depth) >> share.log_parts);
  const uint32_t to = shared + line * Config::row_bytes;
  if constexpr (Lines::along_k) {
    copy_box(share.blocks, to, map, k, first + line, 0, product, barrier);
  } else {
    // Unrolled, so that the lane that copies stays ahead of the products.
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
  [[maybe_unused]] WgmmaShare share_x, share_y;  // only for tiles of any width
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

}  // namespace libsgemm::cuda
