// A warp's part of a product by mma.sync, with fragments read by ldmatrix (sm_75; of bf16 and tf32 sm_80).
//
// The instruction computes D = X Y + D, 16 x 8. X is made from B and Y from A, so that D is a block of C transposed: a
// lane holds two adjacent rows of a column of C, and 8 bytes of each of 8 columns make whole 32-byte sectors.
//
//   D = C^T: warp_n x warp_m            lane l of a 16 x 8 block: columns of C l / 4 and l / 4 + 8,
//   +-----+-----+-----+-- m             rows 2 (l % 4), and one more
//   |16x8 |     |     |
//   +-----+-----+-----+--               an instruction reads 32 bytes of k of each row: k 16 (f16, bf16) or 8 (tf32)
//   |     |     |     |
//   n
//
// Both operands are read alike: along k as they lie, otherwise transposed by ldmatrix. It cannot transpose 32-bit
// elements, so those of TF32 must lie along k.
#pragma once

#include "tensor_tile.cuh"

namespace libsgemm::cuda {

// The layout that the engine reads.
template <Number kNumber, int Outer, int Depth, int Threads, bool AlongK>
struct MmaTileOf {
  static_assert(kNumber != Number::tf32 || AlongK, "ldmatrix transposes 16-bit elements only");
  using type = TensorTile<kNumber, Outer, Depth, Threads, AlongK, Swizzled>;
};

// Where a lane reads blocks of 16 outer elements x 32 bytes of k of an operand's tile. `kX`: as X, four registers of
// one block; else as Y, two registers of each of two blocks of 8.
template <class Tile, bool kX>
struct MmaReader {
  static constexpr int pitch = Tile::Layout::pitch;

  uint32_t base;

  // `first`: outer element of the warp's first block.
  __device__ __forceinline__ MmaReader(const char *tile, int first) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // Of ldmatrix' four matrices the odd ones are next along the address' rows, or along its chunks.
    constexpr bool kRowsFirst = kX == Tile::along_k;
    const int row = kRowsFirst ? lane % 16 : lane % 8 + lane / 16 * 8;
    const int chunk = kRowsFirst ? lane / 16 : lane / 8 % 2;
    const int first_row = Tile::along_k ? first : 0, first_chunk = Tile::along_k ? 0 : first / Tile::per_chunk;
    base = ptx::shared_address(tile) + Tile::Layout::at(first_row + row, first_chunk + chunk);
  }

  // Block `block` at step `step` of the tile that lies `offset` bytes behind the first.
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

  // Of shared memory that store() needs for a warp: 16 columns of its sums. Pairs of lanes' rows lie in different
  // banks.
  static constexpr int patch_pitch = Config::warp_m + 8;
  static constexpr int patch_bytes = 16 * patch_pitch * static_cast<int>(sizeof(float));

  using Sums = float[blocks_x][blocks_y][4];
  static constexpr int sums = blocks_x * blocks_y * 4;
  struct Fragments {
    uint32_t x[blocks_x][4], y[blocks_y / 2][4];
  };

  // Of a warp among those of all groups.
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

  // A thread's sums on their way to another one, by way of shared memory: `step` floats apart.
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

  // sum += op(A) * op(B) of these fragments; kFresh: sum = that. Every other row of blocks runs backwards.
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

  // C, or a slice of the workspace. `scale`: exponents of the rows and columns, or nothing (see split_product.cuh).
  // `shared`: patch_bytes for each warp.
  template <class Scale>
  __device__ __forceinline__ void store(const Sums &sum, const OutputTile &out, const Scale &scale,
                                        char *shared) const {
    const bool pairs = (reinterpret_cast<uintptr_t>(out.c) % 8 | static_cast<uintptr_t>(out.ld) % 2) == 0;
    if (pairs && out.rows - warp_row * Config::warp_m >= Config::warp_m) {
      store_pairs(sum, out, scale);
    } else {
      store_rows(sum, out, scale, shared + static_cast<int>(threadIdx.x) / 32 * patch_bytes);
    }
  }

 private:
  // The lane's sums of rows `row` + 8 j and one more, column number c of its columns.
  template <class Scale>
  __device__ __forceinline__ static float2 pair(const Sums &sum, const Scale &scale, float alpha, int c, int j, int row,
                                                int column) {
    const float *s = &sum[c / 2][j][c % 2 * 2];
    return make_float2(alpha * scale(s[0], row + 8 * j, column), alpha * scale(s[1], row + 8 * j + 1, column));
  }

  // From the registers, where rows start at multiples of 8 bytes and the warp has all of its rows.
  template <class Scale>
  __device__ __forceinline__ void store_pairs(const Sums &sum, const OutputTile &out, const Scale &scale) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = warp_row * Config::warp_m + lane % 4 * 2, column = warp_column * Config::warp_n + lane / 4;
#pragma unroll
    for (int c = 0; c < 2 * blocks_x; ++c) {
      const int at_column = column + c * 8;
      if (at_column >= out.columns) break;
      float *to = out.c + at_column * out.ld + row;
      float2 v[blocks_y];
#pragma unroll
      for (int j = 0; j < blocks_y; ++j) v[j] = pair(sum, scale, out.alpha, c, j, row, at_column);
      if (out.beta != 0.0f) {
#pragma unroll
        for (int j = 0; j < blocks_y; ++j) {
          const float2 old = *reinterpret_cast<const float2 *>(to + 8 * j);
          v[j] = make_float2(fmaf(out.beta, old.x, v[j].x), fmaf(out.beta, old.y, v[j].y));
        }
      }
#pragma unroll
      for (int j = 0; j < blocks_y; ++j) *reinterpret_cast<float2 *>(to + 8 * j) = v[j];
    }
  }

  // Otherwise through shared memory, 16 columns at once, so that consecutive lanes store consecutive rows.
  template <class Scale>
  __device__ __forceinline__ void store_rows(const Sums &sum, const OutputTile &out, const Scale &scale,
                                             char *shared) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int first_row = warp_row * Config::warp_m, row = first_row + lane % 4 * 2;
    float *patch = reinterpret_cast<float *>(shared);
#pragma unroll
    for (int i = 0; i < blocks_x; ++i) {
      const int first_column = warp_column * Config::warp_n + 16 * i;
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const int column = lane / 4 + 8 * c;
#pragma unroll
        for (int j = 0; j < blocks_y; ++j) {
          *reinterpret_cast<float2 *>(patch + column * patch_pitch + lane % 4 * 2 + 8 * j) =
              pair(sum, scale, out.alpha, 2 * i + c, j, row, first_column + column);
        }
      }
      sync_warp();
#pragma unroll 8
      for (int e = lane; e < 16 * Config::warp_m; e += 32) {
        const int of_row = e % Config::warp_m, of_column = e / Config::warp_m;
        if (first_row + of_row < out.rows && first_column + of_column < out.columns) {
          out.write(out.c + (first_column + of_column) * out.ld + first_row + of_row,
                    patch[of_column * patch_pitch + of_row]);
        }
      }
      sync_warp();
    }
  }
};

}  // namespace libsgemm::cuda
