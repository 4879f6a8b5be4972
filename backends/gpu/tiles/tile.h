// Parts of the tiled product that all kernels on vector units share.
//
// Tiles in shared memory, a row for each k:    A: [tile_k][tile_m (+ 4)]      B: [tile_k][tile_n (+ 4)]
//
// "Outer" is an operand's dimension that is not k. If tile_k does not divide k, the first k-tile is the short one, so
// that the loop over the others needs no test.
#pragma once

#include "contract/finish.h"
#include "gpu/gpu.h"
#include "tile_problem.h"

namespace libsgemm::gpu {

// Dimension along which an operand is contiguous, and elements per read.
enum class Fetch { outer, outer_x4, inner, inner_x4 };

template <int TileM, int TileN, int TileK, int ThreadM, int ThreadN, int LaneRows, int WarpRows>
struct TileShape {
  static constexpr int tile_m = TileM, tile_n = TileN, tile_k = TileK;
  static constexpr int thread_m = ThreadM, thread_n = ThreadN;  // elements of C in a thread
  static constexpr int lane_rows = LaneRows, lane_columns = 32 / LaneRows;
  static constexpr int warp_m = ThreadM * lane_rows, warp_n = ThreadN * lane_columns;
  static constexpr int warp_rows = WarpRows, warp_columns = TileN / warp_n;
  static constexpr int threads = 32 * warp_rows * warp_columns;
  static constexpr int group_n = ThreadN % 4 == 0 ? 4 : ThreadN;  // adjacent columns of a thread
  static_assert(lane_rows == 4 || lane_rows == 8, "lane maps are for 4 x 8 and 8 x 4");
  static_assert(TileM == warp_m * warp_rows && TileN == warp_n * warp_columns, "the warps cover the tile");
  static_assert(ThreadM % 4 == 0 && (ThreadN % 4 == 0 || ThreadN == 2), "fragments are vectors");
};

// Consecutive blocks take columns of 16 tiles, which keeps both operands' tiles in L2.
template <class Config>
struct TilePosition {
  int i, j;  // position, in tiles

  __device__ __forceinline__ TilePosition(int i, int j) : i(i), j(j) {}
  __device__ __forceinline__ explicit TilePosition(const TileProblem &p) {
    constexpr int kGroup = 16;
    const int group_tiles = kGroup * p.tiles_n;
    const int group = blockIdx.x / group_tiles;
    const int within = blockIdx.x - group * group_tiles;
    const int height = min(kGroup, p.tiles_m - group * kGroup);
    i = group * kGroup + within % height;
    j = within / height;
  }
  __device__ __forceinline__ int64_t row() const { return static_cast<int64_t>(i) * Config::tile_m; }
  __device__ __forceinline__ int64_t column() const { return static_cast<int64_t>(j) * Config::tile_n; }
};

struct TileRange {
  int count;
  int first_depth;
  int64_t first_k;

  __device__ __forceinline__ TileRange(const TileProblem &p, int tile_k) {
    const int first = static_cast<int>(blockIdx.y) * p.slice_tiles;
    const int short_depth = static_cast<int>(p.k - static_cast<int64_t>(p.k_tiles - 1) * tile_k);
    count = min(p.slice_tiles, p.k_tiles - first);
    first_depth = first == 0 ? short_depth : tile_k;
    first_k = first == 0 ? 0 : short_depth + static_cast<int64_t>(first - 1) * tile_k;
  }
  __device__ __forceinline__ TileRange(int64_t first_k, int64_t end_k, int tile_k) : first_k(first_k) {
    count = static_cast<int>((end_k - first_k - 1) / tile_k) + 1;
    first_depth = static_cast<int>(end_k - first_k - static_cast<int64_t>(count - 1) * tile_k);
  }
};

// The last k-tile is the short one, filled with zeros.
struct TensorRange {
  int count;
  int64_t first_k;

