// A warp's part of a product by nvcuda::wmma (f16 from sm_75; bf16 and tf32 from sm_80).
//
// wmma does not specify which lane holds which element, so rows are padded instead of swizzled, and accumulators go to
// C through shared memory, 16 columns of each warp at a time.
#pragma once

#include <mma.h>

#include <cstring>
#include <type_traits>

#include "tensor_tile.cuh"

namespace libsgemm::cuda {

// Types of elements in memory and in nvcuda::wmma. Before sm_80 no kernel uses bf16 and tf32, which then equal f16.
template <Number kNumber>
struct WmmaElement {
  using Memory = __half;
  using Type = __half;
  static constexpr int k = 16;
};
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <>
struct WmmaElement<Number::bf16> {
  using Memory = __nv_bfloat16;
  using Type = __nv_bfloat16;
  static constexpr int k = 16;
};
template <>
struct WmmaElement<Number::tf32> {
  using Memory = float;
  using Type = nvcuda::wmma::precision::tf32;
  static constexpr int k = 8;
};
#endif

template <class Fragment>
struct FragmentTraits;
template <class Use, int M, int N, int K, typename Type, class Layout>
struct FragmentTraits<nvcuda::wmma::fragment<Use, M, N, K, Type, Layout>> {
  static constexpr bool is_a = std::is_same_v<Use, nvcuda::wmma::matrix_a>;
  static constexpr bool row_major = std::is_same_v<Layout, nvcuda::wmma::row_major>;
};

template <Number kNumber, int Outer, int Depth, int Threads, bool AlongK>
struct WmmaTileOf {
  using type = TensorTile<kNumber, Outer, Depth, Threads, AlongK, Padded>;
};

// load_matrix_sync() reads bfloat16 and TF32 from generic addresses only, so PTX replaces it.
template <Number kNumber, class Fragment>
__device__ __forceinline__ void load_fragment(Fragment &f, const char *shared, int pitch) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (kNumber != Number::f16) {
    constexpr bool kA = FragmentTraits<Fragment>::is_a, kRowMajor = FragmentTraits<Fragment>::row_major;
    uint32_t bits[4];
    static_assert(sizeof f.x == sizeof bits, "a fragment is its registers");
    if constexpr (kNumber == Number::bf16) {
      ptx::load_wmma_bf16<kA, kRowMajor>(bits, ptx::shared_address(shared), pitch);
    } else {
      ptx::load_wmma_tf32<kA, kRowMajor>(bits, ptx::shared_address(shared), pitch);
    }
    memcpy(f.x, bits, sizeof bits);
    return;
  }
#endif
  using Memory = typename WmmaElement<kNumber>::Memory;
  nvcuda::wmma::load_matrix_sync(f, reinterpret_cast<const Memory *>(shared), pitch);
}

template <class Config, class TileA, class TileB>
struct WmmaEngine {
  using Element = WmmaElement<Config::number>;
  static constexpr int depth = Element::k, steps = Config::tile_k / depth;
  static constexpr int blocks_m = Config::warp_m / 16, blocks_n = Config::warp_n / 16;
  using LayoutA = std::conditional_t<TileA::along_k, nvcuda::wmma::row_major, nvcuda::wmma::col_major>;
  using LayoutB = std::conditional_t<TileB::along_k, nvcuda::wmma::col_major, nvcuda::wmma::row_major>;
  using FragmentA = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, depth, typename Element::Type, LayoutA>;
  using FragmentB = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, depth, typename Element::Type, LayoutB>;
  using Sum = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, depth, float>;
  using Sums = Sum[blocks_m][blocks_n];
  struct Fragments {
    FragmentA a[blocks_m];
    FragmentB b[blocks_n];
  };
  static constexpr int pitch_a = TileA::Layout::pitch / TileA::element_bytes;
  static constexpr int pitch_b = TileB::Layout::pitch / TileB::element_bytes;
  static constexpr int patch_pitch = Config::warp_m + 4;
  static constexpr int warp_patch_bytes = 4 * 16 * patch_pitch, patch_bytes = Config::threads / 32 * warp_patch_bytes;

  int warp_row, warp_column;
  const char *a, *b;

