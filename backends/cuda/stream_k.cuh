// The persistent, warp-specialised product of sm_90: one warp has the copy engine bring tiles of A and B to a ring of
// stages in shared memory, eight warps multiply them, and the blocks share out the tiles so that all end together.
//
// In the ring both operands lie k by k: A as k x m and B as k x n, in boxes of 16 rows of 128 floats. An operand that
// lies the other way in memory, or unaligned, goes through a second ring, from which three more warps bring it into the
// first. The copying warps must be quick: they have a quarter of the 4096 cycles that a stage takes to multiply, at
// most.
#pragma once

#include "dynamic_shared.cuh"
#include "ptx.h"
#include "stream_k.h"

namespace libsgemm::cuda {

// The 256x128 tile of C: eight warps of 64 x 64, threads of 16 x 8.
struct StreamKShape {
  static constexpr int tile_m = 256, tile_n = 128, tile_k = 16;
  static constexpr int boxes_m = 2, boxes_n = 1;  // of 128 x 16
  static constexpr int stages = 5, second_stages = 3;
  static constexpr uint32_t row_bytes = 128 * 4, box_bytes = 16 * row_bytes,
                            stage_bytes = (boxes_m + boxes_n) * box_bytes;
  // In the second ring. Turned: columns of 20 floats, 16 and room for the shift. Shifted: boxes of 4 rows of 132
  // floats.
  static constexpr uint32_t column_bytes = 20 * 4, long_row_bytes = 132 * 4, shifted_box_bytes = 17 * 128;
  static constexpr uint32_t second_a_bytes = tile_m * column_bytes;
  static constexpr uint32_t second_stage_bytes = (tile_m + tile_n) * column_bytes;
  static constexpr uint32_t second_ring = stages * stage_bytes;
  static constexpr uint32_t shared_bytes = second_ring + second_stages * second_stage_bytes;
  static constexpr int multipliers = 256, threads = 384;  // threads that multiply; with those that copy
  static constexpr int unroll = 8;                        // steps of k in the loop: 1024 FFMA, what the cache holds
  static constexpr int suppliers = 4;                     // warps that copy
#if !defined(LIBSGEMM_STEERING_SLOTS)
  static constexpr int multiplier_registers = 208;
#else
  static constexpr int multiplier_registers = 192;  // leaves room for what steer_registers.py adds
#endif
  static constexpr int supplier_registers = 56;
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

  // How many k-tiles all steps have together.
  __device__ __forceinline__ int k_tile_count(const StreamKProblem &p) const {
    const int tiles = p.tiles_m * p.tiles_n, blocks = static_cast<int>(gridDim.x);
    return end - next + (whole < tiles ? ((tiles - 1 - whole) / blocks + 1) * p.k_tiles : 0);
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
using SecondStage = StreamKStage<StreamKShape::second_stages>;

// The barriers: for each stage of the ring "full", then "free"; for each stage of the second ring the same.
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
  // Multipliers give back a stage when they are done with the one after it, and at their first stage give back the
  // last, which nobody has used: hence its other parity.
  __device__ __forceinline__ void wait_free(const RingStage &stage) const {
    ptx::barrier_wait(free(stage.index), stage.is_last() ? stage.parity ^ 1 : stage.parity);
  }
};

__device__ __forceinline__ bool is_turned(const StreamKOperand &operand) {
  return operand.route == Route::turned || operand.route == Route::turned_unaligned;
}
__device__ __forceinline__ bool goes_directly(const StreamKOperand &operand) { return operand.route == Route::direct; }

// The box that a lane of the copying warp has copied for each k-tile; at most 8 of A and 4 of B.
struct StreamKBox {
  bool exists, of_a, turned, direct;
  const void *map;
  uint32_t offset;               // in the stage
  int outer_offset, outer_step;  // along m or n: of the box in the tile, and from tile to tile
  int k_step;                    // along k, from k-tile to k-tile

