// The sliced-K product of sm_90 (sm90_ffma_128x128x16_sliced_k.cu). A K-major operand is multiplied in place, as the
// rows of the tile. If both are K-major, the other one is transposed in shared memory.
#pragma once

#include "dynamic_shared.cuh"
#include "outer_product.cuh"
#include "sliced_k_finish.cuh"
#include "stream_k_supply.cuh"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Barriers of a ring: "full" for each stage, then "free".
template <int kStages>
struct SlicedKRing {
  static constexpr uint32_t bytes = 16 * kStages;
  uint32_t base;

  __device__ __forceinline__ uint32_t full(int stage) const { return base + 8 * stage; }
  __device__ __forceinline__ uint32_t free(int stage) const { return base + 8 * (kStages + stage); }
};

template <typename Shape>
using SlicedKBarriers = SlicedKRing<Shape::stages>;
template <typename Shape>
using SlicedKTransposeBarriers = SlicedKRing<Shape::transpose_stages>;

template <typename Shape, bool kSwapped, bool kRowsAlongK>
__device__ __forceinline__ void sliced_k_multiply(const SlicedKProblem &p, int group, uint32_t shared,
                                                  const SlicedKBarriers<Shape> barriers) {
  using Product = OuterProduct<kRowsAlongK, false, OuterProductTile<Shape::rows, Shape::columns, Shape::lane_rows>>;
  constexpr int kPasses = Shape::tile_k / Product::steps;
  const SlicedKThread<Shape> thread;
  const uint32_t ring = shared + group * Shape::ring_bytes;
  Product product(ring, thread.warp_row + (kRowsAlongK ? 1 : 4) * thread.row_lane, ring + Shape::row_bytes,
                  thread.warp_column + 4 * thread.column_lane);
  const SlicedKWork<Shape, kSwapped> work(p);
  int stage = 0, before = Shape::stages - 1;
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
  sliced_k_finish<Shape, kSwapped, kRowsAlongK>(p, work, thread, group, shared, sum);
}

// Position of a supplying warp, which fills both groups' rings alternately.
template <typename Shape>
struct SlicedKSupplied {
  using Barriers = SlicedKBarriers<Shape>;
  int group = 0, stage = 0;
  unsigned parity = 1;