  __device__ __forceinline__ TensorRange(const TileProblem &p, int tile_k) {
    const int first = static_cast<int>(blockIdx.y) * p.slice_tiles;
    count = min(p.slice_tiles, p.k_tiles - first);
    first_k = static_cast<int64_t>(first) * tile_k;
  }
};

// A thread's share of an operand's tile.
//
//   Fetch        lanes of a warp cover       in shared memory
//   outer(_x4)   32 (x4) outer               unchanged
//   inner        8 k x 4 outer               transposed; a pitch of outer + 4 spreads the stores over all banks
//   inner_x4     2 x 4 k x 16 outer          the same
// Pad: floats between rows of a transposed operand.
template <int Outer, int Depth, int Threads, Fetch Kind, int Pad = 4>
struct TileMap {
  static constexpr int extent = Outer, depth = Depth;
  static constexpr bool along_k = Kind == Fetch::inner || Kind == Fetch::inner_x4;
  static constexpr int width = Kind == Fetch::outer_x4 || Kind == Fetch::inner_x4 ? 4 : 1;
  static constexpr int pitch = Outer + (along_k ? Pad : 0);
  static constexpr int floats = Depth * pitch;
  static constexpr int copies = Outer * Depth / (Threads * width);
  // Distance between a thread's copies: for Fetch::outer in k, for Fetch::inner in the outer dimension.
  static constexpr int step = along_k ? Threads * width / Depth : Threads * width / Outer;
  static constexpr int k_warps = along_k ? Depth / 8 : 1;
  // Distances in shared memory: of copies, and of a copy's elements.
  static constexpr int target_step = along_k ? step : step * pitch;
  static constexpr int element_step = along_k ? pitch : 1;
  static_assert(copies * Threads * width == Outer * Depth && step > 0, "every thread makes the same number of copies");
  static_assert(!along_k || (Threads / 32) % k_warps == 0, "whole warps along k");

  int outer, k;  // place of the first copy
  int target;

  __device__ __forceinline__ TileMap() {
    const unsigned thread = threadIdx.x;
    const int lane = thread % 32, warp = thread / 32;
    if (Kind == Fetch::inner) {
      k = lane % 8 + 8 * (warp % k_warps);
      outer = lane / 8 + 4 * (warp / k_warps);
    } else if (Kind == Fetch::inner_x4) {
      k = 4 * (lane % 2) + 8 * (warp % k_warps);
      outer = lane / 2 + 16 * (warp / k_warps);
    } else {
      outer = thread * width % Outer;
      k = thread * width / Outer;
    }
    target = k * pitch + outer;
  }

  __device__ __forceinline__ void store_one(float *shared, const float (&staged)[copies][width], int i) const {
    float *to = shared + target + i * target_step;
    if constexpr (Kind == Fetch::outer_x4) {
      *reinterpret_cast<Vec4 *>(to) = vec4(staged[i][0], staged[i][1], staged[i][2], staged[i][3]);
    } else {
#pragma unroll
      for (int j = 0; j < width; ++j) to[j * element_step] = staged[i][j];
    }
  }
  __device__ __forceinline__ void store(float *shared, const float (&staged)[copies][width]) const {
#pragma unroll
    for (int i = 0; i < copies; ++i) store_one(shared, staged, i);
  }
};

// A thread's place in the tile: groups of 4 rows, lane_rows * 4 apart, and of group_n columns. Lanes of a quarter of a
// warp read the same or adjacent 16-byte words: no bank conflicts.
template <class Config>
struct ThreadPlace {
  int warp_row, warp_column, lane_row, lane_column;

