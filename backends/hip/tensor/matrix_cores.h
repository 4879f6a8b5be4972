// The elements of fragments and accumulators in a lane, and the product of two fragments, for matrix.h.
//
// FP32 (MfmaFloats) is true FP32: AMD documents for MI200 (gfx90a) that these instructions keep denormals, and names no
// chip where they do not. The 16-bit types (MfmaWords, WmmaWords) multiply exactly and add in FP32; MI200, which
// flushes their denormals, is left out. Denormals have not been tested on AMD hardware yet. Members of each struct:
//
//   depth        k of a fragment
//   parts        instructions that multiply two fragments
//   Element      type of an element in LDS
//   kConverts    convert() changes FP32 operands before they are stored in LDS, in `conversions` pieces of work of
//                conversion_slots instructions
//   kStages      k-tiles that are fetched ahead of the one that is stored next
#pragma once

#include "contract/desc.h"
#include "matrix_ops.h"

namespace libsgemm::hip {

// v_mfma_f32_32x32x2f32 (gfx908, 90a, 942, 950). A lane holds element (lane % 32, k + lane / 32) of a fragment. D:
// column lane % 32, rows 8 (r / 4) + 4 (lane / 32) + r % 4 for r < 16.
struct MfmaFloats {
#if defined(LIBSGEMM_HIP_MFMA)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
  static constexpr int wave = 64, block = 32, depth = 2, parts = 1;
  static constexpr int sums = 16;  // accumulators of a lane in a block
  static constexpr bool kConverts = false;
  static constexpr int kStages = 1;
  using Element = float;
  using Real = float;  // type of the accumulators
  using Sums = Floats16;
  using Fragment = float;

  // Row of a lane's element r of D: sum_outer(lane) + sum_step(r).
  __device__ __forceinline__ static int sum_outer(int lane) { return 4 * (lane / 32); }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return 8 * (r / 4) + r % 4; }

  // Reads rows from outer + 32 * blocks on, at one step of the tile [k][pitch].
  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    const int first = lane / 32 * Tile::pitch + outer + lane % 32;
    return tile[first + 2 * step * Tile::pitch + 32 * blocks];
  }
  __device__ __forceinline__ static Sums multiply([[maybe_unused]] Fragment x, [[maybe_unused]] Fragment y, int,
                                                  Sums sums) {
#if defined(LIBSGEMM_HIP_MFMA)
    return ops::mfma_f32_32x32x2f32(x, y, sums);
#else
    return sums;
#endif
  }
};

// v_mfma_f64_16x16x4f64 (gfx90a, 942, 950), for FP32 operands. A lane holds element (lane % 16, k + lane / 16) of a
// fragment. D: column lane % 16, rows 4 r + lane / 16 for r < 4.
struct MfmaDoubles {
#if defined(LIBSGEMM_HIP_MFMA_F64)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
  static constexpr int wave = 64, block = 16, depth = 4, parts = 1;
  static constexpr int sums = 4;
  static constexpr bool kConverts = true;
  using Element = double;
  using Real = double;
  using Sums = Doubles4;
  using Fragment = double;

  static constexpr int kStages = 1;
  template <int kWidth>
  static constexpr int conversions = 1;
  template <int kWidth, int>
  __device__ __forceinline__ static void convert(const float *from, double *to) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) to[i] = from[i];
  }

  __device__ __forceinline__ static int sum_outer(int lane) { return lane / 16; }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return 4 * r; }

  template <class Tile>
  __device__ __forceinline__ static Fragment read(const double *tile, int lane, int outer, int blocks, int step) {
    const int first = lane / 16 * Tile::pitch + outer + lane % 16;
    return tile[first + 4 * step * Tile::pitch + 16 * blocks];
  }
  __device__ __forceinline__ static Sums multiply([[maybe_unused]] Fragment x, [[maybe_unused]] Fragment y, int,
                                                  Sums sums) {
#if defined(LIBSGEMM_HIP_MFMA_F64)
    return ops::mfma_f64_16x16x4f64(x, y, sums);
#else
    return sums;
#endif
  }
};