  __device__ __forceinline__ explicit StreamKBox(const StreamKOperands &o) {
    using Shape = StreamKShape;
    const int lane = threadIdx.x % 32;
    of_a = lane < 8;
    const StreamKOperand &operand = of_a ? o.a : o.b;
    const int boxes = of_a ? Shape::boxes_m : Shape::boxes_n, tile = of_a ? Shape::tile_m : Shape::tile_n;
    const int index = of_a ? lane : lane - 8, views = operand.view_count, view = index % views, box = index / views;
    turned = is_turned(operand);
    direct = goes_directly(operand);
    exists = lane < 12 && box < (turned ? 1 : boxes);
    map = &operand.views[view];
    if (turned) {
      offset = (of_a ? 0 : Shape::second_a_bytes) + view * (tile / 4) * Shape::column_bytes;
      outer_offset = 0;
      outer_step = tile / views;
      k_step = Shape::tile_k;
    } else {
      offset = direct ? (of_a ? 0 : Shape::boxes_m * Shape::box_bytes) + box * Shape::box_bytes +
                            view * (Shape::box_bytes / 4)
                      : (of_a ? 0 : Shape::second_a_bytes) + index * Shape::shifted_box_bytes;
      outer_offset = 128 * box;
      outer_step = tile;
      k_step = Shape::tile_k / views;
    }
  }

