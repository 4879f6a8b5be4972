// The persistent, warp-specialised product of sm_90: one warp has the copy engine bring tiles of A and B to a ring of
// stages in shared memory, with three more it transposes and aligns what needs it (stream_k_supply.cuh), eight warps
// multiply, and the blocks share out the tiles so that all end together (stream_k_work.cuh, stream_k_finish.cuh).
#pragma once

#include "dynamic_shared.cuh"
#include "stream_k_finish.cuh"
#include "stream_k_supply.cuh"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Where in the ring a pass of `unroll` steps of k reads, bytes. A along k: of odd ones of the thread's rows, which are
// swizzled otherwise, at `a_odd`.
struct StreamKPass {
  uint32_t a, a_odd, b;
};

// The factors that a thread holds, of one step of k after the other.
template <bool kAlongK>
struct StreamKFactors;

// A and B step by step.
template <>
struct StreamKFactors<false> {
  uint32_t at_a, at_b;
  float a[2][16], b[2][8];

  __device__ __forceinline__ StreamKFactors(const StreamKOperand &, uint32_t shared, const StreamKThread &thread) {
    using Shape = StreamKShape;
    at_a = shared + thread.row / 128 * Shape::box_bytes + thread.row % 128 * 4;
    at_b = shared + Shape::boxes_m * Shape::box_bytes + thread.column * 4;
    ptx::keep_in_register(at_a);
    ptx::keep_in_register(at_b);
  }

  __device__ __forceinline__ void load(int k, const StreamKPass &pass) {
    const uint32_t offset = k * StreamKShape::row_bytes;
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      *reinterpret_cast<float4 *>(&b[k % 2][4 * q]) = ptx::load_shared_x4(at_b + pass.b + offset + 128 * q);
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      *reinterpret_cast<float4 *>(&a[k % 2][4 * q]) = ptx::load_shared_x4(at_a + pass.a + offset + 64 * q);
    }
  }

  __device__ __forceinline__ static StreamKPass stage(uint32_t place) { return {place, 0, place}; }
  __device__ __forceinline__ static StreamKPass after(const StreamKPass &pass) {
    constexpr uint32_t kBytes = StreamKShape::unroll * StreamKShape::row_bytes;
    return {pass.a + kBytes, 0, pass.b + kBytes};
  }

  __device__ __forceinline__ void start(const StreamKPass &pass) { load(0, pass); }

  // Adds the products of a pass, and loads the first factors of the next.
  __device__ __forceinline__ void multiply(const StreamKPass &now, const StreamKPass &next, float (&sum)[16][8]) {
    constexpr int kSteps = StreamKShape::unroll;
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
      load((k + 1) % kSteps, k == kSteps - 1 ? next : now);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
#pragma unroll
        for (int step = 0; step < 16; ++step) {
          const int i = j % 2 == 0 ? step : 15 - step;
          sum[i][j] = fmaf(a[k % 2][i], b[k % 2][j], sum[i][j]);
        }
      }
    }
  }
};

// A along k: four steps of B, and of A four rows of four steps after the other.
template <>
struct StreamKFactors<true> {
  static constexpr int row_groups = 4;
  uint32_t at_a[2], at_b;  // of A: even and odd quads of steps
  float a[4][4], b[4][8];  // [row][step], [step][column]

  __device__ __forceinline__ StreamKFactors(const StreamKOperand &operand, uint32_t shared,
                                            const StreamKThread &thread) {
    using Shape = StreamKShape;
    // Quad q of row i is at q ^ i / 2 % 4. The thread's rows are 4 apart.
    static_assert(StreamKThread::along_k_row_step == 4 && Shape::unroll == 8, "what the swizzle depends on");
#pragma unroll
    for (int quad = 0; quad < 2; ++quad) {
      at_a[quad] = shared + thread.row * Shape::along_k_bytes + (quad ^ thread.row / 2 % 2) * 16;
      ptx::keep_in_register(at_a[quad]);
    }
    at_b = shared + Shape::boxes_m * Shape::box_bytes + thread.column * 4 +
           (Shape::reach - operand.shift[thread.row / 64]) * Shape::row_bytes;
    ptx::keep_in_register(at_b);
  }