  __device__ __forceinline__ Barriers barriers(uint32_t base) const { return {base + group * Barriers::bytes}; }
  __device__ __forceinline__ uint32_t place(uint32_t shared) const {
    return shared + group * Shape::ring_bytes + stage * Shape::stage_bytes;
  }
  // See StreamKBarriers::wait_free().
  __device__ __forceinline__ void wait_free(uint32_t base) const {
    ptx::barrier_wait(barriers(base).free(stage), stage == Shape::stages - 1 ? parity ^ 1 : parity);
  }
  __device__ __forceinline__ void advance() {
    group ^= 1;
    if (group == 0 && ++stage == Shape::stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// Transposes a k-tile from columns, 20 floats apart, to a line for each k. Eight threads that read at once use
// different banks.
template <int kColumns>
__device__ __forceinline__ void sliced_k_transpose(int warp, uint32_t from, uint32_t to) {
  constexpr int kQuads = kColumns / 4;
  const int thread = 32 * warp + threadIdx.x % 32, quad = thread % kQuads, quarter = thread / kQuads;
  if (quarter < 4) stream_k_transpose_quad(quad, (quad / 2 + quarter) % 4, from, to, 4 * kColumns);
}

// Up to four lanes of the first supplying warp copy rows, one lane columns. Columns to be transposed go to the
// transpose ring, from which all supplying warps move them two k-tiles later.
template <typename Shape, bool kSwapped, bool kRowsAlongK, bool kTransposes>
__device__ __forceinline__ void sliced_k_supply(const TensorMap &a, const TensorMap &b, const SlicedKProblem &p,
                                                int warp, uint32_t shared, uint32_t base,
                                                const SlicedKTransposeBarriers<Shape> transpose_barriers) {
  constexpr int kRowBoxes = (kRowsAlongK ? 2 : 1) * Shape::rows / (kRowsAlongK ? Shape::box_rows : 128);
  static_assert(kRowBoxes <= 4, "one for each of four lanes");
  constexpr int kAhead = kTransposes ? Shape::transpose_stages - 1 : 0;
  const SlicedKWork<Shape, kSwapped> work(p);
  const bool copies = warp == 0;
  const int lane = threadIdx.x % 32, count = 2 * work.pairs;
  const int row = static_cast<int>(kSwapped ? work.column : work.row),
            column = static_cast<int>(kSwapped ? work.row : work.column);
  SlicedKSupplied<Shape> copied, moved;
  StreamKStage<Shape::transpose_stages> transpose_copied(1), transpose_moved(0);
#pragma unroll 1
  for (int i = copies ? 0 : kAhead; i < count + kAhead; ++i) {
    if (copies && i < count) {
      const uint32_t transpose_stage =
          shared + Shape::transpose_ring + transpose_copied.index * Shape::transpose_stage_bytes;
      if (kTransposes) {
        ptx::barrier_wait(transpose_barriers.free(transpose_copied.index), transpose_copied.parity);
        if (lane == 0)
          ptx::barrier_arrive_and_expect(transpose_barriers.full(transpose_copied.index), Shape::transpose_stage_bytes);
      }
      copied.wait_free(base);
      const uint32_t full = copied.barriers(base).full(copied.stage), place = copied.place(shared);
      if (lane == 0) ptx::barrier_arrive_and_expect(full, kTransposes ? Shape::row_bytes : Shape::stage_bytes);
      __syncwarp();
      // TMA fills k-tiles beyond k with zeros.
      const int k = (i < work.count ? work.first + i : p.k_tiles) * Shape::tile_k;
      if (lane < kRowBoxes) {
        const uint32_t to = place + lane * (Shape::row_bytes / kRowBoxes);
        if (kRowsAlongK) {
          constexpr int kBoxes = Shape::rows / Shape::box_rows;  // boxes of each half of the k-tile
          ptx::copy_box(to, &a, k + lane / kBoxes * Shape::box_steps, row + lane % kBoxes * Shape::box_rows, full);
        } else {
          ptx::copy_box(to, &a, row + lane * 128, k, full);
        }
      } else if (lane == 4) {
        if (kTransposes) {
          ptx::copy_box(transpose_stage, &b, k, column, transpose_barriers.full(transpose_copied.index));
        } else {
          ptx::copy_box(place + Shape::row_bytes, &b, column, k, full);
        }
      }
      transpose_copied.advance();
      copied.advance();
    }
    if (kTransposes && i >= kAhead) {
      ptx::barrier_wait(transpose_barriers.full(transpose_moved.index), transpose_moved.parity);
      moved.wait_free(base);
      sliced_k_transpose<Shape::columns>(
          warp, shared + Shape::transpose_ring + transpose_moved.index * Shape::transpose_stage_bytes,
          moved.place(shared) + Shape::row_bytes);
      ptx::barrier_arrive(moved.barriers(base).full(moved.stage));
      ptx::barrier_arrive(transpose_barriers.free(transpose_moved.index));
      transpose_moved.advance();
      moved.advance();
    }
  }
  // The multipliers wait one stage ahead, also at the end.
  SlicedKSupplied<Shape> &next = kTransposes ? moved : copied;
#pragma unroll 1
  for (int group = 0; group < Shape::groups; ++group) {
    next.wait_free(base);
    if (kTransposes) ptx::barrier_arrive(next.barriers(base).full(next.stage));
    if (copies && lane == 0) ptx::barrier_arrive(next.barriers(base).full(next.stage));
    next.advance();
  }
}

template <typename Shape, bool kSwapped, bool kRowsAlongK, bool kTransposes>
__device__ __forceinline__ void sliced_k(const TensorMap &a, const TensorMap &b, const SlicedKProblem &p) {
  using Barriers = SlicedKBarriers<Shape>;
  using TransposeBarriers = SlicedKTransposeBarriers<Shape>;
  __shared__ __align__(8) uint64_t barriers[(Shape::groups * Barriers::bytes + TransposeBarriers::bytes) / 8];
  uint32_t base = ptx::shared_address(barriers);
  constexpr int kSupplying = Shape::threads - Shape::multipliers;
  if (threadIdx.x == 0) {
    for (int group = 0; group < Shape::groups; ++group) {
      const Barriers at = {base + group * Barriers::bytes};
      for (int stage = 0; stage < Shape::stages; ++stage) {
        ptx::barrier_init(at.full(stage), 1 + (kTransposes ? kSupplying : 0));
        ptx::barrier_init(at.free(stage), Shape::multipliers / Shape::groups);
      }
    }
    const TransposeBarriers transpose_barriers = {base + Shape::groups * Barriers::bytes};
    for (int stage = 0; stage < Shape::transpose_stages; ++stage) {
      ptx::barrier_init(transpose_barriers.full(stage), 1);
      ptx::barrier_init(transpose_barriers.free(stage), kSupplying);
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
    sliced_k_multiply<Shape, kSwapped, kRowsAlongK>(p, warp / 4, shared, {base + warp / 4 * Barriers::bytes});
  } else {
    ptx::give_registers<kTransposes ? Shape::transposer_registers : Shape::supplier_registers>();
    if (kTransposes || warp == kMultiplying) {
      sliced_k_supply<Shape, kSwapped, kRowsAlongK, kTransposes>(a, b, p, warp - kMultiplying, shared, base,
                                                                 {base + Shape::groups * Barriers::bytes});
    }
  }
}

#else

template <typename Shape, bool kSwapped, bool kRowsAlongK, bool kTransposes>
__device__ __forceinline__ void sliced_k(const TensorMap &, const TensorMap &, const SlicedKProblem &) {}

#endif  // sm_90

#define LIBSGEMM_SLICED_K_CODE(name, ...)                                            \
  extern "C" __global__ void __launch_bounds__(SquareSlicedK::threads, 1)            \
      name(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, \
           const __grid_constant__ SlicedKProblem p) {                               \
    sliced_k<__VA_ARGS__>(a, b, p);                                                  \
  }

}  // namespace libsgemm::cuda
