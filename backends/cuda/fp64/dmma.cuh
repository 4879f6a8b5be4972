// A warp's part of a product on the FP64 tensor cores (mma.sync), from tiles of floats (float_tile.cuh). Products of
// floats are exact in FP64; the one rounding at the end gives the nearest float, except in near ties.
//
// The instruction computes D = X Y + D, 16 x 8. X comes from B and Y from A, so D is a block of C transposed. Lane 4 g
// + q has columns g and g + 8 of C, rows 2 q and 2 q + 1. Its elements of X are columns g and g + 8 of op(B) at k = q,
// q + 4, q + 8, q + 12; of Y row g of op(A) at the same k. With m8n8k4 it has only column g, and k = q.
//
// Source of the fragment layout: measured; NVIDIA, PTX ISA, mma.m16n8k16 and mma.m8n8k4 with .f64.
#pragma once

#include "contract/finish.h"
#include "float_tile.cuh"

namespace libsgemm::cuda {

// An instruction computes 8 rows and `Columns` columns of C over `Depth` k elements, from sm_`MinArch` on.
template <int Columns, int Depth, int MinArch>
struct DmmaInstruction {
  static constexpr int columns = Columns, depth = Depth, min_arch = MinArch;
  static constexpr int groups = Columns / 8, quads = Depth / 4;  // a lane has a column of each group, a k of each quad
#ifdef __CUDA_ARCH__
  static constexpr bool exists = __CUDA_ARCH__ >= 10 * MinArch;
#else
  static constexpr bool exists = true;
#endif
};
using M16n8k16 = DmmaInstruction<16, 16, 90>;
using M8n8k4 = DmmaInstruction<8, 4, 80>;

// A block's sums of a slice of k. p.partial_ld is a multiple of 4 doubles, so a lane's two rows are both inside the
// column or both outside.
struct PartialTile {
  Global<double> *sums;
  int64_t ld;
  int rows, columns;
};

template <class Config>
__device__ __forceinline__ PartialTile partial_tile(const TileProblem &p, const TilePosition<Config> &at) {
  const int64_t matrix = static_cast<int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  const int64_t rows = p.m - at.row(), columns = p.n - at.column();
  Global<double> *sums = global(reinterpret_cast<double *>(p.partial)) + (matrix * p.n + at.column()) * p.partial_ld;
  return {sums + at.row(), p.partial_ld, static_cast<int>(rows < Config::tile_m ? rows : Config::tile_m),
          static_cast<int>(columns < Config::tile_n ? columns : Config::tile_n)};
}

// A place in C to store to. Convolutions use GatheredPlace instead.
struct MatrixPlace {
  Global<float> *c;
  int64_t ld;

  __device__ __forceinline__ Global<float> *place() const { return c; }
  __device__ __forceinline__ MatrixPlace from(int row, int column) const { return {c + column * ld + row, ld}; }
  __device__ __forceinline__ void advance(int columns) { c += columns * ld; }
};

template <class Config, class TileA, class TileB>
struct Dmma {
  using Instruction = typename Config::Instruction;
  static constexpr int columns = Instruction::columns, depth = Instruction::depth;
  static constexpr int groups = Instruction::groups, quads = Instruction::quads;
  static constexpr int blocks_x = Config::warp_n / columns, blocks_y = Config::warp_m / 8;
  static constexpr int steps = Config::tile_k / depth;

  // store() collects a warp's part of C in a patch of shared memory. The pitch is 8 or 24 modulo 32, so that lanes of a
  // half-warp, which write pairs of rows in four columns, use different banks.
  static constexpr int patch_pitch = Config::warp_m + 8, patch_floats = Config::warp_n * patch_pitch;

  using Sums = double[blocks_x][blocks_y][2 * groups];
  // Operands of the next products.
  struct Floats {
    float x[groups * quads], y[blocks_y][quads];
  };

  int warp_row, warp_column;
  int first_x, first_y;  // the lane's first element in the tiles

  __device__ __forceinline__ Dmma()
      : warp_row(static_cast<int>(threadIdx.x) / 32 % Config::warp_rows),
        warp_column(static_cast<int>(threadIdx.x) / 32 / Config::warp_rows) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, q = lane % 4;
    first_x = (warp_column * Config::warp_n + g) * TileB::outer_step + q * TileB::k_step;
    first_y = (warp_row * Config::warp_m + g) * TileA::outer_step + q * TileA::k_step;
  }

  // Calls visit(sum, number).
  template <class Visit>
  __device__ __forceinline__ static void for_each_sum(Sums &sum, const Visit &visit) {
#pragma unroll
    for (int e = 0; e < blocks_x * blocks_y * 2 * groups; ++e) {
      visit(sum[e / (blocks_y * 2 * groups)][e / (2 * groups) % blocks_y][e % (2 * groups)], e);
    }
  }

