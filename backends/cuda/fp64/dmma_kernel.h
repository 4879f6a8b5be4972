// Host side of the kernels on FP64 tensor cores.
#pragma once

#include "dmma_order.h"
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

// True unless the call promises sums in an order that the device does not have.
inline bool keeps_order(const GemmDesc &desc, int index) { return !invariant(desc) || adds_in_order(index); }

// The same for the sums of one block, which are one chain, or several if there is an instance for them.
template <class Config>
bool keeps_chains(const GemmDesc &desc, int index) {
  return keeps_order(desc, index) && (Config::cuts || !cuts_sums(desc));
}

// Enqueues C(i) = alpha * (sum of product i's slices, doubles, in p.partial) + beta * C(i), rounded once.
libsgemm_status_t launch_split_k_sum_fp64(const TileProblem &p, int slices, const StridedOperands &operands,
                                          int64_t count, const Launch &launch, Error *error);

template <class DeviceCode>
struct SplitDmma : SplitTiles<DeviceCode> {
  static bool supports(const GemmDesc &desc, int index) {
    return SplitTiles<DeviceCode>::supports(desc, index) && keeps_order(desc, index);
  }
  static Tiling tiling(const GemmDesc &desc, int index) {
    return DeviceCode::tiling(desc, index, DeviceCode::Config::split_fitted);
  }
  static constexpr auto enqueue_sum = launch_split_k_sum_fp64;
};

// Calls run(code) with the code's instances for the call.
template <class Code, typename Run>
libsgemm_status_t with_instances(const GemmDesc &desc, const Run &run) {
  if constexpr (Code::Config::cuts) {
    if (cuts_sums(desc)) return run(typename Code::Cut());
  }
  return run(Code());
}

inline Kernel in_chains(Kernel kernel) {
  kernel.math_mode = LIBSGEMM_MATH_FP64;
  kernel.invariant = true;
  return kernel;
}

template <class DeviceCode>
bool dmma_supports(const GemmDesc &desc, int index) {
  return tiles_support<DeviceCode>(desc, index) && keeps_chains<typename DeviceCode::Config>(desc, index);
}

template <class DeviceCode>
libsgemm_status_t launch_dmma(const GemmDesc &desc, const Launch &launch, Error *error) {
  return with_instances<DeviceCode>(desc, [&](auto code) { return launch_tiles<decltype(code)>(desc, launch, error); });
}

template <class DeviceCode>
Kernel dmma_kernel(const char *name) {
  return in_chains({name, LIBSGEMM_MATH_FP64, prepare_fixed<dmma_supports<DeviceCode>, tiles_cost<DeviceCode>>,
                    launch_dmma<DeviceCode>});
}

template <class DeviceCode>
Kernel dmma_split_kernel(const char *name) {
  return in_chains(split_kernel<SplitDmma<DeviceCode>>(name));
}

}  // namespace libsgemm::cuda

#define LIBSGEMM_DMMA_CODE(NAME)                                                                         \
  template <Fetch KindA, Fetch KindB, bool kCut, typename Operands>                                      \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                                     \
      NAME(const __grid_constant__ Operands operands, const __grid_constant__ TileProblem p) {           \
    if constexpr (Config::Instruction::exists) dmma_multistage<Config, KindA, KindB, kCut>(operands, p); \
  }                                                                                                      \
  namespace {                                                                                            \
  template <bool kCut>                                                                                   \
  struct NAME##_code : DmmaCode<Config> {                                                                \
    using Cut = NAME##_code<true>;                                                                       \
    template <Fetch KindA, Fetch KindB, typename Operands>                                               \
    static auto kernel() {                                                                               \
      return &NAME<KindA, KindB, kCut, Operands>;                                                        \
    }                                                                                                    \
    template <Fetch KindA, Fetch KindB>                                                                  \
    static constexpr size_t shared_bytes() {                                                             \
      return DmmaLayout<Config, KindA, KindB>::bytes;                                                    \
    }                                                                                                    \
  };                                                                                                     \
  using DeviceCode = NAME##_code<false>;                                                                 \
  }
