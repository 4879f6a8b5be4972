// The persistent, warp-specialised product of sm_90: one warp has the copy engine bring tiles of A and B to a ring of
// stages in shared memory, eight warps multiply them, and the blocks share out the tiles so that all end together.
//
// In the ring both operands lie k by k: A as k x m and B as k x n, in boxes of 16 rows of 128 floats. An operand that
// lies the other way in memory goes through a second ring, from which three more warps transpose it. Unaligned operands
// are copied as four views (StreamKOperand), which changes the order of the 16 steps of k in a stage, for both alike.
#pragma once

#include "dynamic_shared.cuh"
#include "ptx.h"
#include "stream_k.h"

namespace libsgemm::cuda {

// The 256x128 tile of C: eight warps of 64 x 64, threads of 16 x 8.
struct StreamKShape {
  static constexpr int tile_m = 256, tile_n = 128, tile_k = 16;
  static constexpr int boxes_m = 2, boxes_n = 1;  // of 128 x 16
  static constexpr int stages = 6, turned_stages = 3;
  static constexpr uint32_t box_bytes = 128 * 16 * 4, stage_bytes = (boxes_m + boxes_n) * box_bytes;
  static constexpr uint32_t shared_bytes = (stages + turned_stages) * stage_bytes;
  static constexpr int multipliers = 256, threads = 384;  // threads that multiply; with those that copy
  static constexpr int unroll = 8;                        // steps of k in the loop: 1024 FFMA, what the cache holds
  static constexpr int turners = 3;                       // warps
#if !defined(LIBSGEMM_STEERING_SLOTS)
  static constexpr int multiplier_registers = 232;
#else
  static constexpr int multiplier_registers = 192;  // leaves room for what steer_registers.py adds
#endif
  static constexpr int copier_registers = 40;
  static constexpr int vectors = tile_m * tile_n / 4 / multipliers;  // of 4 sums of a thread
};

// The work of one block. Streaming: its share of the cut tiles, then its whole tiles; blocks are numbered backwards, so
// that a block waits only for blocks that the device starts before it. Otherwise one slice of one tile.
template <Sharing kSharing>
struct StreamKWork {
  int block, slice;
  int next, end;  // k-tiles, counted through all tiles
  int whole;      // the next whole tile
  int tile, first, last;

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

  // Streaming: first k-tile of a block's share.
  __device__ __forceinline__ static int share(const StreamKProblem &p, int block) {
    return block * p.share + min(block, p.longer_shares);
  }

