// The persistent, warp-specialised stream-K product of sm_90. Four warps supply operands to a ring of stages in shared
// memory (stream_k_supply.cuh), eight multiply. Blocks divide the tiles so that all end at the same time
// (stream_k_work.cuh, stream_k_finish.cuh).
#pragma once

#include "dynamic_shared.cuh"
#include "outer_product.cuh"
#include "stream_k_finish.cuh"
#include "stream_k_supply.cuh"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <Sharing kSharing, bool kSwapped, bool kAlongK>
__device__ __forceinline__ void stream_k_multiply(const StreamKOperand &operand, const StreamKProblem &p,
                                                  uint32_t shared, const StreamKBarriers barriers) {
  using Shape = StreamKShape;
  using Product = OuterProduct<kAlongK>;
  constexpr int kPasses = Shape::tile_k / Product::steps;
  const StreamKThread thread(kAlongK);
  const int reach = kAlongK ? Shape::reach - operand.shift[thread.row / 64] : 0;
  Product product(shared, thread.row, shared + Shape::boxes_m * Shape::box_bytes + reach * Shape::row_bytes,
                  thread.column);
  RingStage stage(0);
  int before = Shape::stages - 1;
  auto now = Product::stage(0);
  ptx::barrier_wait(barriers.full(stage.index), stage.parity);
  product.start(now);
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
      auto next = Product::after(now);
      if (passes % kPasses == 0) {
        ptx::barrier_arrive(barriers.free(before));
        before = stage.index;
        stage.advance();
        next = Product::stage(stage.index * Shape::stage_bytes);
        ptx::barrier_wait(barriers.full(stage.index), stage.parity);
      }
      product.multiply(now, next, sum);
      now = next;
    } while (passes != 0);
    leave_room_for_moves();
    stream_k_finish<kSharing, kSwapped, kAlongK>(p, work, thread, sum);
  }
}

// kSwapped: the tile is one of C^T. kAlongK: A is K-major in shared memory.
template <Sharing kSharing, bool kSwapped, bool kAlongK>
__device__ __forceinline__ void stream_k(const StreamKOperands &operands, const StreamKProblem &p) {
  using Shape = StreamKShape;
  __shared__ __align__(8) uint64_t barriers[StreamKBarriers::count];
  StreamKBarriers at = {ptx::shared_address(barriers)};
  if (threadIdx.x == 0) {
    const bool a_direct = goes_directly(operands.a), b_direct = goes_directly(operands.b);
    const int copying = mends_first(operands) ? 32 : 1;  // lanes that arrive
    for (int s = 0; s < Shape::stages; ++s) {
      ptx::barrier_init(at.full(s),
                        (a_direct || b_direct ? copying : 0) + (a_direct && b_direct ? 0 : 32 * Shape::suppliers));
      ptx::barrier_init(at.free(s), Shape::multipliers);
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
    ptx::take_registers<kAlongK ? Shape::along_k_registers : Shape::multiplier_registers>();
    stream_k_multiply<kSharing, kSwapped, kAlongK>(operands.a, p, shared, at);
  } else {
    ptx::give_registers<Shape::supplier_registers>();
    stream_k_supply<kSharing, kAlongK>(operands, p, warp - multiplying, shared, at);
  }
}

#endif  // sm_90

}  // namespace libsgemm::cuda
