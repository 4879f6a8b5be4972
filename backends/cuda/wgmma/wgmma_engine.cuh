// Products by Hopper's warpgroup instructions (wgmma) in persistent blocks. Why, and what was tried:
// docs/kernels/wgmma.md.
//
//   warpgroup 0, 1   each multiplies kHalves * 64 rows of x by kN columns of y (wgmma_shape.cuh)
//   warp 8           one lane copies stage after stage by TMA, also those of the next tile while the others store
//
//   stage s of `stages`:  [x: chunks of rows, in each the planes][y: the planes]
//   after the stages:     for each warp two boxes of 16 rows of x by 32 columns of y, through which C is stored
//   after these:          barriers full[stages], empty[stages]
//
// A stage, or k-step, spans `depth` of k. Operands keep their layout (operand_lines.cuh).
//
// Planes are the splits of an FP32 operand (gpu/splits/splits.h). With several, a warpgroup moves its sums from the
// tensor cores, which truncate where FP32 rounds, to FP32 accumulators every kPromoteDepth k, while the other warpgroup
// multiplies. Products of low weight come first, summed separately if they have a scale (Promotion).
//
// For WgmmaAnyWidth the code has a loop over k for each width, and one copy of the rest.
//
// The two blocks of a cluster need the same tile of one operand, and each copies half of it to both. A stage is free
// when both have read it: their warps arrive at both blocks' barriers. A block must not end before its neighbour's last
// copy and arrival. WgmmaAnyWidth also has clusters of four (WgmmaCluster).
//
// Sources: NVIDIA, PTX ISA, and CUTLASS' documents of the warp-specialised persistent design; DeepSeek's DeepGEMM for
// the promotion. Nothing of either is copied.
#pragma once

#include "wgmma_copy.cuh"
#include "wgmma_multiply.cuh"
#include "wgmma_store.cuh"

namespace libsgemm::cuda {

// Initialises the barriers, one stage a thread: those of the ring, where `arrivals` arrivals make a stage full, and
// others by init_more(stage). Threads that touch memory of other grids wait for the previous grid later.
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
      if (p.y_has_x()) {  // only the part of y that this warpgroup's rows of x need
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
      // Recomputed here, since the addresses of all boxes would not fit into registers.
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
      if (Config::any_triangle || (Config::planes == 1 && out.step_y == 1)) {  // registers do not suffice for planes
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

// The walk of block `block` of `blocks` over `count` tiles.
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

// The kernel's body. finish(product, x, y) returns the Finish (wgmma_store.cuh) of a warpgroup's accumulators.
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
    // With planes, k-steps do not wait for copies, and registers do not suffice for an elected lane.
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
