// A warp's part of a product by mma.sync, with fragments read by ldmatrix (sm_75; sm_80 for bf16 and tf32).
//
// An instruction computes D = X Y + D, 16 x 8, with 32 bytes of k. X comes from B and Y from A, so D is a block of C
// transposed (docs/kernels/mma.md). Lane l has columns l / 4 and l / 4 + 8 of C, rows 2 (l % 4) and the next.
//
// ldmatrix transposes MN-major operands, but only 16-bit ones: TF32 operands must be K-major.
#pragma once

#include "tensor_tile.cuh"

namespace libsgemm::cuda {

template <Number kNumber, int Outer, int Depth, int Threads, bool AlongK>
struct MmaTileOf {
  static_assert(kNumber != Number::tf32 || AlongK, "ldmatrix transposes 16-bit elements only");
  using type = TensorTile<kNumber, Outer, Depth, Threads, AlongK, Swizzled>;
};

// Reads an operand's tile in blocks of 16 outer elements x 32 bytes of k: as X, or else as two blocks of 8 of Y.
template <class Tile, bool kX>
struct MmaReader {
  static constexpr int pitch = Tile::Layout::pitch;

  uint32_t base;

  // `first`: outer element of the warp's first block.
  __device__ __forceinline__ MmaReader(const char *tile, int first) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // ldmatrix reads four matrices; the odd ones follow the even ones along the rows, or along the chunks.
    constexpr bool kRowsFirst = kX == Tile::along_k;
    const int row = kRowsFirst ? lane % 16 : lane % 8 + lane / 16 * 8;
    const int chunk = kRowsFirst ? lane / 16 : lane / 8 % 2;
    const int first_row = Tile::along_k ? first : 0, first_chunk = Tile::along_k ? 0 : first / Tile::per_chunk;
    base = ptx::shared_address(tile) + Tile::Layout::at(first_row + row, first_chunk + chunk);
  }

  // `offset`: bytes from the first stage to the tile's.
  __device__ __forceinline__ void load(uint32_t (&to)[4], int offset, int step, int block) const {
    if constexpr (Tile::along_k) {
      ptx::load_matrices(to, Tile::Layout::further(base + offset, 32 * step) + block * 16 * pitch);
    } else {
      ptx::load_matrices_transposed(to, Tile::Layout::further(base + offset, 32 * block) + step * 16 * pitch);
    }
  }
};

template <class Config, class TileA, class TileB>
struct MmaEngine {
  static constexpr int steps = Config::tile_k * TileA::element_bytes / 32;
  static constexpr int blocks_x = Config::warp_n / 16, blocks_y = Config::warp_m / 8;

  // Shared memory of store(): 16 columns of each warp, without bank conflicts.
  static constexpr int patch_columns = 16 * Config::warp_columns, patch_pitch = Config::tile_m + 8;
  static constexpr int patch_bytes = patch_columns * patch_pitch * static_cast<int>(sizeof(float));

  using Sums = float[blocks_x][blocks_y][4];
  static constexpr int sums = blocks_x * blocks_y * 4;
  struct Fragments {
    uint32_t x[blocks_x][4], y[blocks_y / 2][4];
  };

  __device__ __forceinline__ static int column_of(int index) {
    return Config::k_groups == 1 ? index : index % Config::warp_columns;
  }

  int warp_row, warp_column;
  MmaReader<TileB, true> x;
  MmaReader<TileA, false> y;

  __device__ __forceinline__ MmaEngine(const char *a, const char *b)
      : warp_row(static_cast<int>(threadIdx.x) / 32 % Config::warp_rows),
        warp_column(column_of(static_cast<int>(threadIdx.x) / 32 / Config::warp_rows)),
        x(b, warp_column * Config::warp_n),
        y(a, warp_row * Config::warp_m) {}

  __device__ __forceinline__ void load(Fragments *f, int offset_a, int offset_b, int step) const {
#pragma unroll
    for (int i = 0; i < blocks_x; ++i) x.load(f->x[i], offset_b, step, i);
#pragma unroll
    for (int j = 0; j < blocks_y / 2; ++j) y.load(f->y[j], offset_a, step, j);
  }

  __device__ __forceinline__ static void clear(Sums &sum) {
#pragma unroll
    for (int e = 0; e < sums; ++e) sum[e / (blocks_y * 4)][e / 4 % blocks_y][e % 4] = 0.0f;
  }

  __device__ __forceinline__ static void scale(Sums &sum, float factor) {
#pragma unroll
    for (int e = 0; e < sums; ++e) sum[e / (blocks_y * 4)][e / 4 % blocks_y][e % 4] *= factor;
  }

  // `step`: floats between a thread's accumulators.
  __device__ __forceinline__ static void put(const Sums &sum, float *shared, int step) {
#pragma unroll
    for (int e = 0; e < sums; ++e) shared[e * step] = sum[e / (blocks_y * 4)][e / 4 % blocks_y][e % 4];
  }
  __device__ __forceinline__ static void add(Sums &sum, const float *shared, int step) {
#pragma unroll
    for (int e = 0; e < sums; ++e) sum[e / (blocks_y * 4)][e / 4 % blocks_y][e % 4] += shared[e * step];
  }

