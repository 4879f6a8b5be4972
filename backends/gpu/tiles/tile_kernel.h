// Host side of the kernels built on tile.h. A kernel's file defines its Config (a TileShape, and what the backend adds)
// and a DeviceCode:
//
//   struct DeviceCode {
//     using Config = ...;
//     static constexpr Engine engine = ...;
//     static bool runs_on(int device);
//     static bool vectors(const GemmDesc &desc);                               // the instance with vectors can be used
//     static Tiling tiling(const GemmDesc &desc, int device);                  // for the cost
//     template <Fetch A, Fetch B, typename Operands> static auto kernel();     // the instance: a function pointer
//     template <Fetch A, Fetch B> static constexpr size_t shared_bytes();      // dynamic
//   };
#pragma once

#include <climits>
#include <type_traits>

#include "gpu/aligned.h"
#include "gpu/batch.h"
#include "gpu/cost.h"
#include "gpu/kernels.h"
#include "gpu/launch.h"
#include "tile.h"

namespace libsgemm::gpu {

// Vectors require operands whose columns all start at multiples of 16 bytes.
enum class Engine {
  copies,     // 16-byte asynchronous copies along the outer dimension; elements of a transposed operand
  registers,  // vectors along either dimension
  scalar      // no vectors
};

template <Fetch Kind>
using FetchConstant = std::integral_constant<Fetch, Kind>;

// True if vectors can read columns of `rows` elements.
inline bool vectors_fit(const void *base, int64_t ld, int64_t rows, int64_t stride) {
  return columns_aligned(base, ld) && static_cast<uint64_t>(rows | stride) % 4 == 0;
}

// Pointers of a batch may be in device memory, so their alignment is unknown.
inline bool vectors_fit(const GemmDesc &desc, Engine engine) {
  if (desc.batch == Batch::pointers || engine == Engine::scalar) return false;
  const bool a_outer = desc.transa == LIBSGEMM_NO_TRANS, b_outer = desc.transb != LIBSGEMM_NO_TRANS;
  const bool strided = desc.batch == Batch::strided;
  const bool a = vectors_fit(desc.a, desc.lda, a_outer ? desc.m : desc.k, strided ? desc.stride_a : 0);
  const bool b = vectors_fit(desc.b, desc.ldb, b_outer ? desc.n : desc.k, strided ? desc.stride_b : 0);
  if (engine == Engine::registers) return a && b;
  return (a || !a_outer) && (b || !b_outer);
}

template <Engine kEngine, bool kVectors, typename Run>
libsgemm_status_t with_fetch(const GemmDesc &desc, const Run &run) {
  using Outer = FetchConstant<kVectors ? Fetch::outer_x4 : Fetch::outer>;
  using Inner = FetchConstant<kVectors && kEngine == Engine::registers ? Fetch::inner_x4 : Fetch::inner>;
  const bool a_outer = desc.transa == LIBSGEMM_NO_TRANS, b_outer = desc.transb != LIBSGEMM_NO_TRANS;
  if (a_outer) return b_outer ? run(Outer(), Outer()) : run(Outer(), Inner());
  return b_outer ? run(Inner(), Outer()) : run(Inner(), Inner());
}

template <class DeviceCode>
bool tiles_support(const GemmDesc &desc, int index) {
  using Config = typename DeviceCode::Config;
  if (desc.routine != Routine::gemm || desc.type != Type::f32 || !DeviceCode::runs_on(index)) return false;
  const double tiles =
      tile_count(static_cast<double>(desc.m), static_cast<double>(desc.n), DeviceCode::tiling(desc, index));
  return tiles < INT_MAX / 16 && tiles <= static_cast<double>(most_blocks(Config::threads)) &&
         desc.k / Config::tile_k < INT_MAX - 1;
}

template <class Config>
TileProblem tile_problem(const GemmDesc &desc) {
  TileProblem p = {};
  p.m = desc.m, p.n = desc.n, p.k = desc.k;
  p.lda = desc.lda, p.ldb = desc.ldb, p.ldc = desc.ldc;
  p.alpha = desc.alpha, p.beta = desc.beta;
  p.tiles_m = static_cast<int>((desc.m - 1) / Config::tile_m + 1);
  p.tiles_n = static_cast<int>((desc.n - 1) / Config::tile_n + 1);
  p.k_tiles = static_cast<int>((desc.k - 1) / Config::tile_k + 1);
  p.slice_tiles = p.k_tiles;
  if (cuts_sums(desc)) p.chain_tiles = static_cast<int>(kChainTerms / Config::tile_k);
  return p;
}

template <class DeviceCode, bool kVectors, typename Operands>
libsgemm_status_t enqueue_tiles(const GemmDesc &desc, const TileProblem &p, const Operands &operands, int64_t count,
                                const Launch &launch, Error *error) {
  const unsigned slices = static_cast<unsigned>((p.k_tiles - 1) / p.slice_tiles + 1);
  const dim3 grid(static_cast<unsigned>(p.tiles_m) * static_cast<unsigned>(p.tiles_n), slices,
                  static_cast<unsigned>(count));
  return with_fetch<DeviceCode::engine, kVectors>(desc, [&](auto a, auto b) {
    constexpr Fetch kA = decltype(a)::value, kB = decltype(b)::value;
    return launch_kernel(DeviceCode::template kernel<kA, kB, Operands>(), grid, dim3(DeviceCode::Config::threads),
                         DeviceCode::template shared_bytes<kA, kB>(), launch, error, operands, p);
  });
}

constexpr int64_t kMostProducts = 65535;  // limit of a launch: gridDim.z

template <class DeviceCode>
libsgemm_status_t launch_tiles(const GemmDesc &desc, const Launch &launch, Error *error) {
  const TileProblem p = tile_problem<typename DeviceCode::Config>(desc);
  return for_chunks(desc, launch, kMostProducts, [&](const auto &operands, int64_t count) {
    using Operands = std::decay_t<decltype(operands)>;
    if constexpr (DeviceCode::engine != Engine::scalar && std::is_same_v<Operands, StridedOperands>) {
      if (DeviceCode::vectors(desc)) return enqueue_tiles<DeviceCode, true>(desc, p, operands, count, launch, error);
    }
    return enqueue_tiles<DeviceCode, false>(desc, p, operands, count, launch, error);
  });
}

template <class DeviceCode>
double tiles_cost(const GemmDesc &desc, int index) {
  return gemm_seconds(model(index), desc, DeviceCode::tiling(desc, index));
}

template <class DeviceCode>
Kernel tile_kernel(const char *name) {
  return {name, LIBSGEMM_MATH_FP32, prepare_fixed<tiles_support<DeviceCode>, tiles_cost<DeviceCode>>,
          launch_tiles<DeviceCode>};
}

// The kernel computes each element of C by sequential FMAs.
template <class DeviceCode>
Kernel chain_kernel(const char *name) {
  Kernel kernel = tile_kernel<DeviceCode>(name);
  kernel.invariant = true;
  return kernel;
}

// Later kernels of the ladder do the same faster; the cost keeps this one from being chosen.
template <class DeviceCode>
Kernel ladder_kernel(const char *name) {
  Kernel kernel = chain_kernel<DeviceCode>(name);
  kernel.prepare = [](const GemmDesc &desc, int index) {
    return tiles_support<DeviceCode>(desc, index) ? planned(kForcedOnly + tiles_cost<DeviceCode>(desc, index)) : Plan();
  };
  return kernel;
}

}  // namespace libsgemm::gpu
