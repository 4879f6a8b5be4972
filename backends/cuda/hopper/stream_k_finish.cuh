// Epilogue of the stream-K product (stream_k.cuh).
#pragma once

#include "contract/finish.h"
#include "outer_product.cuh"
#include "stream_k_work.cuh"

namespace libsgemm::cuda {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// A thread's first row and column: sm90_ffma_256x128x16_stream_k.cu.
struct StreamKThread {
  int row, column;

  __device__ __forceinline__ explicit StreamKThread(bool along_k) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp % 4 * 64 + lane / 2 % 4 * (along_k ? 1 : 4);
    column = warp / 4 * 64 + (lane / 8 * 2 + lane % 2) * 4;
  }
};

// Transposes 4 x 4 elements of four lanes, whose numbers differ in the bits kLow and kHigh.
template <int kLow, int kHigh>
__device__ __forceinline__ float4 stream_k_trade(float4 v) {
  const bool low = (threadIdx.x & kLow) != 0, high = (threadIdx.x & kHigh) != 0;
  const float a = __shfl_xor_sync(~0u, low ? v.x : v.y, kLow), b = __shfl_xor_sync(~0u, low ? v.z : v.w, kLow);
  v = low ? make_float4(a, v.y, b, v.w) : make_float4(v.x, a, v.z, b);
  const float c = __shfl_xor_sync(~0u, high ? v.x : v.z, kHigh), d = __shfl_xor_sync(~0u, high ? v.y : v.w, kHigh);
  return high ? make_float4(c, d, v.z, v.w) : make_float4(v.x, v.y, c, d);
}

// A thread's first element in C, and the rows and columns from there on. In an aligned C a thread stores 4 neighbours
// of a column; otherwise four lanes store neighbouring rows, each lane every fourth of 16. The main loop leaves
// accumulators in one of these orders; for the other one the four lanes exchange elements.
template <bool kIsSwapped, bool kAlongK, int kSpread>
struct StreamKPlace {
  static constexpr bool kSwapped = kIsSwapped, has_vectors = kSwapped || !kAlongK;
  static constexpr int kLow = kSwapped ? 1 : 2, kHigh = kSwapped ? 8 : 4;  // bits in which the lanes differ
  float *c;
  int rows, columns;

  __device__ __forceinline__ StreamKPlace(const StreamKProblem &p, int tile, const StreamKThread &thread) {
    int tile_row, tile_column;
    stream_k_position(p, tile, &tile_row, &tile_column);
    const int row_in_tile = kSpread != 1 ? thread.row / 64 + thread.row % 64 * 4 : thread.row;
    const int64_t outer = static_cast<int64_t>(tile_row) * StreamKShape::tile_m + row_in_tile;
    const int64_t inner = static_cast<int64_t>(tile_column) * StreamKShape::tile_n + thread.column;
    int64_t row = kSwapped ? inner : outer;
    const int64_t column = kSwapped ? outer : inner;
    const int among = ((threadIdx.x & kLow) != 0 ? 1 : 0) + ((threadIdx.x & kHigh) != 0 ? 2 : 0);
    if (p.vectors != has_vectors) row += (p.vectors ? 3 : -3) * among;
    c = p.c + column * p.ldc + row;
    rows = static_cast<int>(min(p.m - row, static_cast<int64_t>(StreamKShape::tile_m)));
    columns = static_cast<int>(min(p.n - column, static_cast<int64_t>(StreamKShape::tile_m)));
  }

  // The elements of a vector are row_step rows apart, unless they are neighbours.
  static constexpr int row_step = kSwapped ? 4 : 4 * kSpread;
  __device__ __forceinline__ static int row_of(int v) { return kSwapped ? v % 2 * 32 : v % 4 * 16 * kSpread; }
  __device__ __forceinline__ static int column_of(int v) {
    return !kSwapped ? v / 4 % 4 + v / 16 * 32
           : kAlongK ? v / 2 * OuterProduct<true>::row_step * kSpread
                     : v / 2 % 4 + v / 8 * 16;
  }
  template <bool kVectors>
  __device__ __forceinline__ bool is_whole(int row) const {
    return kVectors && row + 4 <= rows;
  }

  template <bool kVectors>
  __device__ __forceinline__ float4 load(const StreamKProblem &p, int v) const {
    constexpr int step = kVectors ? 1 : row_step;
    const int row = row_of(v), column = column_of(v);
    const float *source = c + column * p.ldc + row;
    float4 old = {};
    if (column >= columns) return old;
    if (is_whole<kVectors>(row)) return *reinterpret_cast<const float4 *>(source);
    if (row < rows) old.x = source[0];
    if (row + step < rows) old.y = source[step];
    if (row + 2 * step < rows) old.z = source[2 * step];
    if (row + 3 * step < rows) old.w = source[3 * step];
    return old;
  }

  template <bool kVectors>
  __device__ __forceinline__ void store(const StreamKProblem &p, int v, float4 value) const {
    constexpr int step = kVectors ? 1 : row_step;
    const int row = row_of(v), column = column_of(v);
    float *target = c + column * p.ldc + row;
    if (column >= columns) return;
    if (is_whole<kVectors>(row)) {
      *reinterpret_cast<float4 *>(target) = value;
      return;
    }
    if (row < rows) target[0] = value.x;
    if (row + step < rows) target[step] = value.y;
    if (row + 2 * step < rows) target[2 * step] = value.z;
    if (row + 3 * step < rows) target[3 * step] = value.w;
  }
};

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

