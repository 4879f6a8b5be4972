// The supplying warps of the stream-K product (stream_k.cuh). They copy operands by TMA, and transpose or shift them
// from the second ring to the first; stream_k.h explains routes and views. Costs: docs/kernels/ffma.md.
#pragma once

#include "outer_product.cuh"
#include "stream_k_work.cuh"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ bool is_transposed(const StreamKOperand &operand) {
  return operand.route == Route::transposed || operand.route == Route::transposed_unaligned;
}
__device__ __forceinline__ bool goes_directly(const StreamKOperand &operand) {
  return operand.route == Route::direct || operand.route == Route::along_k;
}

// True if a tile's first k-tile needs stream_k_mend().
__device__ __forceinline__ bool mends_first(const StreamKOperands &o) {
  return o.a.route == Route::along_k && o.a.view_count == 4;
}

// The box that a lane of the copying warp copies for each k-tile: one of at most 8 of A and 4 of B.
struct StreamKBox {
  bool exists, of_a, k_first, direct;  // k_first: the box is k x outer
  const void *map;
  uint32_t offset;               // bytes from the start of the stage
  int outer_offset, outer_step;  // MN-major: offset in the tile, step from tile to tile
  int k_offset, k_step;          // K-major: offset, step from k-tile to k-tile

  __device__ __forceinline__ StreamKBox(const StreamKOperands &o, bool a_along_k) {
    using Shape = StreamKShape;
    const int lane = threadIdx.x % 32;
    of_a = lane < 8;
    const StreamKOperand &operand = of_a ? o.a : o.b;
    const int boxes = of_a ? Shape::boxes_m : Shape::boxes_n, tile = of_a ? Shape::tile_m : Shape::tile_n;
    const int index = of_a ? lane : lane - 8, views = operand.view_count, view = index % views, box = index / views;
    const bool along_k = operand.route == Route::along_k;
    k_first = is_transposed(operand) || along_k;
    direct = goes_directly(operand);
    exists = lane < 12 && box < (k_first ? 1 : boxes);
    map = &operand.views[view];
    k_offset = 0;
    if (along_k) {
      offset = view * (tile / 4) * OuterProduct<true>::along_k_line;
      outer_offset = 0;
      outer_step = tile / views;
      k_step = Shape::tile_k;
    } else if (k_first) {
      offset = (of_a ? 0 : Shape::second_a_bytes) + view * (tile / 4) * Shape::column_bytes;
      outer_offset = 0;
      outer_step = tile / views;
      k_step = Shape::tile_k;
    } else {
      offset = direct ? (of_a ? 0 : Shape::boxes_m * Shape::box_bytes) + box * Shape::box_bytes
                      : (of_a ? 0 : Shape::second_a_bytes) + index * Shape::unaligned_box_bytes;
      outer_offset = 128 * box;
      outer_step = tile;
      k_step = Shape::tile_k / views;
      if (direct && a_along_k) {
        if (o.a.view_count == 4) {
          k_offset = -Shape::reach;
        } else {
          offset += Shape::reach * Shape::row_bytes;
        }
      }
    }
  }

  __device__ __forceinline__ void copy(int row, int column, int k, uint32_t stage, uint32_t barrier) const {
    const int outer = (of_a ? row : column) * outer_step + outer_offset, along_k = k * k_step + k_offset;
    ptx::copy_box(stage + offset, map, k_first ? along_k : outer, k_first ? outer : along_k, barrier);
  }
};

// ---- Moves from the second ring to the first; supplying warp `quarter` moves a quarter of a k-tile. Eight threads
// that read or write at once use different banks.