  __device__ __forceinline__ void copy(int row, int column, int k, uint32_t stage, uint32_t barrier) const {
    const int outer = (of_a ? row : column) * outer_step + outer_offset, along_k = k * k_step;
    ptx::copy_box(stage + offset, map, turned ? along_k : outer, turned ? outer : along_k, barrier);
  }
};

// What supplying warp `quarter` does with its quarter of an operand of one k-tile: `from` and `to` are the operand's
// places in the two rings. Eight threads that are served together read 8 different groups of banks and write 8.
//
// Turned: of each 128 columns, a lane takes four, and of these a fourth of the k-tile.
template <int kHalves>
__device__ __forceinline__ void stream_k_turn(bool interleaved, int quarter, uint32_t from, uint32_t to) {
  using Shape = StreamKShape;
  const int lane = threadIdx.x % 32, q = (lane / 2 + quarter) % 4;
  // Step 4 q + e of k goes to row 4 q + e, or to row q + 4 e.
  const uint32_t step = (interleaved ? 4 : 1) * Shape::row_bytes;
  from += lane * (4 * Shape::column_bytes) + q * 16;
  to += lane * 16 + q * (interleaved ? 1 : 4) * Shape::row_bytes;
#pragma unroll 1
  for (int half = 0; half < kHalves; ++half) {
    float4 v[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) v[e] = ptx::load_shared_x4(from + e * Shape::column_bytes);
    ptx::store_shared_x4(to, make_float4(v[0].x, v[1].x, v[2].x, v[3].x));
    ptx::store_shared_x4(to + step, make_float4(v[0].y, v[1].y, v[2].y, v[3].y));
    ptx::store_shared_x4(to + 2 * step, make_float4(v[0].z, v[1].z, v[2].z, v[3].z));
    ptx::store_shared_x4(to + 3 * step, make_float4(v[0].w, v[1].w, v[2].w, v[3].w));
    from += 128 * Shape::column_bytes;
    to += Shape::box_bytes;
  }
}

// Turned, four views: of each 128 columns, a lane takes one of each view, element by element.
template <int kHalves>
__device__ __forceinline__ void stream_k_turn_unaligned(const StreamKOperand &operand, int quarter, uint32_t from,
                                                        uint32_t to) {
  using Shape = StreamKShape;
  constexpr uint32_t kViewBytes = kHalves * 32 * Shape::column_bytes;
  const int lane = threadIdx.x % 32;
  from += lane * Shape::column_bytes + quarter * 16;
  to += lane * 16 + quarter * Shape::row_bytes;
#pragma unroll 1
  for (int half = 0; half < kHalves; ++half) {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int e = (t + lane / 8) % 4;  // step 4 * quarter + e of k
      float v[4];
#pragma unroll
      for (int view = 0; view < 4; ++view) {
        v[view] = ptx::load_shared(from + 4 * e + view * kViewBytes + 4 * operand.shift[view]);
      }
      ptx::store_shared_x4(to + e * (4 * Shape::row_bytes), make_float4(v[0], v[1], v[2], v[3]));
    }
    from += 32 * Shape::column_bytes;
    to += Shape::box_bytes;
  }
}

// Shifted by kShift: four rows of each 128, of view `quarter`.
template <int kHalves, int kShift>
__device__ __forceinline__ void stream_k_shift(int quarter, uint32_t from, uint32_t to) {
  using Shape = StreamKShape;
  const int lane = threadIdx.x % 32;
  from += quarter * Shape::shifted_box_bytes + lane * 16;
  to += quarter * (4 * Shape::row_bytes) + lane * 16;
#pragma unroll 1
  for (int half = 0; half < kHalves; ++half) {
#pragma unroll
    for (int row = 0; row < 4; ++row) {
      const float4 x = ptx::load_shared_x4(from + row * Shape::long_row_bytes);
      float4 y = {};
      if (kShift != 0) y = ptx::load_shared_x4(from + row * Shape::long_row_bytes + 16);
      ptx::store_shared_x4(to + row * Shape::row_bytes, kShift == 0   ? x
                                                        : kShift == 1 ? make_float4(x.y, x.z, x.w, y.x)
                                                        : kShift == 2 ? make_float4(x.z, x.w, y.x, y.y)
                                                                      : make_float4(x.w, y.x, y.y, y.z));
    }
    from += 4 * Shape::shifted_box_bytes;
    to += Shape::box_bytes;
  }
}

template <int kHalves>
__device__ __forceinline__ void stream_k_move(const StreamKOperand &operand, bool interleaved, int quarter,
                                              uint32_t from, uint32_t to) {
  switch (operand.route) {
    case Route::direct:
      break;
    case Route::turned:
      stream_k_turn<kHalves>(interleaved, quarter, from, to);
      break;
    case Route::turned_unaligned:
      stream_k_turn_unaligned<kHalves>(operand, quarter, from, to);
      break;
    case Route::shifted:
      switch (operand.shift[quarter]) {
        case 0:
          stream_k_shift<kHalves, 0>(quarter, from, to);
          break;
        case 1:
          stream_k_shift<kHalves, 1>(quarter, from, to);
          break;
        case 2:
          stream_k_shift<kHalves, 2>(quarter, from, to);
          break;
        default:
          stream_k_shift<kHalves, 3>(quarter, from, to);
          break;
      }
  }
}

// The supplying warps. The first has the copy engine copy, two k-tiles ahead of what it then moves itself.
template <Sharing kSharing>
__device__ __forceinline__ void stream_k_supply(const StreamKOperands &o, const StreamKProblem &p, int warp,
                                                uint32_t shared, const StreamKBarriers barriers) {
  using Shape = StreamKShape;
  const bool first_lane = threadIdx.x % 32 == 0, copies = warp == 0;
  const bool a_direct = goes_directly(o.a), b_direct = goes_directly(o.b), moves = !a_direct || !b_direct;
  const uint32_t direct_bytes = (a_direct ? o.a.bytes : 0) + (b_direct ? o.b.bytes : 0);
  const uint32_t second_bytes = (a_direct ? 0 : o.a.bytes) + (b_direct ? 0 : o.b.bytes);
  if (!copies && !moves) return;
  const StreamKBox box(o);
  RingStage copied(1), moved(1);
  SecondStage second_copied(1), second_moved(0);
  StreamKWork<kSharing> work(p);
  const int count = work.k_tile_count(p), ahead = moves ? Shape::second_stages - 1 : 0;
  int row = 0, column = 0, k = 0;
  work.last = 0;
#pragma unroll 1
  for (int i = copies ? 0 : ahead; i < count + ahead; ++i) {
    if (copies && i < count) {
      if (k == work.last) {
        work.step(p);
        stream_k_position(p, work.tile, &row, &column);
        k = work.first;
      }
      if (second_bytes != 0) {
        ptx::barrier_wait(barriers.second_free(second_copied.index), second_copied.parity);
        if (first_lane) ptx::barrier_arrive_and_expect(barriers.second_full(second_copied.index), second_bytes);
        __syncwarp();
        if (box.exists && !box.direct) {
          box.copy(row, column, k, shared + Shape::second_ring + second_copied.index * Shape::second_stage_bytes,
                   barriers.second_full(second_copied.index));
        }
        second_copied.advance();
      }
      if (direct_bytes != 0) {
        barriers.wait_free(copied);
        if (first_lane) ptx::barrier_arrive_and_expect(barriers.full(copied.index), direct_bytes);
        __syncwarp();
        if (box.exists && box.direct) {
          box.copy(row, column, k, shared + copied.index * Shape::stage_bytes, barriers.full(copied.index));
        }
      }
      copied.advance();
      ++k;
    }
    if (moves && i >= ahead) {
      ptx::barrier_wait(barriers.second_full(second_moved.index), second_moved.parity);
      barriers.wait_free(moved);
      const uint32_t from = shared + Shape::second_ring + second_moved.index * Shape::second_stage_bytes;
      const uint32_t to = shared + moved.index * Shape::stage_bytes;
      stream_k_move<Shape::boxes_m>(o.a, o.interleaved, warp, from, to);
      stream_k_move<Shape::boxes_n>(o.b, o.interleaved, warp, from + Shape::second_a_bytes,
                                    to + Shape::boxes_m * Shape::box_bytes);
      __syncwarp();
      if (first_lane) {
        ptx::barrier_arrive(barriers.full(moved.index));
        ptx::barrier_arrive(barriers.second_free(second_moved.index));
      }
      second_moved.advance();
      moved.advance();
    }
  }
  // The multipliers look one stage ahead, at the end too.
  if (moves) {
    barriers.wait_free(moved);
    if (first_lane) ptx::barrier_arrive(barriers.full(moved.index));
  }
  if (copies && direct_bytes != 0) {
    barriers.wait_free(copied);
    if (first_lane) ptx::barrier_arrive(barriers.full(copied.index));
  }
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

// Transposes 4 x 4 elements of four lanes, whose numbers differ in the bits kLow and kHigh: element e of the r-th lane
// trades places with element r of the e-th.
template <int kLow, int kHigh>
__device__ __forceinline__ float4 stream_k_trade(float4 v) {
  const bool low = (threadIdx.x & kLow) != 0, high = (threadIdx.x & kHigh) != 0;
  const float a = __shfl_xor_sync(~0u, low ? v.x : v.y, kLow), b = __shfl_xor_sync(~0u, low ? v.z : v.w, kLow);
  v = low ? make_float4(a, v.y, b, v.w) : make_float4(v.x, a, v.z, b);
  const float c = __shfl_xor_sync(~0u, high ? v.x : v.z, kHigh), d = __shfl_xor_sync(~0u, high ? v.y : v.w, kHigh);
  return high ? make_float4(c, d, v.z, v.w) : make_float4(v.x, v.y, c, d);
}

// Where a thread stores: its first element in C, and how many rows and columns from there on are inside. If C is not
// aligned, four neighbouring lanes trade elements, so that they store neighbouring rows: each has every fourth of 16.
template <bool kSwapped>
struct StreamKPlace {
  static constexpr int kLow = kSwapped ? 1 : 2, kHigh = kSwapped ? 8 : 4;  // bits in which the four lanes differ
  float *c;
  int rows, columns;

  __device__ __forceinline__ StreamKPlace(const StreamKProblem &p, int tile, const StreamKThread &thread) {
    int tile_row, tile_column;
    stream_k_position(p, tile, &tile_row, &tile_column);
    const int64_t outer = static_cast<int64_t>(tile_row) * StreamKShape::tile_m + thread.row;
    const int64_t inner = static_cast<int64_t>(tile_column) * StreamKShape::tile_n + thread.column;
    int64_t row = kSwapped ? inner : outer;
    const int64_t column = kSwapped ? outer : inner;
    if (!p.vectors) row -= 3 * (((threadIdx.x & kLow) != 0 ? 1 : 0) + ((threadIdx.x & kHigh) != 0 ? 2 : 0));
    c = p.c + column * p.ldc + row;
    rows = static_cast<int>(min(p.m - row, static_cast<int64_t>(StreamKShape::tile_m)));
    columns = static_cast<int>(min(p.n - column, static_cast<int64_t>(StreamKShape::tile_m)));
  }

  // Vector v of the thread: elements `step` rows apart.
  __device__ __forceinline__ static int row_of(int v) { return kSwapped ? v % 2 * 32 : v % 4 * 16; }
  __device__ __forceinline__ static int column_of(int v) {
    return kSwapped ? v / 2 % 4 + v / 8 * 16 : v / 4 % 4 + v / 16 * 32;
  }
  template <bool kVectors>
  __device__ __forceinline__ bool is_whole(int v) const {
    return kVectors && row_of(v) + 4 <= rows;
  }

  template <bool kVectors>
  __device__ __forceinline__ float4 load(const StreamKProblem &p, int v) const {
    constexpr int kStep = kVectors ? 1 : 4;
    const int row = row_of(v), column = column_of(v);
    const float *source = c + column * p.ldc + row;
    float4 old = {};
    if (column >= columns) return old;
    if (is_whole<kVectors>(v)) return *reinterpret_cast<const float4 *>(source);
    if (row < rows) old.x = source[0];
    if (row + kStep < rows) old.y = source[kStep];
    if (row + 2 * kStep < rows) old.z = source[2 * kStep];
    if (row + 3 * kStep < rows) old.w = source[3 * kStep];
    return old;
  }

  template <bool kVectors>
  __device__ __forceinline__ void store(const StreamKProblem &p, int v, float4 value) const {
    constexpr int kStep = kVectors ? 1 : 4;
    const int row = row_of(v), column = column_of(v);
    float *target = c + column * p.ldc + row;
    if (column >= columns) return;
    if (is_whole<kVectors>(v)) {
      *reinterpret_cast<float4 *>(target) = value;
      return;
    }
    if (row < rows) target[0] = value.x;
    if (row + kStep < rows) target[kStep] = value.y;
    if (row + 2 * kStep < rows) target[2 * kStep] = value.z;
    if (row + 3 * kStep < rows) target[3 * kStep] = value.w;
  }
};

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

template <bool kSwapped>
__device__ __forceinline__ void stream_k_set_vector(float (&sum)[16][8], int v, float4 value) {
  const int i = kSwapped ? v / 2 : v % 4 * 4, j = kSwapped ? v % 2 * 4 : v / 4;
  sum[i][j] = value.x;
  sum[i + (kSwapped ? 0 : 1)][j + (kSwapped ? 1 : 0)] = value.y;
  sum[i + (kSwapped ? 0 : 2)][j + (kSwapped ? 2 : 0)] = value.z;
  sum[i + (kSwapped ? 0 : 3)][j + (kSwapped ? 3 : 0)] = value.w;
}

__device__ __forceinline__ float4 stream_k_scale(float alpha, float4 v) {
  return make_float4(alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w);
}
__device__ __forceinline__ float4 stream_k_axpy(float beta, float4 x, float4 y) {
  return make_float4(fmaf(beta, x.x, y.x), fmaf(beta, x.y, y.y), fmaf(beta, x.z, y.z), fmaf(beta, x.w, y.w));
}

// C = alpha * value + beta * C, vector v. All lanes of the warp come here.
template <bool kVectors, bool kSwapped>
__device__ __forceinline__ void stream_k_store_one(const StreamKProblem &p, const StreamKPlace<kSwapped> &place, int v,
                                                   float4 value) {
  using Place = StreamKPlace<kSwapped>;
  if (!kVectors) value = stream_k_trade<Place::kLow, Place::kHigh>(value);
  value = stream_k_scale(p.alpha, value);
  if (p.beta != 0.0f) value = stream_k_axpy(p.beta, place.template load<kVectors>(p, v), value);
  place.template store<kVectors>(p, v, value);
}

// The same for all vectors. All of C is read before any is written, so that no load waits for another.
template <bool kVectors, bool kSwapped>
__device__ __forceinline__ void stream_k_store_all(const StreamKProblem &p, const StreamKPlace<kSwapped> &place,
                                                   float (&sum)[16][8]) {
  using Place = StreamKPlace<kSwapped>;
#pragma unroll
  for (int v = 0; v < StreamKShape::vectors; ++v) {
    float4 value = stream_k_vector<kSwapped>(sum, v);
    if (!kVectors) value = stream_k_trade<Place::kLow, Place::kHigh>(value);
    stream_k_set_vector<kSwapped>(sum, v, stream_k_scale(p.alpha, value));
  }
  if (p.beta != 0.0f) {
#pragma unroll
    for (int v = 0; v < StreamKShape::vectors; ++v) {
      stream_k_set_vector<kSwapped>(
          sum, v, stream_k_axpy(p.beta, place.template load<kVectors>(p, v), stream_k_vector<kSwapped>(sum, v)));
    }
  }
#pragma unroll
  for (int v = 0; v < StreamKShape::vectors; ++v) {
    place.template store<kVectors>(p, v, stream_k_vector<kSwapped>(sum, v));
  }
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
    ptx::store_release(p.finished + block, 1);
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
      while (ptx::load_acquire(p.finished + block) == 0) __nanosleep(64);
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
  const StreamKPlace<kSwapped> place(p, work.tile, thread);
  const int each = (StreamKShape::vectors - 1) / p.slices + 1;
#pragma unroll 2
  for (int v = work.slice * each; v < min((work.slice + 1) * each, StreamKShape::vectors); ++v) {
    float4 total = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 2
    for (int slice = 0; slice < p.slices; ++slice) {
      const float4 part = ptx::load_cluster_x4(mine + v * kBytes, slice);
      total = make_float4(total.x + part.x, total.y + part.y, total.z + part.z, total.w + part.w);
    }
    if (p.vectors) {
      stream_k_store_one<true>(p, place, v, total);
    } else {
      stream_k_store_one<false>(p, place, v, total);
    }
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
    const StreamKPlace<kSwapped> place(p, work.tile, thread);
    if (p.vectors) {
      stream_k_store_all<true>(p, place, sum);
    } else {
      stream_k_store_all<false>(p, place, sum);
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
      ptx::barrier_init(barriers + s, (a_direct || b_direct ? 1 : 0) + (a_direct && b_direct ? 0 : Shape::suppliers));
      ptx::barrier_init(barriers + Shape::stages + s, Shape::multipliers / 32);
    }
    for (int s = 0; s < Shape::second_stages; ++s) {
      ptx::barrier_init(barriers + 2 * Shape::stages + s, 1);
      ptx::barrier_init(barriers + 2 * Shape::stages + Shape::second_stages + s, Shape::suppliers);
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
  const StreamKPlace<kSwapped> place(p, tile, StreamKThread());
  if (p.vectors) {
    stream_k_store_one<true>(p, place, v, sum);
  } else {
    stream_k_store_one<false>(p, place, v, sum);
  }
}

#endif  // sm_90

}  // namespace libsgemm::cuda