  __device__ __forceinline__ WmmaEngine(const char *tile_a, const char *tile_b)
      : warp_row(static_cast<int>(threadIdx.x) / 32 % Config::warp_rows),
        warp_column(static_cast<int>(threadIdx.x) / 32 / Config::warp_rows) {
    const int row = warp_row * Config::warp_m, column = warp_column * Config::warp_n;
    a = tile_a + (TileA::along_k ? row * TileA::Layout::pitch : row * TileA::element_bytes);
    b = tile_b + (TileB::along_k ? column * TileB::Layout::pitch : column * TileB::element_bytes);
  }

  __device__ __forceinline__ void load(Fragments *f, int offset_a, int offset_b, int step) const {
    constexpr int kByK = depth * TileA::element_bytes;
#pragma unroll
    for (int i = 0; i < blocks_m; ++i) {
      const int at = TileA::along_k ? step * kByK + i * 16 * TileA::Layout::pitch
                                    : step * depth * TileA::Layout::pitch + i * 16 * TileA::element_bytes;
      load_fragment<Config::number>(f->a[i], a + offset_a + at, pitch_a);
    }
#pragma unroll
    for (int j = 0; j < blocks_n; ++j) {
      const int at = TileB::along_k ? step * kByK + j * 16 * TileB::Layout::pitch
                                    : step * depth * TileB::Layout::pitch + j * 16 * TileB::element_bytes;
      load_fragment<Config::number>(f->b[j], b + offset_b + at, pitch_b);
    }
    if constexpr (Config::number == Number::tf32) {
#pragma unroll
      for (int i = 0; i < blocks_m; ++i) round(f->a[i]);
#pragma unroll
      for (int j = 0; j < blocks_n; ++j) round(f->b[j]);
    }
  }

  __device__ __forceinline__ static void clear(Sums &sum) {
#pragma unroll
    for (int b = 0; b < blocks_m * blocks_n; ++b) nvcuda::wmma::fill_fragment(sum[b / blocks_n][b % blocks_n], 0.0f);
  }

  __device__ __forceinline__ static void multiply(Sums &sum, const Fragments &f) {
#pragma unroll
    for (int i = 0; i < blocks_m; ++i) {
#pragma unroll
      for (int jj = 0; jj < blocks_n; ++jj) {
        const int j = i % 2 == 0 ? jj : blocks_n - 1 - jj;
        nvcuda::wmma::mma_sync(sum[i][j], f.a[i], f.b[j], sum[i][j]);
      }
    }
  }

  template <class Scale>
  __device__ __forceinline__ void store(Sums &sum, const OutputTile &out, const Scale &scale, char *shared,
                                        bool = true) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float *patch = reinterpret_cast<float *>(shared + static_cast<int>(threadIdx.x) / 32 * warp_patch_bytes);
#pragma unroll
    for (int j = 0; j < blocks_n; ++j) {
#pragma unroll
      for (int i = 0; i < blocks_m; ++i) {
        nvcuda::wmma::store_matrix_sync(patch + i * 16, sum[i][j], patch_pitch, nvcuda::wmma::mem_col_major);
      }
      sync_warp();
#pragma unroll 4
      for (int e = lane; e < 16 * Config::warp_m; e += 32) {
        const int row = warp_row * Config::warp_m + e % Config::warp_m;
        const int column = warp_column * Config::warp_n + j * 16 + e / Config::warp_m;
        if (row < out.rows && column < out.columns) {
          const float x = patch[e / Config::warp_m * patch_pitch + e % Config::warp_m];
          out.write(out.c + column * out.ld + row, out.alpha * scale(x, row, column));
        }
      }
      sync_warp();
    }
  }

 private:
  template <class Fragment>
  __device__ __forceinline__ static void round(Fragment &f) {
#pragma unroll
    for (int r = 0; r < f.num_elements; ++r) f.x[r] = nearest_tf32(f.x[r]);
  }
  // Ties to even. The instruction of sm_90 is slower, but takes fewer registers.
  __device__ __forceinline__ static float nearest_tf32(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    uint32_t nearest;
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(nearest) : "f"(x));
    return __uint_as_float(nearest);
#else
    return __uint_as_float(ptx::round_to_tf32(__float_as_uint(x)));
#endif
  }
};

}  // namespace libsgemm::cuda