  __device__ __forceinline__ static void clear(Sums &sum) {
    for_each_sum(sum, [](double &x, int) { x = 0.0; });
  }

  __device__ __forceinline__ void load_x(float (&x)[groups * quads], const float *tile_b, int step, int block) const {
    const float *from = tile_b + first_x + columns * block * TileB::outer_step + depth * step * TileB::k_step;
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      x[groups * j] = from[4 * j * TileB::k_step];
      if constexpr (groups == 2) x[groups * j + 1] = from[4 * j * TileB::k_step + 8 * TileB::outer_step];
    }
  }
  __device__ __forceinline__ void load_y(float (&y)[blocks_y][quads], const float *tile_a, int step) const {
    const float *from = tile_a + first_y + depth * step * TileA::k_step;
#pragma unroll
    for (int b = 0; b < blocks_y; ++b) {
#pragma unroll
      for (int j = 0; j < quads; ++j) y[b][j] = from[8 * b * TileA::outer_step + 4 * j * TileA::k_step];
    }
  }

  // Adds the products of a k-step. `next` holds the first block row of X and all of Y; a block row is loaded while its
  // predecessor is multiplied. before_last() loads `next` for the following k-step. before_row(row) may issue other
  // work to overlap.
  template <class BeforeLast, class BeforeRow>
  __device__ __forceinline__ void multiply(Sums &sum, Floats &next, const float *tile_b, int step,
                                           const BeforeLast &before_last, const BeforeRow &before_row) const {
    double y[blocks_y][quads];
#pragma unroll
    for (int b = 0; b < blocks_y; ++b) {
#pragma unroll
      for (int j = 0; j < quads; ++j) y[b][j] = static_cast<double>(next.y[b][j]);
    }
#pragma unroll
    for (int row = 0; row < blocks_x; ++row) {
      double x[groups * quads];
#pragma unroll
      for (int e = 0; e < groups * quads; ++e) x[e] = static_cast<double>(next.x[e]);
      before_row(row);
      if (row + 1 < blocks_x) {
        load_x(next.x, tile_b, step, row + 1);
      } else {
        before_last();
      }
#pragma unroll
      for (int b = 0; b < blocks_y; ++b) ptx::mma_f64(sum[row][b], x, y[b]);
    }
  }

  template <class BeforeLast>
  __device__ __forceinline__ void multiply(Sums &sum, Floats &next, const float *tile_b, int step,
                                           const BeforeLast &before_last) const {
    multiply(sum, next, tile_b, step, before_last, [](int) {});
  }

  // C = alpha * sum + beta * C, rounded once, through patch_floats of `shared` for each warp, so that a warp stores
  // whole lines (docs/kernels/fp64.md).
  __device__ __forceinline__ void store(const Sums &sum, const OutputTile &out, float *shared) const {
    const bool vectors = (reinterpret_cast<uintptr_t>(out.c) % 16 | static_cast<uintptr_t>(out.ld) % 4) == 0;
    store_lines(sum, patch_of(out, shared), out.alpha, out.beta, vectors);
  }

  // `first` has MatrixPlace's functions. `vectors`: each four rows of a column are contiguous, and aligned to 16 bytes.
  template <class Place>
  __device__ __forceinline__ void store(const Sums &sum, const Place &first, int rows, int columns, float alpha,
                                        float beta, bool vectors, float *shared) const {
    store_lines(sum, patch_of(first, rows, columns, shared), alpha, beta, vectors);
  }

  // Stores a triangle of a tile on the diagonal.
  __device__ __forceinline__ void store_triangle(const Sums &sum, const OutputTile &out, float *shared,
                                                 bool upper) const {
    const int below = warp_row * Config::warp_m - warp_column * Config::warp_n;
    const auto inside = [=](int row, int column) { return upper ? below + row <= column : below + row >= column; };
    const Patch<MatrixPlace> patch = patch_of(out, shared);
    if (out.beta == 0.0f) return store_through<float, false>(sum, patch, out.alpha, out.beta, inside);
    store_through<float, true>(sum, patch, out.alpha, out.beta, inside);
  }

  template <class Visit>
  __device__ __forceinline__ void for_elements(Sums &sum, const Visit &visit) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp_row * Config::warp_m + lane % 4 * 2, column = warp_column * Config::warp_n + lane / 4;
#pragma unroll
    for (int c = 0; c < groups * blocks_x; ++c) {
#pragma unroll
      for (int b = 0; b < blocks_y; ++b) {
#pragma unroll
        for (int e = 0; e < 2; ++e) visit(sum[c / groups][b][c % groups * 2 + e], row + 8 * b + e, column + 8 * c);
      }
    }
  }

  __device__ __forceinline__ void store_partial(const Sums &sum, const PartialTile &out) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp_row * Config::warp_m + lane % 4 * 2, column = warp_column * Config::warp_n + lane / 4;
