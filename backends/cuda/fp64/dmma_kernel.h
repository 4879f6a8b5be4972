// Host side of the kernels on FP64 tensor cores.
#pragma once

#include "figures/figures.h"
#include "gpu/tiles/split_k_kernel.h"
#include "runtime/device.h"
#include "runtime/launch.h"

namespace libsgemm::cuda {

// Base of a DeviceCode of gpu/tiles/tile_kernel.h. The Config also has Instruction; blocks per multiprocessor; fitted,
// and split_fitted if a kernel splits k; elements, the share of the speed if operands are copied by elements;
// by_floats, the k that takes as long as storing C by single floats. They are fitted to 180 random shapes with cold
// operands on an H200.
template <class CodeConfig>
struct DmmaCode {
  using Config = CodeConfig;
  static constexpr Engine engine = Engine::registers;  // vectors along either dimension

  static bool runs_on(int index) { return device(index).code_arch >= Config::Instruction::min_arch; }

  // True if operands can be copied 16 bytes at a time.
  static bool vectors(const GemmDesc &desc) {
    const int64_t strides = desc.batch == Batch::strided ? desc.stride_a | desc.stride_b : 0;
    return desc.batch != Batch::pointers && columns_aligned(desc.a, desc.lda) && columns_aligned(desc.b, desc.ldb) &&
           strides % 4 == 0;
  }

  static Tiling tiling(const GemmDesc &desc, int index) {
    Tiling whole = tiling(desc, index, Config::fitted);
    if (!columns_aligned(desc.c, desc.ldc)) whole.figures.steps += Config::by_floats;
    return whole;
  }
  static Tiling tiling(const GemmDesc &desc, int index, Fitted row) {
    const Device &d = device(index);
    Tiling tiling = {Config::tile_m, Config::tile_n, Config::threads, Config::blocks, figures_or_sm90(d.arch, row)};
    double &fraction = tiling.figures.peak_fraction;
    fraction *= static_cast<double>(d.fp64_tensor_per_clock) / d.fma_per_clock;
    if (Config::Instruction::min_arch < 90 && d.arch >= 90) fraction /= 2;  // the hardware is made for m16n8k16
    if (!vectors(desc)) fraction *= Config::elements;
    tiling.depth = Config::Instruction::depth;
    tiling.sum_bytes = sizeof(double);
    return tiling;
  }
};

// Enqueues C(i) = alpha * (sum of product i's slices, doubles, in p.partial) + beta * C(i), rounded once.
libsgemm_status_t launch_split_k_sum_fp64(const TileProblem &p, int slices, const StridedOperands &operands,
                                          int64_t count, const Launch &launch, Error *error);

template <class DeviceCode>
struct SplitDmma : SplitTiles<DeviceCode> {
  static Tiling tiling(const GemmDesc &desc, int index) {
    return DeviceCode::tiling(desc, index, DeviceCode::Config::split_fitted);
  }
  static constexpr auto enqueue_sum = launch_split_k_sum_fp64;
};

template <class DeviceCode>
Kernel dmma_kernel(const char *name) {
  Kernel kernel = tile_kernel<DeviceCode>(name);
  kernel.math_mode = LIBSGEMM_MATH_FP64;
  return kernel;
}

template <class DeviceCode>
Kernel dmma_split_kernel(const char *name) {
  Kernel kernel = split_kernel<SplitDmma<DeviceCode>>(name);
  kernel.math_mode = LIBSGEMM_MATH_FP64;
  return kernel;
}

}  // namespace libsgemm::cuda

#define LIBSGEMM_DMMA_CODE(NAME)                                                                   \
  template <Fetch KindA, Fetch KindB, typename Operands>                                           \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                               \
      NAME(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {     \
    if constexpr (Config::Instruction::exists) dmma_multistage<Config, KindA, KindB>(operands, p); \
  }                                                                                                \
  namespace {                                                                                      \
  struct DeviceCode : DmmaCode<Config> {                                                           \
    template <Fetch KindA, Fetch KindB, typename Operands>                                         \
    static auto kernel() {                                                                         \
      return &NAME<KindA, KindB, Operands>;                                                        \
    }                                                                                              \
    template <Fetch KindA, Fetch KindB>                                                            \
    static constexpr size_t shared_bytes() {                                                       \
      return DmmaLayout<Config, KindA, KindB>::bytes;                                              \
    }                                                                                              \
  };                                                                                               \
  }