  __device__ __forceinline__ ThreadPlace() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    warp_row = warp % Config::warp_rows;
    warp_column = warp / Config::warp_rows;
    const int of_four = lane / 2 % 4, of_eight = 2 * (lane / 8) + lane % 2;
    lane_row = Config::lane_rows == 4 ? of_four : of_eight;
    lane_column = Config::lane_rows == 4 ? of_eight : of_four;
  }
  __device__ __forceinline__ int row() const { return warp_row * Config::warp_m + lane_row * 4; }
  __device__ __forceinline__ int column() const { return warp_column * Config::warp_n + lane_column * Config::group_n; }
  // Relative to the thread's first element.
  __device__ __forceinline__ static constexpr int row_offset(int i) { return i / 4 * Config::lane_rows * 4 + i % 4; }
  __device__ __forceinline__ static constexpr int column_offset(int j) {
    return j / Config::group_n * Config::lane_columns * Config::group_n + j % Config::group_n;
  }
};

template <int Count, int Group, int Stride>
__device__ __forceinline__ void load_fragment(float (&fragment)[Count], const float *shared) {
#pragma unroll
  for (int i = 0; i < Count; i += Group) {
    if constexpr (Group == 4) {
      const Vec4 x = *reinterpret_cast<const Vec4 *>(shared + i / Group * Stride);
      fragment[i] = x.x, fragment[i + 1] = x.y, fragment[i + 2] = x.z, fragment[i + 3] = x.w;
    } else {
      const Vec2 x = *reinterpret_cast<const Vec2 *>(shared + i / Group * Stride);
      fragment[i] = x.x, fragment[i + 1] = x.y;
    }
  }
}

// rows x columns: the part inside the matrix.
struct OutputTile {
  Global<float> *c;
  int64_t ld;
  int rows, columns;
  float alpha, beta;

  struct Row {
    Global<float> *c;
    int64_t ld;
    __device__ __forceinline__ Global<float> &operator[](int column) const { return c[column * ld]; }
  };
  __device__ __forceinline__ Row row(int row, int column) const { return {c + column * ld + row, ld}; }

  __device__ __forceinline__ void write(Global<float> *to, float x) const {
    *to = beta != 0.0f ? accumulated(x, beta, *to) : x;
  }
};

// The block's tile of C, or of its slice's partial sums.
template <class Config, typename Operands>
__device__ __forceinline__ OutputTile output_tile(const Operands &operands, const TileProblem &p,
                                                  const TilePosition<Config> &at) {
  OutputTile out;
  const int64_t rows = p.m - at.row(), columns = p.n - at.column();
  out.rows = static_cast<int>(rows < Config::tile_m ? rows : Config::tile_m);
  out.columns = static_cast<int>(columns < Config::tile_n ? columns : Config::tile_n);
  const bool split = p.partial != nullptr;
  const int64_t matrix = static_cast<int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  out.ld = split ? p.partial_ld : p.ldc;
  out.c = global(split ? p.partial + matrix * p.partial_ld * p.n : operands.c(blockIdx.z));
  out.c += at.column() * out.ld + at.row();
  out.alpha = split ? 1.0f : p.alpha;
  out.beta = split ? 0.0f : p.beta;
  return out;
}

template <class Config>
constexpr int kStoreFloats = Config::threads / 32 * Config::lane_columns *(Config::warp_m + 4);

// For columns that start at multiples of 16 bytes.
template <class Config>
__device__ __forceinline__ void store_vectors(const float (&sum)[Config::thread_m][Config::thread_n],
                                              const OutputTile &out) {
  using Place = ThreadPlace<Config>;
  const Place place;
#pragma unroll
  for (int j = 0; j < Config::thread_n; ++j) {
    const int column = place.column() + Place::column_offset(j);
    if (column >= out.columns) continue;
    Global<float> *c = out.c + column * out.ld + place.row();
#pragma unroll
    for (int i = 0; i < Config::thread_m; i += 4) {
      Global<float> *to = c + Place::row_offset(i);
      const int rows = out.rows - place.row() - Place::row_offset(i);
      if (rows >= 4) {
        Vec4 x = vec4(sum[i][j], sum[i + 1][j], sum[i + 2][j], sum[i + 3][j]);
        if (out.beta != 0.0f) {
          const Vec4 old = *reinterpret_cast<Global<Vec4> *>(to);
          x = vec4(accumulated(x.x, out.beta, old.x), accumulated(x.y, out.beta, old.y),
                   accumulated(x.z, out.beta, old.z), accumulated(x.w, out.beta, old.w));
        }
        *reinterpret_cast<Global<Vec4> *>(to) = x;
      } else {
#pragma unroll
        for (int r = 0; r < 3; ++r) {
          if (r < rows) out.write(to + r, sum[i + r][j]);
        }
      }
    }
  }
}