// v_mfma_f32_32x32x4_xf32 (gfx942). A lane holds element (lane % 32, k + 2 (lane / 32)) of a fragment and the next one
// along k. D is as in MfmaFloats.
struct MfmaXf32 {
#if defined(LIBSGEMM_HIP_MFMA_XF32)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
  static constexpr int wave = 64, block = 32, depth = 4, parts = 1;
  static constexpr int sums = 16;
  static constexpr bool kConverts = true;
  using Element = float;
  using Real = float;
  using Sums = Floats16;
  using Fragment = Floats2;

  static constexpr int kStages = 2;
  template <int kWidth>
  static constexpr int conversions = kWidth == 4 ? 7 : 1;
  static constexpr int conversion_slots = 2;
  // Rounds to nearest, ties to even. Adding 2^-100 of the original value changes no number, and makes a NaN quiet.
  // Without it the matrix cores, which might ignore low bits, could take a NaN for Inf.
  template <int kWidth, int kPart>
  __device__ __forceinline__ static void convert([[maybe_unused]] const float *from, [[maybe_unused]] float *to) {
#if defined(LIBSGEMM_HIP_MFMA_XF32)
    const auto round = [](float x) {
      const uint32_t bits = ops::bits_as<uint32_t>(x);
      return ops::bits_as<float>(bits + 0xfffu + (bits >> 13 & 1u));
    };
    const auto cut = [](float x) { return ops::bits_as<float>(ops::bits_as<uint32_t>(x) & ~0x1fffu); };
    if constexpr (kWidth == 1) {
      to[0] = fmaf(from[0], 0x1p-100f, cut(round(from[0])));
    } else if constexpr (kPart < 4) {
      to[kPart] = round(from[kPart]);
      gpu::pin(to[kPart]);  // otherwise the compiler computes it where it is used
    } else {
#pragma unroll
      for (int i = kPart == 5 ? 2 : 0; i < (kPart == 4 ? 2 : 4); i += 2) {
        if constexpr (kPart < 6) {
          to[i] = cut(to[i]), to[i + 1] = cut(to[i + 1]);
          gpu::pin(to[i]);
          gpu::pin(to[i + 1]);
        } else {
          const Floats2 sum = ops::fused(Floats2{from[i], from[i + 1]}, 0x1p-100f, Floats2{to[i], to[i + 1]});
          to[i] = sum[0], to[i + 1] = sum[1];
        }
      }
    }
#endif
  }

  __device__ __forceinline__ static int sum_outer(int lane) { return MfmaFloats::sum_outer(lane); }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return MfmaFloats::sum_step(r); }

  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    const int at = (lane / 32 * 2 + 4 * step) * Tile::pitch + outer + lane % 32 + 32 * blocks;
    return Floats2{tile[at], tile[at + Tile::pitch]};
  }
  __device__ __forceinline__ static Sums multiply([[maybe_unused]] Fragment x, [[maybe_unused]] Fragment y, int,
                                                  Sums sums) {
#if defined(LIBSGEMM_HIP_MFMA_XF32)
    return ops::mfma_f32_32x32x4_xf32(x, y, sums);
#else
    return sums;
#endif
  }
};

// MFMA of 32 x 32 (gfx908, 942, 950). A lane reads a unit (unit_tile.h): its half wave's eight k of row lane % 32. On
// gfx950 an instruction takes all of them, elsewhere four from each half (two for bfloat16 on gfx908), the same k in
// both operands. D is as in MfmaFloats.
template <Type kType>
struct MfmaWords {
#if defined(LIBSGEMM_HIP_MFMA) && !defined(__gfx90a__)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
#if defined(LIBSGEMM_HIP_MFMA_K16)
  static constexpr int parts = 1;
#elif defined(LIBSGEMM_HIP_MFMA_BF16_1K)
  static constexpr int parts = 2;
#else
  static constexpr int parts = kType == Type::f16 ? 2 : 4;
#endif
  static constexpr int wave = 64, block = 32, depth = 16;
  static constexpr int sums = 16;
  static constexpr bool kConverts = false;
  static constexpr int kStages = 2;
  using Element = float;
  using Real = float;
  using Sums = Floats16;
  using Fragment = Words4;

