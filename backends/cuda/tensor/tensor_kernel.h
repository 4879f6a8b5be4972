// Host side of the kernels for tensor cores. A kernel's file defines a DeviceCode:
//
//   struct DeviceCode {
//     using Config = ...;  // a TensorShape with min_arch, blocks, peak_fraction; `fitted`, `split_fitted` if there are
//                          // model parameters for some architectures
//     static constexpr libsgemm_math_mode_t math_mode = ...;   // TF32 for FP32 operands, FP32 for 16-bit ones
//     template <Number, bool AlongA, bool AlongB> static TensorInstance instance();
//   };
#pragma once

#include <algorithm>
#include <climits>
#include <cmath>

#include "figures/figures.h"
#include "gpu/tiles/split_k_kernel.h"
#include "tensor_operands.h"
#include "tensor_tile.cuh"
#include "tiles/tile_kernel.h"

namespace libsgemm::cuda {

// A kernel for one majorness of each operand.
struct TensorInstance {
  void (*kernel)(StridedOperands, TileProblem);
  size_t shared_bytes;
};

inline bool has_tensor_cores(Type type, int index) { return device(index).code_arch >= (type == Type::f16 ? 75 : 80); }

// A multiprocessor has little more shared memory than one block can have, so that gives the number of resident blocks.
// `figures`: shares of the tensor cores' rate.
template <class Config>
Tiling tensor_tiling(int index, size_t shared_bytes, Figures figures) {
  constexpr size_t kReserved = 1024;  // bytes that each block takes in addition
  const Device &d = device(index);
  const size_t fitting = (d.shared_memory_per_block + kReserved) / (shared_bytes + kReserved);
  const double rate = static_cast<double>(d.tensor_per_clock) / d.fma_per_clock;
  figures.peak_fraction *= rate, figures.steps *= rate;  // a tile's start and end take as long as without tensor cores
  const int blocks = std::clamp(static_cast<int>(fitting), 1, Config::blocks);
  return {Config::tile_m, Config::tile_n, Config::threads, blocks, figures};
}

template <class Config>
bool tiles_fit(const GemmDesc &desc) {
  constexpr Tiling kTile = {Config::tile_m, Config::tile_n, Config::threads, 1, {1}};
  const double tiles = tile_count(static_cast<double>(desc.m), static_cast<double>(desc.n), kTile);
  return tiles < INT_MAX / 16 && desc.k / Config::tile_k < INT_MAX - 1;
}

inline dim3 tile_grid(const TileProblem &p, int64_t count) {
  const unsigned slices = static_cast<unsigned>((p.k_tiles - 1) / p.slice_tiles + 1);
  return dim3(static_cast<unsigned>(p.tiles_m) * static_cast<unsigned>(p.tiles_n), slices,
              static_cast<unsigned>(count));
}

template <class DeviceCode, Number kNumber>
TensorInstance instance_of(const GemmDesc &desc) {
  if (along_k_a(desc)) {
    return along_k_b(desc) ? DeviceCode::template instance<kNumber, true, true>()
                           : DeviceCode::template instance<kNumber, true, false>();
  }
  return along_k_b(desc) ? DeviceCode::template instance<kNumber, false, true>()
                         : DeviceCode::template instance<kNumber, false, false>();
}
template <class DeviceCode>
TensorInstance instance_of(const GemmDesc &desc) {
  if constexpr (DeviceCode::math_mode == LIBSGEMM_MATH_TF32) {
    return instance_of<DeviceCode, Number::tf32>(desc);
  } else {
    return desc.type == Type::f16 ? instance_of<DeviceCode, Number::f16>(desc)
                                  : instance_of<DeviceCode, Number::bf16>(desc);
  }
}

// The interface that split_kernel() requires.
template <class DeviceCode>
struct TensorTiles {
  using Config = typename DeviceCode::Config;

