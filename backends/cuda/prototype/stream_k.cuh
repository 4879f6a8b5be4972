// The persistent, warp-specialised product of sm_90: one warp has the copy engine bring tiles of A and B to a ring of
// stages in shared memory, eight warps multiply them, and the blocks share out the tiles so that all end together.
//
// Both operands lie k by k: A as k x m and B as k x n, rows of 128 floats in shared memory, 16 rows a stage.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "ptx.h"

namespace libsgemm::cuda {

// How the blocks share the work.
enum class Sharing : int {
  stream,   // tiles are dealt out; some of them are cut along k where the blocks' equal shares end
  cluster,  // the blocks of a cluster take slices of k of one tile and add them up in shared memory
  slices    // slices of k of each tile, each stored by itself
};

// What a launch computes, besides the maps of its operands. The tile's rows are those of the operand A of the kernel,
// which, swapped, is the caller's op(B)^T: then the tile is one of C^T.
struct StreamKProblem {
  int64_t m, n, ldc;
  float alpha, beta;
  float *c;
  bool vectors;  // columns of C start at multiples of 16 bytes
  bool swapped;
  Sharing sharing;
  int tiles_m, tiles_n, k_tiles;
  unsigned k_tiles_inverse;  // (2^32 - 1) / k_tiles
  int slices;                // cluster, slices: of each tile
  int64_t slice_elements;    // slices: from C of one to the next
  int stream_tiles;          // stream: the first tiles are cut along k into shares for all blocks; the others stay whole
  int share;                 // k-tiles of a block, of which the first `longer_shares` blocks have one more
  int longer_shares;
  float *partial;      // stream: one tile for each block
  uint64_t *finished;  // stream: one for each block: `launch` once its partial tile is written
  uint64_t launch;     // a number that no other launch has
};

// The work of one block. Streaming: its share of the cut tiles, then its whole tiles; blocks are numbered backwards, so
// that a block waits only for blocks that the device starts before it. Otherwise one slice of one tile.
struct StreamKWork {
  int block, slice;
  int next, end;  // k-tiles, counted through all tiles
  int whole;      // the next whole tile
  int tile, first, last;