#pragma unroll
    for (int c = 0; c < groups * blocks_x; ++c) {
      if (column + 8 * c >= out.columns) break;
      Global<double> *to = out.sums + (column + 8 * c) * out.ld + row;
#pragma unroll
      for (int b = 0; b < blocks_y; ++b) {
        const double *s = &sum[c / groups][b][c % groups * 2];
        if (row + 8 * b < out.rows) *reinterpret_cast<double2 *>(to + 8 * b) = make_double2(s[0], s[1]);
      }
    }
  }

 private:
  // A warp's part of C.
  template <class Place>
  struct Patch {
    float *shared;
    int rows, columns;  // inside the matrix
    Place first;
  };

  template <class Place>
  __device__ __forceinline__ Patch<Place> patch_of(const Place &first, int rows, int columns, float *shared) const {
    return {shared + static_cast<int>(threadIdx.x) / 32 * patch_floats,
            min(rows - warp_row * Config::warp_m, Config::warp_m),
            min(columns - warp_column * Config::warp_n, Config::warp_n),
            first.from(warp_row * Config::warp_m, warp_column * Config::warp_n)};
  }
  __device__ __forceinline__ Patch<MatrixPlace> patch_of(const OutputTile &out, float *shared) const {
    return patch_of(MatrixPlace{out.c, out.ld}, out.rows, out.columns, shared);
  }

  template <class Place>
  __device__ __forceinline__ static void store_lines(const Sums &sum, const Patch<Place> &patch, float alpha,
                                                     float beta, bool vectors) {
    const auto all = [](int, int) { return true; };
    if (vectors && patch.rows == Config::warp_m) {
      if (beta == 0.0f) return store_through<float4, false>(sum, patch, alpha, beta, all);
      store_through<float4, true>(sum, patch, alpha, beta, all);
    } else {
      if (beta == 0.0f) return store_through<float, false>(sum, patch, alpha, beta, all);
      store_through<float, true>(sum, patch, alpha, beta, all);
    }
  }

  // Calls copy(place in shared memory, place in C) for each T, if wanted(row, column).
  template <typename T, class Place, class Wanted, class Copy>
  __device__ __forceinline__ static void for_lines(const Patch<Place> &patch, const Wanted &wanted, const Copy &copy) {
    constexpr int kWidth = sizeof(T) / sizeof(float), kLanes = Config::warp_m / kWidth, kColumns = 32 / kLanes;
    static_assert(kLanes * kWidth == Config::warp_m && kColumns * kLanes == 32, "lanes cover whole columns");
    const int lane = static_cast<int>(threadIdx.x) % 32, row = lane % kLanes * kWidth, column = lane / kLanes;
    if (row >= patch.rows) return;
    float *shared = patch.shared + column * patch_pitch + row;
    Place c = patch.first.from(row, column);
#pragma unroll
    for (int i = 0; i < Config::warp_n / kColumns; ++i, c.advance(kColumns)) {
      if (column + i * kColumns >= patch.columns) break;
      if (!wanted(row, column + i * kColumns)) continue;
      copy(reinterpret_cast<T *>(shared + i * kColumns * patch_pitch), reinterpret_cast<Global<T> *>(c.place()));
    }
  }

  template <typename T, bool kBeta, class Place, class Wanted>
  __device__ __forceinline__ static void store_through(const Sums &sum, const Patch<Place> &patch, float alpha,
                                                       float beta, const Wanted &wanted) {
    if constexpr (kBeta) {
      for_lines<T>(patch, wanted, [](T *shared, const Global<T> *c) { *shared = *c; });
      sync_warp();
    }
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int c = 0; c < groups * blocks_x; ++c) {
#pragma unroll
      for (int b = 0; b < blocks_y; ++b) {
        const double *s = &sum[c / groups][b][c % groups * 2];
        float2 *place =
            reinterpret_cast<float2 *>(patch.shared + (lane / 4 + 8 * c) * patch_pitch + 8 * b + lane % 4 * 2);
        if constexpr (kBeta) {
          const float2 old = *place;
          *place = make_float2(finished(alpha, s[0], beta, old.x), finished(alpha, s[1], beta, old.y));
        } else {
          *place = make_float2(finished(alpha, s[0]), finished(alpha, s[1]));
        }
      }
    }
    sync_warp();
    for_lines<T>(patch, wanted, [](const T *shared, Global<T> *c) { *c = *shared; });
  }
};

}  // namespace libsgemm::cuda
