// A warp's part of a product by the FP64 tensor cores (mma.sync), from tiles of floats (float_tile.cuh).
//
// The product of two floats is exact in FP64, and a sum of k of them keeps 29 bits more than FP32 has, so that the one
// rounding at the end gives the nearest float but in near ties. Conversions, addresses and guards cost nothing: an
// instruction keeps a scheduler's tensor core busy for 64 clocks (m8n8k4 of sm_80: 16), in which it can issue others.
//
// The instruction computes D = X Y + D, 16 x 8. X is made from B and Y from A, so that D is a block of C transposed.
//
//   D = C^T: warp_n x warp_m            lane 4 g + q of a 16 x 8 block: columns of C g and g + 8,
//   +-----+-----+-----+-- m             rows 2 q, and one more
//   |16x8 |     |     |
//   +-----+-----+-----+--               its elements of X: columns g and g + 8 of op(B) at steps q, q + 4, q + 8,
//   |     |     |     |                 q + 12 of k; of Y: row g of op(A) at the same steps
//   n
//
// m8n8k4 takes the columns g of it, and steps q of k.
//
// Where k is split, the sums of a slice go to the workspace as doubles.
//
// Source of the places: measured; NVIDIA, PTX ISA, mma.m16n8k16 and mma.m8n8k4 with .f64.
#pragma once

#include "float_tile.cuh"

namespace libsgemm::cuda {

// An instruction: columns of C and steps of k that it multiplies (rows always 8), and the first architecture with it.
template <int Columns, int Depth, int MinArch>
struct DmmaInstruction {
  static constexpr int columns = Columns, depth = Depth, min_arch = MinArch;
  static constexpr int groups = Columns / 8, quads = Depth / 4;  // of each, a lane has one column or step
  // In the code that is being compiled.
#ifdef __CUDA_ARCH__
  static constexpr bool exists = __CUDA_ARCH__ >= 10 * MinArch;
#else
  static constexpr bool exists = true;
#endif
};
using M16n8k16 = DmmaInstruction<16, 16, 90>;
using M8n8k4 = DmmaInstruction<8, 4, 80>;

// Where a block stores the sums of its slice: columns of p.partial_ld doubles, a multiple of 4, so that what a lane has
// of two rows stays in the column if the first row does.
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

template <class Config, class TileA, class TileB>
struct Dmma {
  using Instruction = typename Config::Instruction;
  static constexpr int columns = Instruction::columns, depth = Instruction::depth;
  static constexpr int groups = Instruction::groups, quads = Instruction::quads;
  static constexpr int blocks_x = Config::warp_n / columns, blocks_y = Config::warp_m / 8;
  static constexpr int steps = Config::tile_k / depth;

  // Of shared memory that store() needs for a warp: the columns of a block of its sums, as doubles.
  static constexpr int patch_pitch = Config::warp_m + 4;
  static constexpr int patch_bytes = columns * patch_pitch * static_cast<int>(sizeof(double));

  using Sums = double[blocks_x][blocks_y][2 * groups];
  // What is to be multiplied next, as it comes from shared memory.
  struct Floats {
    float x[groups * quads], y[blocks_y][quads];
  };

  int warp_row, warp_column;
  int first_x, first_y;  // of the lane, in the tiles

  __device__ __forceinline__ Dmma()
      : warp_row(static_cast<int>(threadIdx.x) / 32 % Config::warp_rows),
        warp_column(static_cast<int>(threadIdx.x) / 32 / Config::warp_rows) {
    const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, q = lane % 4;
    first_x = (warp_column * Config::warp_n + g) * TileB::outer_step + q * TileB::k_step;
    first_y = (warp_row * Config::warp_m + g) * TileA::outer_step + q * TileA::k_step;
  }

  __device__ __forceinline__ static void clear(Sums &sum) {
#pragma unroll
    for (int e = 0; e < blocks_x * blocks_y * 2 * groups; ++e) {
      sum[e / (blocks_y * 2 * groups)][e / (2 * groups) % blocks_y][e % (2 * groups)] = 0.0;
    }
  }