  __device__ __forceinline__ explicit StreamKWork(const StreamKProblem &p) {
    if (p.sharing == Sharing::stream) {
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

  // Neighbouring tiles take columns of 8, so that the blocks at work share tiles of A and B in the L2 cache.
  __device__ __forceinline__ void position(const StreamKProblem &p, int *row, int *column) const {
    constexpr int kGroup = 8;
    const int group = tile / (kGroup * p.tiles_n), within = tile % (kGroup * p.tiles_n);
    const int height = min(kGroup, p.tiles_m - group * kGroup);
    *row = group * kGroup + within % height;
    *column = within / height;
  }
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Place in the ring of stages. Barriers: for each stage "ready", then for each "empty".
template <class Config>
struct Stage {
  int index = 0;
  unsigned parity;

  __device__ __forceinline__ explicit Stage(unsigned start) : parity(start) {}
  __device__ __forceinline__ uint32_t ready(uint32_t barriers) const { return barriers + 8 * index; }
  __device__ __forceinline__ uint32_t empty(uint32_t barriers) const { return barriers + 8 * (Config::stages + index); }
  __device__ __forceinline__ bool is_last() const { return index == Config::stages - 1; }
  __device__ __forceinline__ void advance() {
    if (++index == Config::stages) {
      index = 0;
      parity ^= 1;
    }
  }
};

// The copying warp; one lane copies. Multipliers give back a stage when they are done with the one after it, and at their
// first stage give back the last, which nobody has used: hence its other parity.
template <class Config>
__device__ __forceinline__ void stream_k_copy(const StreamKProblem &p, const void *map_a, const void *map_b,
                                              uint32_t shared, uint32_t barriers) {
  Stage<Config> stage(1);
  StreamKWork work(p);
  while (work.step(p)) {
    int row, column;
    work.position(p, &row, &column);
    row *= Config::tile_m;
    column *= Config::tile_n;
#pragma unroll 1
    for (int k = work.first; k < work.last; ++k) {
      ptx::barrier_wait(stage.empty(barriers), stage.is_last() ? stage.parity ^ 1 : stage.parity);
      if (threadIdx.x % 32 != 0) {
        stage.advance();
        continue;
      }
      ptx::barrier_arrive_and_expect(stage.ready(barriers), Config::stage_bytes);
      const uint32_t target = shared + stage.index * Config::stage_bytes;
#pragma unroll
      for (int box = 0; box < Config::boxes_m + Config::boxes_n; ++box) {
        const bool of_a = box < Config::boxes_m;
        const int outer = of_a ? row + 128 * box : column + 128 * (box - Config::boxes_m);
        ptx::copy_box(target + box * Config::box_bytes, of_a ? map_a : map_b, outer, k * Config::tile_k, stage.ready(barriers));
      }
      stage.advance();
    }
  }
  // The multipliers look one stage ahead, at the end too.
  ptx::barrier_wait(stage.empty(barriers), stage.is_last() ? stage.parity ^ 1 : stage.parity);
  if (threadIdx.x % 32 == 0) ptx::barrier_arrive(stage.ready(barriers));
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
__device__ __forceinline__ void store_x4(const StreamKProblem &p, int64_t row, int64_t column, int slice, float4 v) {
  const int64_t room = p.m - row;
  if (column >= p.n || room <= 0) return;
  float *c = p.c + slice * p.slice_elements + column * p.ldc + row;
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

// A whole tile, or slice of one.
template <class Config>
__device__ __forceinline__ void stream_k_store(const StreamKProblem &p, const StreamKWork &work,
                                               const StreamKThread &thread, float (&sum)[16][8]) {
  int tile_row, tile_column;
  work.position(p, &tile_row, &tile_column);
  const int64_t row = static_cast<int64_t>(tile_row) * Config::tile_m + thread.row;
  const int64_t column = static_cast<int64_t>(tile_column) * Config::tile_n + thread.column;
  if (p.swapped) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
#pragma unroll
      for (int group = 0; group < 2; ++group) {
        store_x4(p, column + 32 * group, row + i % 4 + i / 4 * 16, work.slice,
                 make_float4(sum[i][4 * group], sum[i][4 * group + 1], sum[i][4 * group + 2], sum[i][4 * group + 3]));
      }
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
#pragma unroll
    for (int group = 0; group < 4; ++group) {
      store_x4(p, row + 16 * group, column + j % 4 + j / 4 * 32, work.slice,
               make_float4(sum[4 * group][j], sum[4 * group + 1][j], sum[4 * group + 2][j], sum[4 * group + 3][j]));
    }
  }
}

// Where a block keeps the partial tile that another block will finish: vectors of the threads, one after the other.
template <class Config>
__device__ __forceinline__ float4 *partial_tile(const StreamKProblem &p, int block) {
  return reinterpret_cast<float4 *>(p.partial + static_cast<int64_t>(block) * Config::tile_m * Config::tile_n) +
         threadIdx.x;
}

template <class Config>
__device__ __forceinline__ void stream_k_leave(const StreamKProblem &p, int block, const float (&sum)[16][8]) {
  float4 *target = partial_tile<Config>(p, block);
#pragma unroll
  for (int j = 0; j < 8; ++j) {
#pragma unroll
    for (int group = 0; group < 4; ++group) {
      target[(4 * j + group) * Config::multipliers] =
          make_float4(sum[4 * group][j], sum[4 * group + 1][j], sum[4 * group + 2][j], sum[4 * group + 3][j]);
    }
  }
  ptx::synchronize_threads(1, Config::multipliers);
  if (threadIdx.x == 0) {
    __threadfence();
    ptx::store_release(p.finished + block, p.launch);
  }
}

// Adds what the blocks after this one computed of its tile, in their order.
template <class Config>
__device__ __forceinline__ void stream_k_gather(const StreamKProblem &p, const StreamKWork &work, float (&sum)[16][8]) {
  const int tile_end = (work.tile + 1) * p.k_tiles;
  int block = work.block;
#pragma unroll 1
  do {
    ++block;
    if (threadIdx.x == 0) {
      while (ptx::load_acquire(p.finished + block) != p.launch) __nanosleep(64);
      p.finished[block] = 0;  // a graph may launch us again with the same number
    }
    ptx::synchronize_threads(1, Config::multipliers);
    const float4 *source = partial_tile<Config>(p, block);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
#pragma unroll
      for (int group = 0; group < 4; ++group) {
        const float4 v = __ldcg(source + (4 * j + group) * Config::multipliers);
        sum[4 * group][j] += v.x;
        sum[4 * group + 1][j] += v.y;
        sum[4 * group + 2][j] += v.z;
        sum[4 * group + 3][j] += v.w;
      }
    }
  } while (StreamKWork::share(p, block + 1) < tile_end);
}

// Adds the slices of the cluster's blocks, in their order: each block a part of the tile, from the others' shared memory.
// Vector v of a thread: 4 rows of a column, or, swapped, 4 rows of C, which are columns of the tile.
template <class Config>
__device__ __forceinline__ void stream_k_add_up(const StreamKProblem &p, const StreamKWork &work,
                                                const StreamKThread &thread, uint32_t shared, const float (&sum)[16][8]) {
  constexpr int kVectors = 32;
  const uint32_t mine = shared + threadIdx.x * 16;
  ptx::synchronize_threads(1, Config::multipliers);  // nobody reads the ring any more
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int i = v / 2, j = v % 2 * 4, column = v / 4, row = v % 4 * 4;
    ptx::store_shared_x4(mine + v * Config::multipliers * 16,
                         p.swapped ? make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3])
                                   : make_float4(sum[row][column], sum[row + 1][column], sum[row + 2][column],
                                                 sum[row + 3][column]));
  }
  ptx::synchronize_cluster();
  int tile_row, tile_column;
  work.position(p, &tile_row, &tile_column);
  const int64_t row = static_cast<int64_t>(tile_row) * Config::tile_m + thread.row;
  const int64_t column = static_cast<int64_t>(tile_column) * Config::tile_n + thread.column;
  const int each = kVectors / p.slices;
#pragma unroll 4
  for (int v = work.slice * each; v < (work.slice + 1) * each; ++v) {
    float4 total = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int slice = 0; slice < p.slices; ++slice) {
      const float4 part = ptx::load_cluster_x4(mine + v * Config::multipliers * 16, slice);
      total = make_float4(total.x + part.x, total.y + part.y, total.z + part.z, total.w + part.w);
    }
    if (p.swapped) {
      store_x4(p, column + v % 2 * 32, row + v / 2 % 4 + v / 8 * 16, 0, total);
    } else {
      store_x4(p, row + v % 4 * 16, column + v / 4 % 4 + v / 16 * 32, 0, total);
    }
  }
  ptx::synchronize_cluster();  // others still read what is here
}

