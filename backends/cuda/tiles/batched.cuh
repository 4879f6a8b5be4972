// Many small products, one for each warp. Memory limits such batches, so a warp issues the loads of a whole k-tile
// before it uses any element. Padded shared memory lets threads read fragments as vectors whatever the transposition.
#pragma once

#include "multiply.cuh"
#include "tile_kernel.h"

namespace libsgemm::cuda {

// A lane's share of an operand's k-tile; elements outside become zeros.
template <int Outer, int Depth, bool AlongK>
struct SmallTile {
  static constexpr int pitch = Outer + 4;
  static constexpr int count = Outer * Depth / 32;
  static constexpr int step = 32 / (AlongK ? Depth : Outer);  // between a lane's elements

  const float *source;
  int64_t ld;
  int outer, k, extent;

  __device__ __forceinline__ SmallTile(const void *base, int64_t stored_ld, int64_t outer_extent) {
    const int lane = static_cast<int>(threadIdx.x);
    outer = AlongK ? lane / Depth : lane % Outer;
    k = AlongK ? lane % Depth : lane / Outer;
    source = global(static_cast<const float *>(base)) + (AlongK ? k + outer * stored_ld : outer + k * stored_ld);
    ld = stored_ld;
    extent = static_cast<int>(outer_extent);
  }
  __device__ __forceinline__ void load(float (&x)[count], int depth) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const bool inside = AlongK ? outer + i * step < extent && k < depth : outer < extent && k + i * step < depth;
      x[i] = inside ? source[i * (step * ld)] : 0.0f;
    }
  }
  __device__ __forceinline__ void store(float *shared, const float (&x)[count]) const {
#pragma unroll
    for (int i = 0; i < count; ++i) shared[k * pitch + outer + i * step * (AlongK ? 1 : pitch)] = x[i];
  }
  __device__ __forceinline__ void advance() { source += AlongK ? Depth : Depth * ld; }
};

// threadIdx.y: the product in the block.
template <class Config, bool kAlongA, bool kAlongB, typename Operands>
__device__ __forceinline__ void batched(const Operands &operands, const TileProblem &p, int64_t products) {
  using A = SmallTile<Config::tile_m, Config::tile_k, kAlongA>;
  using B = SmallTile<Config::tile_n, Config::tile_k, kAlongB>;
  constexpr int kFloatsA = Config::tile_k * A::pitch, kFloats = kFloatsA + Config::tile_k * B::pitch;
  constexpr int kStrideA = Config::lane_rows * 4, kStrideB = Config::lane_columns * Config::group_n;
  static_assert(kStoreFloats<Config> <= kFloats, "C is transposed in the same place");
  __shared__ float4 shared[Config::products][kFloats / 4];

  const int64_t product = static_cast<int64_t>(blockIdx.x) * Config::products + threadIdx.y;
  if (product >= products) return;
  float *tile_a = reinterpret_cast<float *>(shared[threadIdx.y]), *tile_b = tile_a + kFloatsA;
  A a(operands.a(product), p.lda, p.m);
  B b(operands.b(product), p.ldb, p.n);
  const ThreadPlace<Config> place;
  float sum[Config::thread_m][Config::thread_n] = {};
#pragma unroll 1
  for (int64_t k0 = 0; k0 < p.k; k0 += Config::tile_k) {
    const int depth = p.k - k0 < Config::tile_k ? static_cast<int>(p.k - k0) : Config::tile_k;
    float staged_a[A::count], staged_b[B::count];
    a.load(staged_a, depth);
    b.load(staged_b, depth);
    a.advance();
    b.advance();
    __syncwarp();
    a.store(tile_a, staged_a);
    b.store(tile_b, staged_b);
    __syncwarp();
#pragma unroll 4
    for (int k = 0; k < depth; ++k) {
      float fragment_a[Config::thread_m], fragment_b[Config::thread_n];
      load_fragment<Config::thread_m, 4, kStrideA>(fragment_a, tile_a + k * A::pitch + place.row());
      load_fragment<Config::thread_n, Config::group_n, kStrideB>(fragment_b, tile_b + k * B::pitch + place.column());
      multiply<Config>(sum, fragment_a, fragment_b);
    }
  }
  OutputTile out;
  out.c = global(operands.c(product));
  out.ld = p.ldc;
  out.rows = static_cast<int>(p.m);
  out.columns = static_cast<int>(p.n);
  out.alpha = p.alpha;
  out.beta = p.beta;
  store_tile<Config>(sum, out, tile_a);
}

template <class DeviceCode>
libsgemm_status_t launch_batched(const GemmDesc &desc, const Launch &launch, Error *error) {
  using Config = typename DeviceCode::Config;
  const TileProblem p = tile_problem<Config>(desc);
  return for_chunks(desc, launch, INT_MAX, [&](const auto &operands, int64_t count) {
    using Operands = std::decay_t<decltype(operands)>;
    const dim3 grid(static_cast<unsigned>((count - 1) / Config::products + 1)), block(32, Config::products);
    return with_fetch<Engine::scalar, false>(desc, [&](auto a, auto b) {
      constexpr bool kAlongA = decltype(a)::value == Fetch::inner, kAlongB = decltype(b)::value == Fetch::inner;
      return launch_kernel(DeviceCode::template kernel<kAlongA, kAlongB, Operands>(), grid, block, 0, launch, error,
                           operands, p, count);
    });
  });
}

template <class DeviceCode>
Kernel batched_kernel(const char *name) {
  using Config = typename DeviceCode::Config;
  const auto prepare = [](const GemmDesc &desc, int index) -> Plan {
    if (desc.routine != Routine::gemm || desc.type != Type::f32 || desc.m > Config::tile_m || desc.n > Config::tile_n) {
      return {};
    }
    constexpr Tiling kWarps = {
        Config::tile_m, Config::tile_n, 32, Config::products * Config::blocks, {Config::peak_fraction}};
    return planned(gemm_seconds(device(index), desc, kWarps));
  };
  Kernel kernel = {name, LIBSGEMM_MATH_FP32, prepare, launch_batched<DeviceCode>};
  kernel.invariant = true;
  return kernel;
}

}  // namespace libsgemm::cuda

#define LIBSGEMM_BATCHED_CODE(name)                                                                              \
  template <bool kAlongA, bool kAlongB, typename Operands>                                                       \
  __global__ void __launch_bounds__(32 * Config::products, Config::blocks)                                       \
      name(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p, int64_t products) { \
    batched<Config, kAlongA, kAlongB>(operands, p, products);                                                    \
  }                                                                                                              \
  namespace {                                                                                                    \
  struct DeviceCode {                                                                                            \
    using Config = cuda::Config;                                                                                 \
    template <bool kAlongA, bool kAlongB, typename Operands>                                                     \
    static auto kernel() {                                                                                       \
      return &name<kAlongA, kAlongB, Operands>;                                                                  \
    }                                                                                                            \
  };                                                                                                             \
  }