  static bool supports(const GemmDesc &desc, int index) {
    constexpr bool kFloats = DeviceCode::math_mode == LIBSGEMM_MATH_TF32;
    const Device &d = device(index);
    return desc.routine == Routine::gemm && (desc.type == Type::f32) == kFloats && d.code_arch >= Config::min_arch &&
           (Config::any_alignment ? desc.batch != Batch::pointers : chunks_fit(desc)) && tiles_fit<Config>(desc) &&
           instance_of<DeviceCode>(desc).shared_bytes <= d.shared_memory_per_block;
  }
  static Tiling tiling(const GemmDesc &desc, int index) {
    return tiling(desc, index, FittedOf<Config>::on(device(index).arch));
  }
  static Tiling tiling(const GemmDesc &desc, int index, const Figures *fitted) {
    return tensor_tiling<Config>(index, instance_of<DeviceCode>(desc).shared_bytes,
                                 fitted != nullptr ? *fitted : Figures{Config::peak_fraction});
  }
  static libsgemm_status_t enqueue(const GemmDesc &desc, const TileProblem &p, const StridedOperands &operands,
                                   int64_t count, const Launch &launch, Error *error) {
    const TensorInstance instance = instance_of<DeviceCode>(desc);
    return launch_after(instance.kernel, 1, tile_grid(p, count), dim3(Config::threads), instance.shared_bytes, launch,
                        error, operands, p);
  }
  static constexpr auto enqueue_sum = launch_split_k_sum;
};

template <class DeviceCode>
struct SplitTensorTiles : TensorTiles<DeviceCode> {
  static Tiling tiling(const GemmDesc &desc, int index) {
    return TensorTiles<DeviceCode>::tiling(desc, index,
                                           fitted_figures(device(index).arch, DeviceCode::Config::split_fitted));
  }
};

// Seconds of a launch that the previous grid hides, if kernels can start early.
inline double hidden_seconds(int index) { return device(index).code_arch >= 90 ? 0.8e-6 : 0; }

template <class DeviceCode>
Plan prepare_tensor(const GemmDesc &desc, int index) {
  using Tiles = TensorTiles<DeviceCode>;
  constexpr int kDeep = 256;
  if (!Tiles::supports(desc, index)) return {};
  const double seconds = gemm_seconds(device(index), desc, Tiles::tiling(desc, index)) - hidden_seconds(index);
  return planned((desc.lda | desc.ldb) % 2 != 0 && desc.k > kDeep ? seconds * DeviceCode::Config::odd_lines : seconds);
}

template <class DeviceCode>
Kernel tensor_kernel(const char *name) {
  using Tiles = TensorTiles<DeviceCode>;
  const auto launch_all = [](const GemmDesc &desc, const Launch &launch, Error *error) {
    const TileProblem p = tile_problem<typename DeviceCode::Config>(desc);
    return for_strided_chunks(desc, kMostProducts, [&](const StridedOperands &operands, int64_t count) {
      return Tiles::enqueue(desc, p, operands, count, launch, error);
    });
  };
  Kernel kernel = {name, DeviceCode::math_mode, prepare_tensor<DeviceCode>, launch_all};
  kernel.truncates = true;
  return kernel;
}

template <class DeviceCode>
Kernel tensor_split_kernel(const char *name) {
  using Tiles = SplitTensorTiles<DeviceCode>;
  Kernel kernel = split_kernel<Tiles>(name);
  kernel.prepare = [](const GemmDesc &desc, int index) {
    Plan plan = prepare_split<Tiles>(desc, index);
    plan.seconds -= hidden_seconds(index);
    return plan;
  };
  kernel.math_mode = DeviceCode::math_mode;
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::cuda

// The device code NAME and its DeviceCode. LOOP is a function of tensor_multistage.cuh; TILE, ENGINE: TensorProduct.
#define LIBSGEMM_TENSOR_CODE(LOOP, NAME, MATH_MODE, CONFIG, TILE, ENGINE)                             \
  namespace {                                                                                         \
  template <Number kNumber, bool AlongA, bool AlongB>                                                 \
  using Product = TensorProduct<CONFIG, kNumber, TILE, ENGINE, AlongA, AlongB>;                       \
  }                                                                                                   \
  template <Number kNumber, bool AlongA, bool AlongB>                                                 \
  __global__ void __launch_bounds__(CONFIG::threads, CONFIG::blocks)                                  \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ TileProblem p) { \
    LOOP<Product<kNumber, AlongA, AlongB>>(operands, p);                                              \
  }                                                                                                   \
  namespace {                                                                                         \
  struct DeviceCode {                                                                                 \
    using Config = cuda::CONFIG;                                                                      \
    static constexpr libsgemm_math_mode_t math_mode = MATH_MODE;                                      \
    template <Number kNumber, bool AlongA, bool AlongB>                                               \
    static TensorInstance instance() {                                                                \
      return {&NAME<kNumber, AlongA, AlongB>, Product<kNumber, AlongA, AlongB>::bytes};               \
    }                                                                                                 \
  };                                                                                                  \
  }