  // Block row `block` of X at step `step` of a tile.
  __device__ __forceinline__ void load_x(float (&x)[groups * quads], const float *tile_b, int step, int block) const {
    const float *from = tile_b + first_x + columns * block * TileB::outer_step + depth * step * TileB::k_step;
#pragma unroll
    for (int j = 0; j < quads; ++j) {
      x[groups * j] = from[4 * j * TileB::k_step];
      if constexpr (groups == 2) x[groups * j + 1] = from[4 * j * TileB::k_step + 8 * TileB::outer_step];
    }
  }
  // All of Y.
  __device__ __forceinline__ void load_y(float (&y)[blocks_y][quads], const float *tile_a, int step) const {
    const float *from = tile_a + first_y + depth * step * TileA::k_step;
#pragma unroll
    for (int b = 0; b < blocks_y; ++b) {
#pragma unroll
      for (int j = 0; j < quads; ++j) y[b][j] = from[8 * b * TileA::outer_step + 4 * j * TileA::k_step];
    }
  }

  // sum += the products of a step, of which `next` holds the first block row of X and all of Y; and loads the others
  // while their predecessors are multiplied. before_last() is called before the products of the last row, when all of
  // this step has been read, and loads `next` of the step behind it.
  template <class BeforeLast>
  __device__ __forceinline__ void multiply(Sums &sum, Floats &next, const float *tile_b, int step,
                                           const BeforeLast &before_last) const {
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
      if (row + 1 < blocks_x) {
        load_x(next.x, tile_b, step, row + 1);
      } else {
        before_last();
      }
#pragma unroll
      for (int b = 0; b < blocks_y; ++b) ptx::mma_f64(sum[row][b], x, y[b]);
    }
  }

  // C = alpha * sum + beta * C, rounded once. `shared`: patch_bytes for each warp.
  __device__ __forceinline__ void store(const Sums &sum, const OutputTile &out, double *shared) const {
    const bool pairs = (reinterpret_cast<uintptr_t>(out.c) % 8 | static_cast<uintptr_t>(out.ld) % 2) == 0;
    if (pairs && out.rows - warp_row * Config::warp_m >= Config::warp_m) {
      store_pairs(sum, out);
    } else {
      store_rows(sum, out, shared + static_cast<int>(threadIdx.x) / 32 * (columns * patch_pitch));
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
  __device__ __forceinline__ static float finished(const OutputTile &out, double sum, float old) {
    const double product = static_cast<double>(out.alpha) * sum;
    return static_cast<float>(out.beta != 0.0f ? fma(static_cast<double>(out.beta), static_cast<double>(old), product)
                                               : product);
  }

  // From the registers, where rows start at multiples of 8 bytes and the warp has all of its rows.
  __device__ __forceinline__ void store_pairs(const Sums &sum, const OutputTile &out) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp_row * Config::warp_m + lane % 4 * 2, column = warp_column * Config::warp_n + lane / 4;
#pragma unroll
    for (int c = 0; c < groups * blocks_x; ++c) {
      if (column + 8 * c >= out.columns) break;
      float *to = out.c + (column + 8 * c) * out.ld + row;
      float2 old[blocks_y];
#pragma unroll
      for (int b = 0; b < blocks_y; ++b) {
        old[b] = out.beta != 0.0f ? *reinterpret_cast<const float2 *>(to + 8 * b) : make_float2(0.0f, 0.0f);
      }
#pragma unroll
      for (int b = 0; b < blocks_y; ++b) {
        const double *s = &sum[c / groups][b][c % groups * 2];
        *reinterpret_cast<float2 *>(to + 8 * b) =
            make_float2(finished(out, s[0], old[b].x), finished(out, s[1], old[b].y));
      }
    }
  }

  // Otherwise through shared memory, a block's columns at once, so that consecutive lanes store consecutive rows.
  __device__ __forceinline__ void store_rows(const Sums &sum, const OutputTile &out, double *patch) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, first_row = warp_row * Config::warp_m;
#pragma unroll
    for (int x = 0; x < blocks_x; ++x) {
      const int first_column = warp_column * Config::warp_n + columns * x;
#pragma unroll
      for (int b = 0; b < blocks_y; ++b) {
#pragma unroll
        for (int e = 0; e < 2 * groups; ++e) {
          patch[(lane / 4 + e / 2 * 8) * patch_pitch + 8 * b + lane % 4 * 2 + e % 2] = sum[x][b][e];
        }
      }
      sync_warp();
#pragma unroll 4
      for (int e = lane; e < columns * Config::warp_m; e += 32) {
        const int row = e % Config::warp_m, column = e / Config::warp_m;
        if (first_row + row < out.rows && first_column + column < out.columns) {
          Global<float> *to = out.c + (first_column + column) * out.ld + first_row + row;
          *to = finished(out, patch[column * patch_pitch + row], out.beta != 0.0f ? *to : 0.0f);
        }
      }
      sync_warp();
    }
  }
};

}  // namespace libsgemm::cuda
