// The medium product of sm_90: tiles of 128 x 128, so that C has enough of them, and threads of 16 x 8, which eight
// warps have only if they halve k: one group of four warps takes the even k-tiles, the other the odd ones. A further
// warp has the copy engine bring the operands. One that runs along k is multiplied as it lies, as the rows of the
// threads (swapped: these are columns of C); if both do, the other is transposed on the way.
#pragma once

#include "dynamic_shared.cuh"
#include "halves_finish.cuh"
#include "outer_product.cuh"
#include "stream_k_supply.cuh"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// The barriers of a ring of stages: "full", then "free".
template <int kStages>
struct HalvesRing {
  static constexpr uint32_t bytes = 16 * kStages;
  uint32_t base;

  __device__ __forceinline__ uint32_t full(int stage) const { return base + 8 * stage; }
  __device__ __forceinline__ uint32_t free(int stage) const { return base + 8 * (kStages + stage); }
};

// Those of a group, and those of the ring from which columns are turned; the latter's are the last.
using HalvesBarriers = HalvesRing<HalvesShape::stages>;
using HalvesTurnBarriers = HalvesRing<HalvesShape::turn_stages>;

// The warps that multiply. `barriers`: of the group.
template <bool kSwapped, bool kRowsAlongK>
__device__ __forceinline__ void halves_multiply(const HalvesProblem &p, int group, uint32_t shared,
                                                const HalvesBarriers barriers) {
  using Shape = HalvesShape;
  using Product = OuterProduct<kRowsAlongK, false>;
  constexpr int kPasses = Shape::tile_k / Product::steps;
  const HalvesThread thread;
  const uint32_t ring = shared + group * Shape::ring_bytes;
  Product product(ring, thread.warp_row + (kRowsAlongK ? 1 : 4) * thread.row_lane, ring + Shape::operand_bytes,
                  thread.warp_column + 4 * thread.column_lane);
  const HalvesWork work(p);
  int stage = 0, before = Shape::stages - 1;  // the stage, and the one before
  unsigned parity = 0;
  auto now = Product::stage(0);
  ptx::barrier_wait(barriers.full(0), 0);
  product.start(now);
  float sum[16][8];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sum[i][j] = 0.0f;
  }
  int passes = work.pairs * kPasses;
#pragma unroll 1
  do {
    --passes;
    auto next = Product::after(now);
    if (passes % kPasses == 0) {
      ptx::barrier_arrive(barriers.free(before));
      before = stage;
      if (++stage == Shape::stages) {
        stage = 0;
        parity ^= 1;
      }
      next = Product::stage(stage * Shape::stage_bytes);
      ptx::barrier_wait(barriers.full(stage), parity);
    }
    product.multiply(now, next, sum);
    now = next;
  } while (passes != 0);
  leave_room_for_moves();
  halves_finish<kSwapped, kRowsAlongK>(p, work, thread, group, shared, sum);
}

// The place in both groups' rings of a warp that supplies them in turn.
struct HalvesSupplied {
  int group = 0, stage = 0;
  unsigned parity = 1;

