// The persistent, warp-specialised product of sm_90: one warp has the copy engine bring tiles of A and B to a ring of
// stages in shared memory, with three more it transposes and aligns what needs it (stream_k_supply.cuh), eight warps
// multiply, and the blocks share out the tiles so that all end together (stream_k_work.cuh, stream_k_finish.cuh).
#pragma once

#include "dynamic_shared.cuh"
#include "stream_k_finish.cuh"
#include "stream_k_supply.cuh"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// The multiplying warps.
template <Sharing kSharing, bool kSwapped>
__device__ __forceinline__ void stream_k_multiply(const StreamKProblem &p, uint32_t shared,
                                                  const StreamKBarriers barriers) {
  using Shape = StreamKShape;
  constexpr int kSteps = Shape::unroll, kPasses = Shape::tile_k / kSteps;
  constexpr uint32_t kRowBytes = 512, kStepsBytes = kSteps * kRowBytes;
  const StreamKThread thread;
  const bool gives_back = threadIdx.x % 32 == 0;
  uint32_t at_a = shared + thread.row / 128 * Shape::box_bytes + thread.row % 128 * 4;
  uint32_t at_b = shared + Shape::boxes_m * Shape::box_bytes + thread.column * 4;
  ptx::keep_in_register(at_a);
  ptx::keep_in_register(at_b);
  float a[2][16], b[2][8];
  const auto load = [&](int set, uint32_t offset) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      *reinterpret_cast<float4 *>(&b[set][4 * q]) = ptx::load_shared_x4(at_b + offset + 128 * q);
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      *reinterpret_cast<float4 *>(&a[set][4 * q]) = ptx::load_shared_x4(at_a + offset + 64 * q);
    }
  };

  RingStage stage(0);
  int before = Shape::stages - 1;  // the stage before
  uint32_t now = 0;                // where in the ring, bytes
  ptx::barrier_wait(barriers.full(stage.index), stage.parity);
  load(0, now);
  StreamKWork<kSharing> work(p);
  while (work.step(p)) {
    float sum[16][8];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sum[i][j] = 0.0f;
    }
    int passes = (work.last - work.first) * kPasses;
#pragma unroll 1
    do {
      --passes;
      uint32_t next = now + kStepsBytes;
      if (passes % kPasses == 0) {
        ptx::together();
        if (gives_back) ptx::barrier_arrive(barriers.free(before));
        before = stage.index;
        stage.advance();
        next = stage.index * Shape::stage_bytes;
        ptx::barrier_wait(barriers.full(stage.index), stage.parity);
      }
#pragma unroll
      for (int k = 0; k < kSteps; ++k) {
        load(1 - k % 2, k == kSteps - 1 ? next : now + (k + 1) * kRowBytes);
#pragma unroll
        for (int j = 0; j < 8; ++j) {
#pragma unroll
          for (int step = 0; step < 16; ++step) {
            const int i = j % 2 == 0 ? step : 15 - step;
            sum[i][j] = fmaf(a[k % 2][i], b[k % 2][j], sum[i][j]);
          }
        }
      }
      now = next;
    } while (passes != 0);
#if defined(LIBSGEMM_STEERING_SLOTS)
    // Room for the moves that steer_registers.py needs when it deals out the registers of `sum` anew.
#pragma unroll
    for (int slot = 0; slot < LIBSGEMM_STEERING_SLOTS; ++slot) asm volatile("pmevent 1;");
#endif
    stream_k_finish<kSharing, kSwapped>(p, work, thread, shared, sum);
  }
}

template <Sharing kSharing, bool kSwapped>
__device__ __forceinline__ void stream_k(const StreamKOperands &operands, const StreamKProblem &p) {
  using Shape = StreamKShape;
  __shared__ __align__(8) uint64_t barriers[StreamKBarriers::count];
  StreamKBarriers at = {ptx::shared_address(barriers)};
  if (threadIdx.x == 0) {
    const bool a_direct = goes_directly(operands.a), b_direct = goes_directly(operands.b);
    for (int s = 0; s < Shape::stages; ++s) {
      ptx::barrier_init(at.full(s),
                        (a_direct || b_direct ? 1 : 0) + (a_direct && b_direct ? 0 : 32 * Shape::suppliers));
      ptx::barrier_init(at.free(s), Shape::multipliers / 32);
    }
    for (int s = 0; s < Shape::second_stages; ++s) {
      ptx::barrier_init(at.second_full(s), 1);
      ptx::barrier_init(at.second_free(s), 32 * Shape::suppliers);
    }
    ptx::barrier_init_done();
  }
  __syncthreads();
  ptx::keep_in_register(at.base);
  const uint32_t shared = ptx::shared_address(dynamic_shared());
  const int warp = ptx::uniform(static_cast<int>(threadIdx.x) / 32), multiplying = Shape::multipliers / 32;
  if (warp < multiplying) {
    ptx::take_registers<Shape::multiplier_registers>();
    stream_k_multiply<kSharing, kSwapped>(p, shared, at);
  } else {
    ptx::give_registers<Shape::supplier_registers>();
    stream_k_supply<kSharing>(operands, p, warp - multiplying, shared, at);
  }
}

#endif  // sm_90

}  // namespace libsgemm::cuda