  __device__ __forceinline__ void load_a(int quad, int group, const StreamKPass &pass) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = StreamKThread::along_k_row_step * (4 * group + i);
      *reinterpret_cast<float4 *>(a[i]) =
          ptx::load_shared_x4(at_a[quad] + (i % 2 == 0 ? pass.a : pass.a_odd) + row * StreamKShape::along_k_bytes);
    }
  }

  __device__ __forceinline__ void load_b(int k, const StreamKPass &pass) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      *reinterpret_cast<float4 *>(&b[k % 4][4 * q]) =
          ptx::load_shared_x4(at_b + pass.b + k * StreamKShape::row_bytes + 128 * q);
    }
  }

  __device__ __forceinline__ static StreamKPass stage(uint32_t place) { return {place, place + 32, place}; }
  __device__ __forceinline__ static StreamKPass after(const StreamKPass &pass) {
    return {pass.a + 32, pass.a_odd - 32, pass.b + StreamKShape::unroll * StreamKShape::row_bytes};
  }

  __device__ __forceinline__ void start(const StreamKPass &pass) {
    load_a(0, 0, pass);
#pragma unroll
    for (int k = 0; k < 4; ++k) load_b(k, pass);
  }

  __device__ __forceinline__ void multiply(const StreamKPass &now, const StreamKPass &next, float (&sum)[16][8]) {
    constexpr int kQuads = StreamKShape::unroll / 4;
#pragma unroll
    for (int quad = 0; quad < kQuads; ++quad) {
      const bool last_quad = quad == kQuads - 1;
#pragma unroll
      for (int group = 0; group < row_groups; ++group) {
        const bool last_group = group == row_groups - 1;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
#pragma unroll
            for (int step = 0; step < 8; ++step) {
              const int j = i % 2 == 0 ? step : 7 - step;
              float &to = sum[4 * group + i][j];
              to = fmaf(a[i][k], b[k][j], to);
            }
          }
          if (last_group) load_b(last_quad ? k : k + 4, last_quad ? next : now);
        }
        load_a(last_group ? (quad + 1) % kQuads : quad, (group + 1) % row_groups, last_group && last_quad ? next : now);
      }
    }
  }
};

// The multiplying warps.
template <Sharing kSharing, bool kSwapped, bool kAlongK>
__device__ __forceinline__ void stream_k_multiply(const StreamKOperand &operand, const StreamKProblem &p,
                                                  uint32_t shared, const StreamKBarriers barriers) {
  using Shape = StreamKShape;
  using Factors = StreamKFactors<kAlongK>;
  constexpr int kPasses = Shape::tile_k / Shape::unroll;
  const StreamKThread thread(kAlongK);
  const bool gives_back = threadIdx.x % 32 == 0;
  Factors factors(operand, shared, thread);
  RingStage stage(0);
  int before = Shape::stages - 1;  // the stage before
  StreamKPass now = Factors::stage(0);
  ptx::barrier_wait(barriers.full(stage.index), stage.parity);
  factors.start(now);
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
      StreamKPass next = Factors::after(now);
      if (passes % kPasses == 0) {
        ptx::together();
        if (gives_back) ptx::barrier_arrive(barriers.free(before));
        before = stage.index;
        stage.advance();
        next = Factors::stage(stage.index * Shape::stage_bytes);
        ptx::barrier_wait(barriers.full(stage.index), stage.parity);
      }
      factors.multiply(now, next, sum);
      now = next;
    } while (passes != 0);
#if defined(LIBSGEMM_STEERING_SLOTS)
    // Room for the moves that steer_registers.py needs when it deals out the registers of `sum` anew.
#pragma unroll
    for (int slot = 0; slot < LIBSGEMM_STEERING_SLOTS; ++slot) asm volatile("pmevent 1;");
#endif
    stream_k_finish<kSharing, kSwapped, kAlongK>(p, work, thread, sum);
  }
}

// kSwapped: the tile is one of C^T. kAlongK: A comes along k.
template <Sharing kSharing, bool kSwapped, bool kAlongK>
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
    ptx::take_registers<kAlongK ? Shape::along_k_registers : Shape::multiplier_registers>();
    stream_k_multiply<kSharing, kSwapped, kAlongK>(operands.a, p, shared, at);
  } else {
    ptx::give_registers<Shape::supplier_registers>();
    stream_k_supply<kSharing, kAlongK>(operands, p, warp - multiplying, shared, at);
  }
}

#endif  // sm_90

}  // namespace libsgemm::cuda