  // The k-tiles [first, last) of `tile`; false if there is nothing left.
  __device__ __forceinline__ bool step(const StreamKProblem &p) {
    // Neither branches nor a division: the compiler must see that the warps stay together, which makes the loop over k
    // count in uniform registers.
    const bool cut = next < end;
    int streamed = static_cast<int>(__umulhi(next, p.k_tiles_inverse));  // next / k_tiles, or one less
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

// Where a tile is, in tiles. Neighbours take columns of 8, so that the blocks at work share tiles of A and B in the L2
// cache.
__device__ __forceinline__ void stream_k_position(const StreamKProblem &p, int tile, int *row, int *column) {
  constexpr int kGroup = 8;
  const int group = tile / (kGroup * p.tiles_n), within = tile % (kGroup * p.tiles_n);
  const int height = min(kGroup, p.tiles_m - group * kGroup);
  *row = group * kGroup + within % height;
  *column = within / height;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Place in a ring of stages.
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
using TurnedStage = StreamKStage<StreamKShape::turned_stages>;

// The barriers: for each stage of the ring "full", then "free"; for each stage of the second ring the same.
struct StreamKBarriers {
  static constexpr int count = 2 * (StreamKShape::stages + StreamKShape::turned_stages);
  uint32_t base;

  __device__ __forceinline__ uint32_t full(int stage) const { return base + 8 * stage; }
  __device__ __forceinline__ uint32_t free(int stage) const { return base + 8 * (StreamKShape::stages + stage); }
  __device__ __forceinline__ uint32_t turned_full(int stage) const {
    return base + 8 * (2 * StreamKShape::stages + stage);
  }
  __device__ __forceinline__ uint32_t turned_free(int stage) const {
    return base + 8 * (2 * StreamKShape::stages + StreamKShape::turned_stages + stage);
  }
  // Multipliers give back a stage when they are done with the one after it, and at their first stage give back the
  // last, which nobody has used: hence its other parity.
  __device__ __forceinline__ void wait_free(const RingStage &stage) const {
    ptx::barrier_wait(free(stage.index), stage.is_last() ? stage.parity ^ 1 : stage.parity);
  }
};

// Has the copy engine bring one k-tile of an operand, `boxes` * 128 wide, from outer index `outer` on. Natural: view v
// fills rows 4 v to 4 v + 3 of each box. Turned: columns of 16 floats, one for each outer index, view by view.
__device__ __forceinline__ void stream_k_copy_operand(const StreamKOperand &operand, int views, int boxes, int outer,
                                                      int k, uint32_t target, uint32_t barrier) {
  if (operand.turned) {
    for (int v = 0; v < views; ++v) {
      ptx::copy_box(target + v * boxes * (StreamKShape::box_bytes / views), &operand.views[v], k + operand.shift[v],
                    outer / views, barrier);
    }
    return;
  }
  for (int box = 0; box < boxes; ++box) {
    for (int v = 0; v < views; ++v) {
      ptx::copy_box(target + box * StreamKShape::box_bytes + v * (StreamKShape::box_bytes / views), &operand.views[v],
                    outer + 128 * box + operand.shift[v], k / views, barrier);
    }
  }
}

// The copying warp; one lane copies.
template <Sharing kSharing>
__device__ __forceinline__ void stream_k_copy(const StreamKOperands &o, const StreamKProblem &p, uint32_t shared,
                                              const StreamKBarriers barriers) {
  using Shape = StreamKShape;
  const bool first_lane = threadIdx.x % 32 == 0;
  const bool turns = o.a.turned || o.b.turned, copies = !(o.a.turned && o.b.turned);
  const auto bytes = [&](bool turned) {
    return (o.a.turned == turned ? Shape::boxes_m * Shape::box_bytes : 0) +
           (o.b.turned == turned ? Shape::boxes_n * Shape::box_bytes : 0);
  };
  RingStage stage(1);
  TurnedStage turned(1);
  StreamKWork<kSharing> work(p);
  while (work.step(p)) {
    int row, column;
    stream_k_position(p, work.tile, &row, &column);
#pragma unroll 1
    for (int k = work.first; k < work.last; ++k) {
#pragma unroll 1
      for (int pass = 0; pass < 2; ++pass) {  // the operands to turn first
        const bool turning = pass == 0;
        if (!(turning ? turns : copies)) continue;
        if (turning) {
          ptx::barrier_wait(barriers.turned_free(turned.index), turned.parity);
        } else {
          barriers.wait_free(stage);
        }
        if (first_lane) {
          const uint32_t barrier = turning ? barriers.turned_full(turned.index) : barriers.full(stage.index);
          const uint32_t target = shared + (turning ? Shape::stages + turned.index : stage.index) * Shape::stage_bytes;
          ptx::barrier_arrive_and_expect(barrier, bytes(turning));
          if (o.a.turned == turning) {
            stream_k_copy_operand(o.a, o.views, Shape::boxes_m, row * Shape::tile_m, k * Shape::tile_k, target,
                                  barrier);
          }
          if (o.b.turned == turning) {
            stream_k_copy_operand(o.b, o.views, Shape::boxes_n, column * Shape::tile_n, k * Shape::tile_k,
                                  target + Shape::boxes_m * Shape::box_bytes, barrier);
          }
        }
        if (turning) turned.advance();
      }
      stage.advance();
    }
  }
  // The multipliers look one stage ahead, at the end too.
  barriers.wait_free(stage);
  if (copies && first_lane) ptx::barrier_arrive(barriers.full(stage.index));
}

// A turning warp, number `warp` of them: transposes from the second ring into the first. A lane takes four steps of k
// of one outer index, and the 32 lanes have 32 neighbouring ones.
template <Sharing kSharing>
__device__ __forceinline__ void stream_k_turn(const StreamKOperands &o, const StreamKProblem &p, int warp,
                                              uint32_t shared, const StreamKBarriers barriers) {
  using Shape = StreamKShape;
  constexpr int kTasksA = Shape::tile_m / 32 * 4, kTasksB = Shape::tile_n / 32 * 4;
  const int lane = threadIdx.x % 32;
  const int begin = (o.a.turned ? 0 : kTasksA) + warp, end = o.b.turned ? kTasksA + kTasksB : kTasksA;
  // Step 4 q + e of k lies in row 4 q + e, or with four views in row q + 4 e.
  const uint32_t quarter_bytes = o.views == 1 ? 4 * 512 : 512, step_bytes = o.views == 1 ? 512 : 4 * 512;
  RingStage stage(1);
  TurnedStage turned(0);
  StreamKWork<kSharing> work(p);
  while (work.step(p)) {
#pragma unroll 1
    for (int k = work.first; k < work.last; ++k) {
      ptx::barrier_wait(barriers.turned_full(turned.index), turned.parity);
      barriers.wait_free(stage);
#pragma unroll 2
      for (int task = begin; task < end; task += Shape::turners) {
        const bool of_a = task < kTasksA;
        const uint32_t operand = of_a ? 0 : Shape::boxes_m * Shape::box_bytes;
        const int group = (of_a ? task : task - kTasksA) / 4, quarter = task % 4;
        int outer = 32 * group + lane, source = outer;
        if (o.views != 1) {
          outer = 32 * group + lane % 8 * 4 + lane / 8;
          source = lane / 8 * ((of_a ? Shape::tile_m : Shape::tile_n) / 4) + 8 * group + lane % 8;
        }
        const float4 v = ptx::load_shared_x4(shared + (Shape::stages + turned.index) * Shape::stage_bytes + operand +
                                             source * 64 + (quarter ^ (source / 2 % 4)) * 16);
        const uint32_t target = shared + stage.index * Shape::stage_bytes + operand + outer / 128 * Shape::box_bytes +
                                outer % 128 * 4 + quarter * quarter_bytes;
        ptx::store_shared(target, v.x);
        ptx::store_shared(target + step_bytes, v.y);
        ptx::store_shared(target + 2 * step_bytes, v.z);
        ptx::store_shared(target + 3 * step_bytes, v.w);
      }
      __syncwarp();
      if (lane == 0) {
        ptx::barrier_arrive(barriers.full(stage.index));
        ptx::barrier_arrive(barriers.turned_free(turned.index));
      }
      turned.advance();
      stage.advance();
    }
  }
  barriers.wait_free(stage);
  if (lane == 0) ptx::barrier_arrive(barriers.full(stage.index));
}

// A thread's place in the tile: 4 groups of 4 rows, 16 apart, and 2 groups of 4 columns, 32 apart.
struct StreamKThread {
  int row, column;

  __device__ __forceinline__ StreamKThread() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp % 4 * 64 + lane / 2 % 4 * 4;
    column = warp / 4 * 64 + (lane / 8 * 2 + lane % 2) * 4;
  }
};

// Four rows of one column: C = alpha * v + beta * C, as far as they are inside.
__device__ __forceinline__ void stream_k_store_x4(const StreamKProblem &p, int64_t row, int64_t column, float4 v) {
  const int64_t room = p.m - row;
  if (column >= p.n || room <= 0) return;
  float *c = p.c + column * p.ldc + row;
  v = make_float4(p.alpha * v.x, p.alpha * v.y, p.alpha * v.z, p.alpha * v.w);
  if (p.vectors && room >= 4) {
    float4 *target = reinterpret_cast<float4 *>(c);
    if (p.beta != 0.0f) {
      const float4 old = *target;
      v = make_float4(fmaf(p.beta, old.x, v.x), fmaf(p.beta, old.y, v.y), fmaf(p.beta, old.z, v.z),
                      fmaf(p.beta, old.w, v.w));
    }
    *target = v;
    return;
  }
  const float values[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    if (e < room) c[e] = p.beta != 0.0f ? fmaf(p.beta, c[e], values[e]) : values[e];
  }
}

// Vector v of the thread's 32, four neighbours along a column of C.
template <bool kSwapped>
__device__ __forceinline__ float4 stream_k_vector(const float (&sum)[16][8], int v) {
  if constexpr (kSwapped) {
    const int i = v / 2, j = v % 2 * 4;
    return make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
  } else {
    const int i = v % 4 * 4, j = v / 4;
    return make_float4(sum[i][j], sum[i + 1][j], sum[i + 2][j], sum[i + 3][j]);
  }
}

// Stores that vector, where (row, column) is the thread's first element in C.
template <bool kSwapped>
__device__ __forceinline__ void stream_k_store_vector(const StreamKProblem &p, int64_t row, int64_t column, int v,
                                                      float4 value) {
  if constexpr (kSwapped) {
    stream_k_store_x4(p, row + v % 2 * 32, column + v / 2 % 4 + v / 8 * 16, value);
  } else {
    stream_k_store_x4(p, row + v % 4 * 16, column + v / 4 % 4 + v / 16 * 32, value);
  }
}

// The thread's first element in C.
template <bool kSwapped>
__device__ __forceinline__ void stream_k_origin(const StreamKProblem &p, int tile, const StreamKThread &thread,
                                                int64_t *row, int64_t *column) {
  int tile_row, tile_column;
  stream_k_position(p, tile, &tile_row, &tile_column);
  *(kSwapped ? column : row) = static_cast<int64_t>(tile_row) * StreamKShape::tile_m + thread.row;
  *(kSwapped ? row : column) = static_cast<int64_t>(tile_column) * StreamKShape::tile_n + thread.column;
}

// Where a block keeps its partial tile: vectors of the threads, one after the other.
__device__ __forceinline__ float4 *stream_k_partial(const StreamKProblem &p, int block) {
  return reinterpret_cast<float4 *>(p.partial +
                                    static_cast<int64_t>(block) * (StreamKShape::tile_m * StreamKShape::tile_n)) +
         threadIdx.x;
}

template <bool kSwapped>
__device__ __forceinline__ void stream_k_leave(const StreamKProblem &p, int block, const float (&sum)[16][8]) {
  float4 *target = stream_k_partial(p, block);
#pragma unroll
  for (int v = 0; v < StreamKShape::vectors; ++v)
    target[v * StreamKShape::multipliers] = stream_k_vector<kSwapped>(sum, v);
}

// Tells the block that waits for the partial tile.
__device__ __forceinline__ void stream_k_hand_over(const StreamKProblem &p, int block) {
  ptx::synchronize_threads(1, StreamKShape::multipliers);
  if (threadIdx.x == 0) {
    __threadfence();
    ptx::store_release(p.finished + block, p.launch);
  }
}

// Adds what the blocks after this one computed of its tile, in their order.
__device__ __forceinline__ void stream_k_gather(const StreamKProblem &p, const StreamKWork<Sharing::stream> &work,
                                                float (&sum)[16][8]) {
  const int tile_end = (work.tile + 1) * p.k_tiles;
  int block = work.block;
#pragma unroll 1
  do {
    ++block;
    if (threadIdx.x == 0) {
      while (ptx::load_acquire(p.finished + block) != p.launch) __nanosleep(64);
      p.finished[block] = 0;  // a graph may launch us again with the same number
    }
    ptx::synchronize_threads(1, StreamKShape::multipliers);
    const float4 *source = stream_k_partial(p, block);
#pragma unroll
    for (int v = 0; v < StreamKShape::vectors; ++v) {
      const float4 part = __ldcg(source + v * StreamKShape::multipliers);
      const int i = v % 4 * 4, j = v / 4;
      sum[i][j] += part.x;
      sum[i + 1][j] += part.y;
      sum[i + 2][j] += part.z;
      sum[i + 3][j] += part.w;
    }
  } while (StreamKWork<Sharing::stream>::share(p, block + 1) < tile_end);
}

// Adds the slices of the cluster's blocks, in their order: each block a part of the tile, from the others' shared
// memory.
template <bool kSwapped>
__device__ __forceinline__ void stream_k_add_up(const StreamKProblem &p, const StreamKWork<Sharing::cluster> &work,
                                                const StreamKThread &thread, uint32_t shared,
                                                const float (&sum)[16][8]) {
  constexpr int kBytes = StreamKShape::multipliers * 16;
  const uint32_t mine = shared + threadIdx.x * 16;
  ptx::synchronize_threads(1, StreamKShape::multipliers);  // nobody reads the ring any more
#pragma unroll
  for (int v = 0; v < StreamKShape::vectors; ++v)
    ptx::store_shared_x4(mine + v * kBytes, stream_k_vector<kSwapped>(sum, v));
  ptx::synchronize_cluster();
  int64_t row, column;
  stream_k_origin<kSwapped>(p, work.tile, thread, &row, &column);
  const int each = (StreamKShape::vectors - 1) / p.slices + 1;
#pragma unroll 2
  for (int v = work.slice * each; v < min((work.slice + 1) * each, StreamKShape::vectors); ++v) {
    float4 total = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 2
    for (int slice = 0; slice < p.slices; ++slice) {
      const float4 part = ptx::load_cluster_x4(mine + v * kBytes, slice);
      total = make_float4(total.x + part.x, total.y + part.y, total.z + part.z, total.w + part.w);
    }
    stream_k_store_vector<kSwapped>(p, row, column, v, total);
  }
  ptx::synchronize_cluster();  // others still read what is here
}

// What a block does with the sums of its k-tiles of a tile.
template <Sharing kSharing, bool kSwapped>
__device__ __forceinline__ void stream_k_finish(const StreamKProblem &p, const StreamKWork<kSharing> &work,
                                                const StreamKThread &thread, uint32_t shared, float (&sum)[16][8]) {
  if constexpr (kSharing == Sharing::cluster) {
    stream_k_add_up<kSwapped>(p, work, thread, shared, sum);
  } else if constexpr (kSharing == Sharing::slices) {
    stream_k_leave<kSwapped>(p, static_cast<int>(blockIdx.x), sum);
  } else {
    if (work.first != 0) {
      stream_k_leave<false>(p, work.block, sum);
      stream_k_hand_over(p, work.block);
      return;
    }
    if (work.last != p.k_tiles) stream_k_gather(p, work, sum);
    int64_t row, column;
    stream_k_origin<kSwapped>(p, work.tile, thread, &row, &column);
#pragma unroll
    for (int v = 0; v < StreamKShape::vectors; ++v) {
      stream_k_store_vector<kSwapped>(p, row, column, v, stream_k_vector<kSwapped>(sum, v));
    }
  }
}

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
    const bool turns = operands.a.turned || operands.b.turned, copies = !(operands.a.turned && operands.b.turned);
    for (int s = 0; s < Shape::stages; ++s) {
      ptx::barrier_init(barriers + s, (copies ? 1 : 0) + (turns ? Shape::turners : 0));
      ptx::barrier_init(barriers + Shape::stages + s, Shape::multipliers / 32);
    }
    for (int s = 0; s < Shape::turned_stages; ++s) {
      ptx::barrier_init(barriers + 2 * Shape::stages + s, 1);
      ptx::barrier_init(barriers + 2 * Shape::stages + Shape::turned_stages + s, Shape::turners);
    }
    ptx::barrier_init_done();
  }
  __syncthreads();
  ptx::keep_in_register(at.base);
  const uint32_t shared = ptx::shared_address(dynamic_shared());
  const int warp = ptx::uniform(static_cast<int>(threadIdx.x) / 32), copier = Shape::multipliers / 32;
  if (warp < copier) {
    ptx::take_registers<Shape::multiplier_registers>();
    stream_k_multiply<kSharing, kSwapped>(p, shared, at);
  } else {
    ptx::give_registers<Shape::copier_registers>();
    if (warp == copier) {
      stream_k_copy<kSharing>(operands, p, shared, at);
    } else if (operands.a.turned || operands.b.turned) {
      stream_k_turn<kSharing>(operands, p, warp - copier - 1, shared, at);
    }
  }
}

// Sharing::slices: adds the slices of vector v of all threads of a tile, in their order. The block: 256 threads; its
// number: 32 * tile + v.
template <bool kSwapped>
__device__ __forceinline__ void stream_k_sum_slices(const StreamKProblem &p) {
  const int tile = static_cast<int>(blockIdx.x) / StreamKShape::vectors,
            v = static_cast<int>(blockIdx.x) % StreamKShape::vectors;
  const float4 *source = stream_k_partial(p, tile * p.slices) + v * StreamKShape::multipliers;
  constexpr int kTileVectors = StreamKShape::tile_m * StreamKShape::tile_n / 4;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 8
  for (int slice = 0; slice < p.slices; ++slice) {
    const float4 part = __ldcg(source + static_cast<int64_t>(slice) * kTileVectors);
    sum = make_float4(sum.x + part.x, sum.y + part.y, sum.z + part.z, sum.w + part.w);
  }
  int64_t row, column;
  stream_k_origin<kSwapped>(p, tile, StreamKThread(), &row, &column);
  stream_k_store_vector<kSwapped>(p, row, column, v, sum);
}

#endif  // sm_90

}  // namespace libsgemm::cuda