// The multiplying warps.
template <class Config>
__device__ __forceinline__ void stream_k_multiply(const StreamKProblem &p, uint32_t shared, uint32_t barriers) {
  constexpr int kSteps = Config::unroll;  // of k in one pass of the loop
  constexpr uint32_t kRowBytes = 512, kStepsBytes = kSteps * kRowBytes;
  const StreamKThread thread;
  const bool gives_back = threadIdx.x % 32 == 0;
  uint32_t at_a = shared + thread.row / 128 * Config::box_bytes + thread.row % 128 * 4;
  uint32_t at_b = shared + Config::boxes_m * Config::box_bytes + thread.column * 4;
  ptx::keep_in_register(at_a);
  ptx::keep_in_register(at_b);
  ptx::keep_in_register(barriers);
  float a[2][16], b[2][8];
  const auto load = [&](int set, uint32_t offset) {
#pragma unroll
    for (int q = 0; q < 2; ++q) *reinterpret_cast<float4 *>(&b[set][4 * q]) = ptx::load_shared_x4(at_b + offset + 128 * q);
#pragma unroll
    for (int q = 0; q < 4; ++q) *reinterpret_cast<float4 *>(&a[set][4 * q]) = ptx::load_shared_x4(at_a + offset + 64 * q);
  };

  Stage<Config> stage(0);
  int before = Config::stages - 1;  // the stage before
  uint32_t now = 0;                 // where in the ring, bytes
  ptx::barrier_wait(stage.ready(barriers), stage.parity);
  load(0, now);
  StreamKWork work(p);
  while (work.step(p)) {
    float sum[16][8];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sum[i][j] = 0.0f;
    }
    int passes = (work.last - work.first) * (Config::tile_k / kSteps);
#pragma unroll 1
    do {
      --passes;
      uint32_t next = now + kStepsBytes;
      if (passes % (Config::tile_k / kSteps) == 0) {
        if (gives_back) ptx::barrier_arrive(barriers + 8 * (Config::stages + before));
        before = stage.index;
        stage.advance();
        next = stage.index * Config::stage_bytes;
        ptx::barrier_wait(stage.ready(barriers), stage.parity);
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
#ifdef LIBSGEMM_STEERING_SLOTS
    // Room for the moves that steer.py needs when it deals out the registers of `sum` anew.
#pragma unroll
    for (int slot = 0; slot < LIBSGEMM_STEERING_SLOTS; ++slot) asm volatile("pmevent 1;");
#endif
    if (p.sharing == Sharing::cluster) {
      stream_k_add_up<Config>(p, work, thread, shared, sum);
    } else if (work.first != 0 && p.sharing == Sharing::stream) {
      stream_k_leave<Config>(p, work.block, sum);
    } else {
      if (work.last != p.k_tiles && p.sharing == Sharing::stream) stream_k_gather<Config>(p, work, sum);
      stream_k_store<Config>(p, work, thread, sum);
    }
  }
}

template <class Config>
__device__ __forceinline__ void stream_k(const StreamKProblem &p, const void *map_a, const void *map_b) {
  extern __shared__ __align__(128) float tiles[];
  __shared__ __align__(8) uint64_t barriers[2 * Config::stages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < Config::stages; ++s) {
      ptx::barrier_init(barriers + s, 1);
      ptx::barrier_init(barriers + Config::stages + s, Config::multipliers / 32);
    }
    ptx::barrier_init_done();
  }
  __syncthreads();
  const int warp = ptx::uniform(static_cast<int>(threadIdx.x) / 32);
  if (warp < Config::multipliers / 32) {
    ptx::take_registers<Config::multiplier_registers>();
    stream_k_multiply<Config>(p, ptx::shared_address(tiles), ptx::shared_address(barriers));
  } else {
    ptx::give_registers<Config::copier_registers>();
    if (warp != Config::multipliers / 32) return;
    stream_k_copy<Config>(p, map_a, map_b, ptx::shared_address(tiles), ptx::shared_address(barriers));
  }
}

#endif  // sm_90

}  // namespace libsgemm::cuda