// For columns of any alignment. Through shared memory consecutive lanes write consecutive rows.
template <class Config, class Write>
__device__ __forceinline__ void store_scalars(const float (&sum)[Config::thread_m][Config::thread_n], int rows,
                                              int columns, float *shared, const Write &write) {
  using Place = ThreadPlace<Config>;
  constexpr int kPitch = Config::warp_m + 4;
  const Place place;
  const int lane = threadIdx.x % 32;
  float *own = shared + threadIdx.x / 32 * Config::lane_columns * kPitch;
#pragma unroll
  for (int j = 0; j < Config::thread_n; ++j) {
#pragma unroll
    for (int i = 0; i < Config::thread_m; i += 4) {
      *reinterpret_cast<Vec4 *>(own + place.lane_column * kPitch + place.lane_row * 4 + Place::row_offset(i)) =
          vec4(sum[i][j], sum[i + 1][j], sum[i + 2][j], sum[i + 3][j]);
    }
    sync_warp();
#pragma unroll
    for (int e = 0; e < Config::warp_m * Config::lane_columns; e += 32) {
      const int from_row = (e + lane) % Config::warp_m, from_lane = (e + lane) / Config::warp_m;
      const int row = place.warp_row * Config::warp_m + from_row;
      const int column = place.warp_column * Config::warp_n + from_lane * Config::group_n + Place::column_offset(j);
      if (row < rows && column < columns) write(row, column, own[from_lane * kPitch + from_row]);
    }
    sync_warp();
  }
}

template <class Config>
__device__ __forceinline__ void barrier() {
  if constexpr (Config::threads == 32) {
    sync_warp();
  } else {
    __syncthreads();
  }
}

// Scales in place: registers are scarce.
template <class Config>
__device__ __forceinline__ void scale_sums(float (&sum)[Config::thread_m][Config::thread_n], float alpha) {
#pragma unroll
  for (int i = 0; i < Config::thread_m; ++i) {
#pragma unroll
    for (int j = 0; j < Config::thread_n; ++j) sum[i][j] = scaled(alpha, sum[i][j]);
  }
}

// May overwrite `shared`, once all threads have arrived.
template <class Config>
__device__ __forceinline__ void store_tile(float (&sum)[Config::thread_m][Config::thread_n], const OutputTile &out,
                                           float *shared) {
  scale_sums<Config>(sum, out.alpha);
  const bool aligned = (reinterpret_cast<uintptr_t>(out.c) % 16 | static_cast<uintptr_t>(out.ld) % 4) == 0;
  if (aligned) {
    store_vectors<Config>(sum, out);
  } else {
    barrier<Config>();
    store_scalars<Config>(sum, out.rows, out.columns, shared,
                          [&](int row, int column, float x) { out.write(out.c + column * out.ld + row, x); });
  }
}

template <class Config>
__device__ __forceinline__ void store_diagonal_tile(float (&sum)[Config::thread_m][Config::thread_n],
                                                    const OutputTile &out, float *shared, bool upper) {
  scale_sums<Config>(sum, out.alpha);
  barrier<Config>();
  store_scalars<Config>(sum, out.rows, out.columns, shared, [&](int row, int column, float x) {
    if (upper ? row <= column : row >= column) out.write(out.c + column * out.ld + row, x);
  });
}

}  // namespace libsgemm::gpu