// Transposes four k from 4 * q on of the four columns from 4 * quad on. `line`: bytes of one k in `to`.
__device__ __forceinline__ void stream_k_transpose_quad(int quad, int q, uint32_t from, uint32_t to, uint32_t line) {
  using Shape = StreamKShape;
  from += quad * (4 * Shape::column_bytes) + q * 16;
  to += quad * 16 + q * (4 * line);
  float4 v[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) v[e] = ptx::load_shared_x4(from + e * Shape::column_bytes);
  ptx::store_shared_x4(to, make_float4(v[0].x, v[1].x, v[2].x, v[3].x));
  ptx::store_shared_x4(to + line, make_float4(v[0].y, v[1].y, v[2].y, v[3].y));
  ptx::store_shared_x4(to + 2 * line, make_float4(v[0].z, v[1].z, v[2].z, v[3].z));
  ptx::store_shared_x4(to + 3 * line, make_float4(v[0].w, v[1].w, v[2].w, v[3].w));
}

template <int kHalves>
__device__ __forceinline__ void stream_k_transpose(int quarter, uint32_t from, uint32_t to) {
  using Shape = StreamKShape;
  const int lane = threadIdx.x % 32, q = (lane / 2 + quarter) % 4;
#pragma unroll 1
  for (int half = 0; half < kHalves; ++half) {
    stream_k_transpose_quad(lane, q, from, to, Shape::row_bytes);
    from += 128 * Shape::column_bytes;
    to += Shape::box_bytes;
  }
}

// A lane takes one column of each view from each 128 columns.
template <int kHalves>
__device__ __forceinline__ void stream_k_transpose_unaligned(const StreamKOperand &operand, int quarter, uint32_t from,
                                                             uint32_t to) {
  using Shape = StreamKShape;
  constexpr uint32_t kViewBytes = kHalves * 32 * Shape::column_bytes;
  const int lane = threadIdx.x % 32;
  from += lane * Shape::column_bytes + quarter * 16;
  to += lane * 16 + quarter * (4 * Shape::row_bytes);
#pragma unroll 1
  for (int half = 0; half < kHalves; ++half) {
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      const int e = (t + lane / 8) % 4;  // k is 4 * quarter + e
      float v[4];
#pragma unroll
      for (int view = 0; view < 4; ++view) {
        v[view] = ptx::load_shared(from + 4 * e + view * kViewBytes + 4 * operand.shift[view]);
      }
      ptx::store_shared_x4(to + e * Shape::row_bytes, make_float4(v[0], v[1], v[2], v[3]));
    }
    from += 32 * Shape::column_bytes;
    to += Shape::box_bytes;
  }
}

// Moves the four rows of view `quarter` to every fourth row of `to`.
template <int kHalves, int kShift>
__device__ __forceinline__ void stream_k_shift(int quarter, uint32_t from, uint32_t to) {
  using Shape = StreamKShape;
  const int lane = threadIdx.x % 32;
  from += quarter * Shape::unaligned_box_bytes + lane * 16;
  to += quarter * Shape::row_bytes + lane * 16;
#pragma unroll 1
  for (int half = 0; half < kHalves; ++half) {
#pragma unroll
    for (int row = 0; row < 4; ++row) {
      const float4 x = ptx::load_shared_x4(from + row * Shape::long_row_bytes);
      float4 y = {};
      if (kShift != 0) y = ptx::load_shared_x4(from + row * Shape::long_row_bytes + 16);
      ptx::store_shared_x4(to + row * (4 * Shape::row_bytes), kShift == 0   ? x
                                                              : kShift == 1 ? make_float4(x.y, x.z, x.w, y.x)
                                                              : kShift == 2 ? make_float4(x.z, x.w, y.x, y.y)
                                                                            : make_float4(x.w, y.x, y.y, y.z));
    }
    from += 4 * Shape::unaligned_box_bytes;
    to += Shape::box_bytes;
  }
}