// scaled() of finish.h would make K-major instances spill. Zeros become +0 after alpha's sign is applied.
__device__ __forceinline__ float stream_k_scaled(float alpha, float sum) {
  return __fmul_rn(fabsf(alpha), __fadd_rn(__fmul_rn(copysignf(1.0f, alpha), sum), 0.0f));
}
__device__ __forceinline__ float4 stream_k_scale(float alpha, float4 v) {
  return make_float4(stream_k_scaled(alpha, v.x), stream_k_scaled(alpha, v.y), stream_k_scaled(alpha, v.z),
                     stream_k_scaled(alpha, v.w));
}
__device__ __forceinline__ float4 stream_k_axpy(float beta, float4 x, float4 y) {
  return make_float4(accumulated(y.x, beta, x.x), accumulated(y.y, beta, x.y), accumulated(y.z, beta, x.z),
                     accumulated(y.w, beta, x.w));
}

// Stores alpha * value + beta * C. All lanes of the warp must call it.
template <bool kVectors, typename Place>
__device__ __forceinline__ void stream_k_store_as(const StreamKProblem &p, const Place &place, int v, float4 value) {
  if (kVectors != Place::has_vectors) value = stream_k_trade<Place::kLow, Place::kHigh>(value);
  value = stream_k_scale(p.alpha, value);
  if (p.beta != 0.0f) value = stream_k_axpy(p.beta, place.template load<kVectors>(p, v), value);
  place.template store<kVectors>(p, v, value);
}

template <typename Place>
__device__ __forceinline__ void stream_k_store_one(const StreamKProblem &p, const Place &place, int v, float4 value) {
  if (p.vectors) {
    stream_k_store_as<true>(p, place, v, value);
  } else {
    stream_k_store_as<false>(p, place, v, value);
  }
}

// Stores half of the vectors at a time. Their loads of C come before the stores, so that none waits for another.
template <bool kVectors, typename Place>
__device__ __forceinline__ void stream_k_store_all(const StreamKProblem &p, const Place &place, float (&sum)[16][8]) {
  constexpr int kHalf = StreamKShape::vectors / 2;
#pragma unroll
  for (int first = 0; first < StreamKShape::vectors; first += kHalf) {
#pragma unroll
    for (int v = first; v < first + kHalf; ++v) {
      float4 value = stream_k_vector<Place::kSwapped>(sum, v);
      if (kVectors != Place::has_vectors) value = stream_k_trade<Place::kLow, Place::kHigh>(value);
      stream_k_set_vector<Place::kSwapped>(sum, v, stream_k_scale(p.alpha, value));
    }
    if (p.beta != 0.0f) {
#pragma unroll
      for (int v = first; v < first + kHalf; ++v) {
        stream_k_set_vector<Place::kSwapped>(
            sum, v,
            stream_k_axpy(p.beta, place.template load<kVectors>(p, v), stream_k_vector<Place::kSwapped>(sum, v)));
      }
    }
#pragma unroll
    for (int v = first; v < first + kHalf; ++v)
      place.template store<kVectors>(p, v, stream_k_vector<Place::kSwapped>(sum, v));
  }
}

// In a partial tile, vector v of all threads comes before vector v + 1.
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

__device__ __forceinline__ void stream_k_hand_over(const StreamKProblem &p, int block) {
  ptx::synchronize_threads(1, StreamKShape::multipliers);
  if (threadIdx.x == 0) {
    __threadfence();
    ptx::store_release(p.finished + block, 1);
  }
}

// Adds the partial tiles of the blocks that continue this block's tile, in the order of k.
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

template <bool kSwapped, bool kAlongK, typename Store>
__device__ __forceinline__ void stream_k_at_place(const StreamKProblem &p, int tile, const StreamKThread &thread,
                                                  const Store &store) {
  constexpr int kSpread = kAlongK ? 4 : 1;
  if (kSpread != 1 && p.spread != 1) {
    store(StreamKPlace<kSwapped, kAlongK, kSpread>(p, tile, thread));
  } else {
    store(StreamKPlace<kSwapped, kAlongK, 1>(p, tile, thread));
  }
}

// With Sharing::split_k, or if another block begins the tile, stores the accumulators to the workspace. Otherwise adds
// the other blocks' partial tiles, and stores the result to C.
template <Sharing kSharing, bool kSwapped, bool kAlongK>
__device__ __forceinline__ void stream_k_finish(const StreamKProblem &p, const StreamKWork<kSharing> &work,
                                                const StreamKThread &thread, float (&sum)[16][8]) {
  if constexpr (kSharing == Sharing::split_k) {
    stream_k_leave<kSwapped>(p, static_cast<int>(blockIdx.x), sum);
  } else {
    if (work.first != 0) {
      stream_k_leave<false>(p, work.block, sum);
      stream_k_hand_over(p, work.block);
      return;
    }
    if (work.last != p.k_tiles) stream_k_gather(p, work, sum);
    stream_k_at_place<kSwapped, kAlongK>(p, work.tile, thread, [&](const auto &place) {
      if (p.vectors) {
        stream_k_store_all<true>(p, place, sum);
      } else {
        stream_k_store_all<false>(p, place, sum);
      }
    });
  }
}

// Sharing::split_k: block 32 * tile + v adds vector v of the slices in order.
template <bool kSwapped, bool kAlongK>
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
  stream_k_at_place<kSwapped, kAlongK>(p, tile, StreamKThread(kAlongK),
                                       [&](const auto &place) { stream_k_store_one(p, place, v, sum); });
}

#endif  // sm_90

}  // namespace libsgemm::cuda
