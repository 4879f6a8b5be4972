// A block's work in the stream-K product (stream_k.cuh), and the rings of stages.
#pragma once

#include "ptx.h"
#include "stream_k.h"

namespace libsgemm::cuda {

// Sharing::stream numbers blocks backwards, so that they wait only for blocks that the device has started before them.
template <Sharing kSharing>
struct StreamKWork {
  int block, slice;
  int next, end;          // the block's share that is left, in k-tiles numbered through all tiles
  int whole;              // the next tile that the block computes alone
  int tile, first, last;  // the current step

  __device__ __forceinline__ explicit StreamKWork(const StreamKProblem &p) {
    if constexpr (kSharing == Sharing::stream) {
      block = static_cast<int>(gridDim.x - 1 - blockIdx.x);
      slice = 0;
      whole = p.stream_tiles + block;
      next = share(p, block);
      end = share(p, block + 1);
    } else {
      block = static_cast<int>(blockIdx.x) / p.slices;
      slice = static_cast<int>(blockIdx.x) % p.slices;
      whole = p.tiles_m * p.tiles_n;
      const int longer = p.k_tiles % p.slices;
      next = block * p.k_tiles + slice * (p.k_tiles / p.slices) + min(slice, longer);
      end = next + p.k_tiles / p.slices + (slice < longer ? 1 : 0);
    }
  }

  // The first k-tile of a block's share.
  __device__ __forceinline__ static int share(const StreamKProblem &p, int block) {
    return block * p.share + min(block, p.longer_shares);
  }

  __device__ __forceinline__ int k_tile_count(const StreamKProblem &p) const {
    const int tiles = p.tiles_m * p.tiles_n, blocks = static_cast<int>(gridDim.x);
    return end - next + (whole < tiles ? ((tiles - 1 - whole) / blocks + 1) * p.k_tiles : 0);
  }

  // Sets the next step, k-tiles [first, last) of `tile`, if one is left.
  __device__ __forceinline__ bool step(const StreamKProblem &p) {
    // Without branches and division the compiler sees that warps do not diverge, and counts in uniform registers.
    const bool cut = next < end;
    int streamed = static_cast<int>(__umulhi(next, p.k_tiles_inverse));  // or one less
    streamed += next - streamed * p.k_tiles >= p.k_tiles ? 1 : 0;
    const int begin = streamed * p.k_tiles;
    tile = cut ? streamed : whole;
    first = cut ? next - begin : 0;
    last = cut ? min(end - begin, p.k_tiles) : p.k_tiles;
    next = cut ? begin + last : next;
    whole += cut ? 0 : static_cast<int>(gridDim.x);
    return tile < p.tiles_m * p.tiles_n;
  }
};

// Numbers tiles along columns of 8, so that blocks that run at the same time share tiles of A and B in L2.
__device__ __forceinline__ void stream_k_position(const StreamKProblem &p, int tile, int *row, int *column) {
  constexpr int kGroup = 8;
  const int group = tile / (kGroup * p.tiles_n), within = tile % (kGroup * p.tiles_n);
  const int height = min(kGroup, p.tiles_m - group * kGroup);
  *row = group * kGroup + within % height;
  *column = within / height;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <int kStages>
struct StreamKStage {
  int index = 0;
  unsigned parity;

  __device__ __forceinline__ explicit StreamKStage(unsigned start) : parity(start) {}
  __device__ __forceinline__ bool is_last() const { return index == kStages - 1; }
  __device__ __forceinline__ void advance() {
    if (++index == kStages) {
      index = 0;
      parity ^= 1;
    }
  }
};

using RingStage = StreamKStage<StreamKShape::stages>;
using SecondStage = StreamKStage<StreamKShape::second_stages>;

// Barriers: "full" for each stage of the ring, then "free"; the same for the second ring (stream_k.h).
struct StreamKBarriers {
  static constexpr int count = 2 * (StreamKShape::stages + StreamKShape::second_stages);
  uint32_t base;

  __device__ __forceinline__ uint32_t full(int stage) const { return base + 8 * stage; }
  __device__ __forceinline__ uint32_t free(int stage) const { return base + 8 * (StreamKShape::stages + stage); }
  __device__ __forceinline__ uint32_t second_full(int stage) const {
    return base + 8 * (2 * StreamKShape::stages + stage);
  }
  __device__ __forceinline__ uint32_t second_free(int stage) const {
    return base + 8 * (2 * StreamKShape::stages + StreamKShape::second_stages + stage);
  }
  // Multipliers release a stage in the last pass of the next one. The first that they release is the ring's last stage,
  // which is not yet in use, so its phases are one ahead and have opposite parity.
  __device__ __forceinline__ void wait_free(const RingStage &stage) const {
    ptx::barrier_wait(free(stage.index), stage.is_last() ? stage.parity ^ 1 : stage.parity);
  }
};

#endif  // sm_90

}  // namespace libsgemm::cuda