  // sum += part; kClear: part = 0.
  template <bool kClear>
  __device__ __forceinline__ static void promote(Sums &sum, Sums &part) {
#pragma unroll
    for (int i = 0; i < blocks_x; ++i) {
#pragma unroll
      for (int j = 0; j < blocks_y; ++j) {
#pragma unroll
        for (int r = 0; r < 4; ++r) {
          sum[i][j][r] += part[i][j][r];
          if constexpr (kClear) part[i][j][r] = 0.0f;
        }
      }
    }
  }

  __device__ __forceinline__ static void multiply(Sums &sum, const Fragments &f) { multiply(sum, f.x, f.y); }

  // sum += op(A) op(B); kFresh: sum = op(A) op(B). Every other row of blocks runs backwards.
  template <bool kFresh = false>
  __device__ __forceinline__ static void multiply(Sums &sum, const uint32_t (&fx)[blocks_x][4],
                                                  const uint32_t (&fy)[blocks_y / 2][4]) {
#pragma unroll
    for (int i = 0; i < blocks_x; ++i) {
#pragma unroll
      for (int jj = 0; jj < blocks_y; ++jj) {
        const int j = i % 2 == 0 ? jj : blocks_y - 1 - jj;
        const uint32_t *y_block = &fy[j / 2][j % 2 * 2];
        if constexpr (Config::number == Number::f16) ptx::mma_f16<kFresh>(sum[i][j], fx[i], y_block);
        if constexpr (Config::number == Number::bf16) ptx::mma_bf16<kFresh>(sum[i][j], fx[i], y_block);
        if constexpr (Config::number == Number::tf32) ptx::mma_tf32<kFresh>(sum[i][j], fx[i], y_block);
      }
    }
  }

  // Stores C, or a slice in the workspace, through shared memory (docs/kernels/mma.md). `scale` applies exponents of
  // the rows and columns (split_product.cuh). `holds`: this thread has accumulators.
  template <class Scale>
  __device__ __forceinline__ void store(const Sums &sum, const OutputTile &out, const Scale &scale, char *shared,
                                        bool holds = true) const {
    float *patch = reinterpret_cast<float *>(shared);
#pragma unroll
    for (int i = 0; i < blocks_x; ++i) {
      if (i > 0) __syncthreads();
      if (holds) fill_patch(sum, out.alpha, scale, patch, i);
      __syncthreads();
      if (out.beta != 0.0f) {
        store_columns<true>(out, patch, i);
      } else {
        store_columns<false>(out, patch, i);
      }
    }
  }

 private:
  template <class Scale>
  __device__ __forceinline__ void fill_patch(const Sums &sum, float alpha, const Scale &scale, float *patch,
                                             int i) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, row = warp_row * Config::warp_m + lane % 4 * 2;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int of_warp = lane / 4 + 8 * c, column = warp_column * Config::warp_n + 16 * i + of_warp;
      float *to = patch + (warp_column * 16 + of_warp) * patch_pitch + row;
#pragma unroll
      for (int j = 0; j < blocks_y; ++j) {
        const float *s = &sum[i][j][2 * c];
        *reinterpret_cast<float2 *>(to + 8 * j) =
            make_float2(alpha * scale(s[0], row + 8 * j, column), alpha * scale(s[1], row + 8 * j + 1, column));
      }
    }
  }

  // A warp takes columns of the patch, a line of the L2 cache at a time.
  template <bool kBeta>
  __device__ __forceinline__ static void store_columns(const OutputTile &out, const float *patch, int i) {
    constexpr int kWarps = Config::threads / 32, kLine = 32;               // floats
    [[maybe_unused]] constexpr int kAtOnce = Config::tile_m > 64 ? 1 : 4;  // else registers spill
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll kAtOnce
    for (int mine = warp; mine < patch_columns; mine += kWarps) {
      const int column = mine / 16 * Config::warp_n + 16 * i + mine % 16;
      if (column >= out.columns) continue;
      Global<float> *to = out.c + column * out.ld;
      const int first = lane - static_cast<int>(reinterpret_cast<uintptr_t>(to) / sizeof(float) % kLine);
      const float *from = patch + mine * patch_pitch + first;
      to += first;
      const auto inside = [&](int i) {
        return static_cast<unsigned>(first + kLine * i) < static_cast<unsigned>(out.rows);
      };
      // All reads come first, so that none waits for a write.
      constexpr int kLines = Config::tile_m / kLine + 1;
      float old[kLines];
      if constexpr (kBeta) {
#pragma unroll
        for (int i = 0; i < kLines; ++i) old[i] = inside(i) ? to[kLine * i] : 0.0f;
      }
#pragma unroll
      for (int i = 0; i < kLines; ++i) {
        if (!inside(i)) continue;
        to[kLine * i] = kBeta ? accumulated(from[kLine * i], out.beta, old[i]) : from[kLine * i];
      }
    }
  }
};

}  // namespace libsgemm::cuda
