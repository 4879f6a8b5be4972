// Host side of dmma_one_sided.cuh.
#pragma once

#include "dmma_kernel.h"
#include "gpu/level3/one_sided_kernel.h"

namespace libsgemm::cuda {

template <class Code>
struct DmmaOneSided {
  using Tiles = level3::OneSidedTiles<Code>;
  static_assert(Code::Config::cuts, "there are instances for all sums");

  static bool supports(const GemmDesc &desc, int index) {
    return Tiles::supports(desc, index) && keeps_order(desc, index);
  }
  static libsgemm_status_t launch(const GemmDesc &desc, const Launch &launch, Error *error) {
    return with_instances<Code>(
        desc, [&](auto code) { return level3::OneSidedTiles<decltype(code)>::launch(desc, launch, error); });
  }
  static constexpr auto workspace = Tiles::triangular ? level3::copy_bytes : nullptr;
};

template <class Code>
Kernel dmma_one_sided_kernel(const char *name) {
  using OneSided = DmmaOneSided<Code>;
  return in_chains({name, LIBSGEMM_MATH_FP64,
                    prepare_fixed<OneSided::supports, OneSided::Tiles::cost, OneSided::workspace>, OneSided::launch});
}

}  // namespace libsgemm::cuda

// ROUTINE is symm or trmm, STORED the HalfStored of its A. The file must already have a DeviceCode, from
// LIBSGEMM_DMMA_CODE.
#define LIBSGEMM_DMMA_ONE_SIDED_CODE(NAME, ROUTINE, STORED)                                               \
  template <bool kLeft, Fetch KindA, Fetch KindB, bool kCut>                                              \
  __global__ void __launch_bounds__(Config::threads, Config::blocks)                                      \
      NAME(const __grid_constant__ StridedOperands operands, const __grid_constant__ OneSidedProblem p) { \
    if constexpr (Config::Instruction::exists) {                                                          \
      dmma_one_sided<HalfStored::STORED, Config, kLeft, KindA, KindB, kCut>(operands, p);                 \
    }                                                                                                     \
  }                                                                                                       \
  namespace {                                                                                             \
  template <bool kCut>                                                                                    \
  struct NAME##_code {                                                                                    \
    using DeviceCode = ::libsgemm::cuda::DeviceCode;                                                      \
    using Config = DeviceCode::Config;                                                                    \
    using Cut = NAME##_code<true>;                                                                        \
    static constexpr Routine routine = Routine::ROUTINE;                                                  \
    template <bool kLeft, Fetch KindA, Fetch KindB>                                                       \
    static auto kernel() {                                                                                \
      return &NAME<kLeft, KindA, KindB, kCut>;                                                            \
    }                                                                                                     \
  };                                                                                                      \
  }