  __device__ __forceinline__ HalvesBarriers barriers(uint32_t base) const {
    return {base + group * HalvesBarriers::bytes};
  }
  __device__ __forceinline__ uint32_t place(uint32_t shared) const {
    return shared + group * HalvesShape::ring_bytes + stage * HalvesShape::stage_bytes;
  }
  // Multipliers give back a stage when they are done with the one after it, and at their first stage give back the
  // last, which nobody has used: hence its other parity.
  __device__ __forceinline__ void wait_free(uint32_t base) const {
    ptx::barrier_wait(barriers(base).free(stage), stage == HalvesShape::stages - 1 ? parity ^ 1 : parity);
  }
  __device__ __forceinline__ void advance() {
    group ^= 1;
    if (group == 0 && ++stage == HalvesShape::stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// The warps that supply. The first has the copy engine copy: two lanes the rows, one the columns. These go to a ring
// of their own if they must be turned, from which all the warps move them, two k-tiles later.
template <bool kSwapped, bool kRowsAlongK, bool kTurns>
__device__ __forceinline__ void halves_supply(const TensorMap &a, const TensorMap &b, const HalvesProblem &p, int warp,
                                              uint32_t shared, uint32_t base, const HalvesTurnBarriers turn) {
  using Shape = HalvesShape;
  constexpr int kAhead = kTurns ? Shape::turn_stages - 1 : 0;
  const HalvesWork work(p);
  const bool copies = warp == 0;
  const int lane = threadIdx.x % 32, count = 2 * work.pairs;
  const int row = static_cast<int>(kSwapped ? work.column : work.row),
            column = static_cast<int>(kSwapped ? work.row : work.column);
  HalvesSupplied copied, moved;
  StreamKStage<Shape::turn_stages> turn_copied(1), turn_moved(0);
#pragma unroll 1
  for (int i = copies ? 0 : kAhead; i < count + kAhead; ++i) {
    if (copies && i < count) {
      const uint32_t turn_stage = shared + Shape::turn_ring + turn_copied.index * Shape::turn_stage_bytes;
      if (kTurns) {
        ptx::barrier_wait(turn.free(turn_copied.index), turn_copied.parity);
        if (lane == 0) ptx::barrier_arrive_and_expect(turn.full(turn_copied.index), Shape::turn_stage_bytes);
      }
      copied.wait_free(base);
      const uint32_t full = copied.barriers(base).full(copied.stage), place = copied.place(shared);
      if (lane == 0) ptx::barrier_arrive_and_expect(full, kTurns ? Shape::operand_bytes : Shape::stage_bytes);
      __syncwarp();
      // Behind the end of k are zeros.
      const int k = (i < work.count ? work.first + i : p.k_tiles) * Shape::tile_k;
      if (kRowsAlongK && lane < 2) {
        ptx::copy_box(place + lane * (Shape::operand_bytes / 2), &a, k + lane * Shape::box_steps, row, full);
      } else if (!kRowsAlongK && lane == 0) {
        ptx::copy_box(place, &a, row, k, full);
      } else if (lane == 2) {
        if (kTurns) {
          ptx::copy_box(turn_stage, &b, k, column, turn.full(turn_copied.index));
        } else {
          ptx::copy_box(place + Shape::operand_bytes, &b, column, k, full);
        }
      }
      turn_copied.advance();
      copied.advance();
    }
    if (kTurns && i >= kAhead) {
      ptx::barrier_wait(turn.full(turn_moved.index), turn_moved.parity);
      moved.wait_free(base);
      stream_k_turn<1>(warp, shared + Shape::turn_ring + turn_moved.index * Shape::turn_stage_bytes,
                       moved.place(shared) + Shape::operand_bytes);
      ptx::barrier_arrive(moved.barriers(base).full(moved.stage));
      ptx::barrier_arrive(turn.free(turn_moved.index));
      turn_moved.advance();
      moved.advance();
    }
  }
  // The multipliers look one stage ahead, at the end too.
  HalvesSupplied &next = kTurns ? moved : copied;
#pragma unroll 1
  for (int group = 0; group < Shape::groups; ++group) {
    next.wait_free(base);
    if (kTurns) ptx::barrier_arrive(next.barriers(base).full(next.stage));
    if (copies && lane == 0) ptx::barrier_arrive(next.barriers(base).full(next.stage));
    next.advance();
  }
}

template <bool kSwapped, bool kRowsAlongK, bool kTurns>
__device__ __forceinline__ void halves(const TensorMap &a, const TensorMap &b, const HalvesProblem &p) {
  using Shape = HalvesShape;
  __shared__ __align__(8) uint64_t barriers[(Shape::groups * HalvesBarriers::bytes + HalvesTurnBarriers::bytes) / 8];
  uint32_t base = ptx::shared_address(barriers);
  constexpr int kSupplying = Shape::threads - Shape::multipliers;
  if (threadIdx.x == 0) {
    for (int group = 0; group < Shape::groups; ++group) {
      const HalvesBarriers at = {base + group * HalvesBarriers::bytes};
      for (int stage = 0; stage < Shape::stages; ++stage) {
        ptx::barrier_init(at.full(stage), 1 + (kTurns ? kSupplying : 0));
        ptx::barrier_init(at.free(stage), Shape::multipliers / Shape::groups);
      }
    }
    const HalvesTurnBarriers turn = {base + Shape::groups * HalvesBarriers::bytes};
    for (int stage = 0; stage < Shape::turn_stages; ++stage) {
      ptx::barrier_init(turn.full(stage), 1);
      ptx::barrier_init(turn.free(stage), kSupplying);
    }
    ptx::barrier_init_done();
  }
  __syncthreads();
  ptx::keep_in_register(base);
  const uint32_t shared = ptx::shared_address(dynamic_shared());
  const int warp = ptx::uniform(static_cast<int>(threadIdx.x) / 32);
  constexpr int kMultiplying = Shape::multipliers / 32;
  if (warp < kMultiplying) {
    ptx::take_registers<kRowsAlongK ? Shape::along_k_registers : Shape::multiplier_registers>();
    halves_multiply<kSwapped, kRowsAlongK>(p, warp / 4, shared, {base + warp / 4 * HalvesBarriers::bytes});
  } else {
    ptx::give_registers<kTurns ? Shape::turner_registers : Shape::supplier_registers>();
    if (kTurns || warp == kMultiplying) {
      halves_supply<kSwapped, kRowsAlongK, kTurns>(a, b, p, warp - kMultiplying, shared, base,
                                                   {base + Shape::groups * HalvesBarriers::bytes});
    }
  }
}

#endif  // sm_90

}  // namespace libsgemm::cuda