  __device__ __forceinline__ static int sum_outer(int lane) { return MfmaFloats::sum_outer(lane); }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return MfmaFloats::sum_step(r); }

  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    return Tile::unit(tile, 2 * step + lane / 32, outer + 32 * blocks, lane % 32);
  }
  __device__ __forceinline__ static Sums multiply([[maybe_unused]] Fragment x, [[maybe_unused]] Fragment y,
                                                  [[maybe_unused]] int part, Sums sums) {
#if defined(LIBSGEMM_HIP_MFMA_K16)
    return kType == Type::f16 ? ops::mfma_f32_32x32x16_f16(x, y, sums) : ops::mfma_f32_32x32x16_bf16(x, y, sums);
#elif defined(LIBSGEMM_HIP_MFMA)
    const int i = 2 * part;
    if constexpr (kType == Type::f16) {
      return ops::mfma_f32_32x32x8f16(Words2{x[i], x[i + 1]}, Words2{y[i], y[i + 1]}, sums);
    } else {
#if defined(LIBSGEMM_HIP_MFMA_BF16_1K)
      return ops::mfma_f32_32x32x8bf16_1k(Words2{x[i], x[i + 1]}, Words2{y[i], y[i + 1]}, sums);
#else
      return ops::mfma_f32_32x32x4bf16(x[part], y[part], sums);
#endif
    }
#else
    return sums;
#endif
  }
};

// v_wmma_f32_16x16x16 in waves of 32. gfx11: a lane holds all 16 k of row lane % 16, in both halves of the wave; D:
// column lane % 16, rows 2 r + lane / 16 for r < 8. gfx12: a lane holds its half's eight k of row lane % 16; D: column
// lane % 16, rows 8 (lane / 16) + r.
template <Type kType>
struct WmmaWords {
#if defined(LIBSGEMM_HIP_WMMA_GFX11) || defined(LIBSGEMM_HIP_WMMA_GFX12)
  static constexpr bool available = true;
#else
  static constexpr bool available = false;
#endif
  static constexpr int wave = 32, block = 16, depth = 16, parts = 1;
  static constexpr int sums = 8;
  static constexpr bool kConverts = false;
  static constexpr int kStages = 1;
  using Element = float;
  using Real = float;
  using Sums = Floats8;

#if defined(LIBSGEMM_HIP_WMMA_GFX12)
  using Fragment = Words4;
  __device__ __forceinline__ static int sum_outer(int lane) { return 8 * (lane / 16); }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return r; }
  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    return Tile::unit(tile, 2 * step + lane / 16, outer + blocks / 2 * 32, blocks % 2 * 16 + lane % 16);
  }
  __device__ __forceinline__ static Sums multiply(Fragment x, Fragment y, int, Sums sums) {
    return kType == Type::f16 ? ops::wmma_f32_16x16x16_f16_gfx12(x, y, sums)
                              : ops::wmma_f32_16x16x16_bf16_gfx12(x, y, sums);
  }
#else
  using Fragment = Words8;
  __device__ __forceinline__ static int sum_outer(int lane) { return lane / 16; }
  __device__ __forceinline__ static constexpr int sum_step(int r) { return 2 * r; }
  template <class Tile>
  __device__ __forceinline__ static Fragment read(const float *tile, int lane, int outer, int blocks, int step) {
    gpu::pin(lane);  // addresses kept in registers would make fragments spill
    const int first = outer + blocks / 2 * 32, row = blocks % 2 * 16 + lane % 16;
    const Words4 low = Tile::unit(tile, 2 * step, first, row), high = Tile::unit(tile, 2 * step + 1, first, row);
    return Words8{low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
  }
  __device__ __forceinline__ static Sums multiply([[maybe_unused]] Fragment x, [[maybe_unused]] Fragment y, int,
                                                  Sums sums) {
#if defined(LIBSGEMM_HIP_WMMA_GFX11)
    return kType == Type::f16 ? ops::wmma_f32_16x16x16_f16(x, y, sums) : ops::wmma_f32_16x16x16_bf16(x, y, sums);
#else
    return sums;
#endif
  }
#endif
};

}  // namespace libsgemm::hip