template <int kHalves>
__device__ __forceinline__ void stream_k_move(const StreamKOperand &operand, int quarter, uint32_t from, uint32_t to) {
  switch (operand.route) {
    case Route::direct:
    case Route::along_k:
      break;
    case Route::transposed:
      stream_k_transpose<kHalves>(quarter, from, to);
      break;
    case Route::transposed_unaligned:
      stream_k_transpose_unaligned<kHalves>(operand, quarter, from, to);
      break;
    case Route::unaligned:
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

// For an unaligned A of Route::along_k. Clears elements before the start of a view's columns: B is zero there, and zero
// times Inf is NaN.
__device__ __forceinline__ void stream_k_mend(const StreamKOperand &operand, uint32_t stage) {
  using Shape = StreamKShape;
#pragma unroll 1
  for (int row = threadIdx.x % 32; row < Shape::tile_m; row += 32) {
    const int shift = operand.shift[row / (Shape::tile_m / 4)];
    const uint32_t at = stage + row * OuterProduct<true>::along_k_line + row / 2 % 4 * 16;
    if (shift > 0) ptx::store_shared(at, 0.0f);
    if (shift > 1) ptx::store_shared(at + 4, 0.0f);
    if (shift > 2) ptx::store_shared(at + 8, 0.0f);
  }
  ptx::order_with_tma();
}

// The first warp issues the TMA copies two k-tiles ahead, and moves its quarter like the others.
template <Sharing kSharing, bool kAlongK>
__device__ __forceinline__ void stream_k_supply(const StreamKOperands &o, const StreamKProblem &p, int warp,
                                                uint32_t shared, const StreamKBarriers barriers) {
  using Shape = StreamKShape;
  const bool first_lane = threadIdx.x % 32 == 0, copies = warp == 0;
  const bool a_direct = kAlongK || goes_directly(o.a), b_direct = goes_directly(o.b), moves = !a_direct || !b_direct;
  const uint32_t direct_bytes = (a_direct ? o.a.bytes : 0) + (b_direct ? o.b.bytes : 0);
  const uint32_t second_bytes = (a_direct ? 0 : o.a.bytes) + (b_direct ? 0 : o.b.bytes);
  if (!copies && !moves) return;
  const StreamKBox box(o, kAlongK);
  const bool all_arrive = kAlongK && mends_first(o);  // the copying warp's lanes all arrive
  const uint32_t b_offset = Shape::boxes_m * Shape::box_bytes + (kAlongK ? Shape::reach * Shape::row_bytes : 0);
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
        const uint32_t stage = shared + copied.index * Shape::stage_bytes, full = barriers.full(copied.index);
        const bool mends = all_arrive && k == 0;
        const uint32_t arrived = mends ? barriers.second_full(second_copied.index) : full;
        if (first_lane) {
          ptx::barrier_arrive_and_expect(arrived, direct_bytes);
        } else if (all_arrive && !mends) {
          ptx::barrier_arrive(full);
        }
        __syncwarp();
        if (box.exists && box.direct) box.copy(row, column, k, stage, arrived);
        if (mends) {
          ptx::barrier_wait(arrived, second_copied.parity ^ 1);
          second_copied.advance();
          stream_k_mend(o.a, stage);
          ptx::barrier_arrive(full);
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
      if (!a_direct) stream_k_move<Shape::boxes_m>(o.a, warp, from, to);
      stream_k_move<Shape::boxes_n>(o.b, warp, from + Shape::second_a_bytes, to + b_offset);
      ptx::barrier_arrive(barriers.full(moved.index));
      ptx::barrier_arrive(barriers.second_free(second_moved.index));
      second_moved.advance();
      moved.advance();
    }
  }
  // The multipliers wait one stage ahead, also at the end.
  if (moves) {
    barriers.wait_free(moved);
    ptx::barrier_arrive(barriers.full(moved.index));
  }
  if (copies && direct_bytes != 0) {
    barriers.wait_free(copied);
    if (first_lane || all_arrive) ptx::barrier_arrive(barriers.full(copied.index));
  }
}

#endif  // sm_90

}  // namespace libsgemm::cuda
