// Host side of the wgmma kernels in math mode tf32, with their pass (gpu/splits/packed_kernel.h).
#pragma once

#include "gpu/kernels.h"
#include "gpu/splits/packed_kernel.h"
#include "runtime/device.h"
#include "splits/tf32_pass.h"
#include "wgmma_kernel.h"

namespace libsgemm::cuda {

template <bool kXAlongK, int kN, int kStages, int kCluster>
using Tf32Shape = WgmmaShape<Number::tf32, std::conditional_t<kXAlongK, ptx::AlongK<128>, ptx::ByThreads<32>>,
                             ptx::AlongK<128>, 1, kN, 32, kStages, kCluster>;

// True if TMA cannot copy an operand.
inline bool tf32_lies_badly(const GemmDesc &desc, bool of_a) {
  const int64_t stride = desc.batch == Batch::strided ? (of_a ? desc.stride_a : desc.stride_b) : 0;
  const int64_t ld = of_a ? desc.lda : desc.ldb;
  return (reinterpret_cast<uintptr_t>(of_a ? desc.a : desc.b) % 16 | static_cast<uint64_t>(ld | stride) % 4) != 0;
}

// True if the pass rewrites an operand.
inline bool tf32_packs(const GemmDesc &desc, bool of_a) {
  if (tf32_lies_badly(desc, of_a)) return true;
  if (along_k_a(desc) || along_k_b(desc) || tf32_lies_badly(desc, !of_a)) return false;
  return of_a == (desc.m <= desc.n);
}

template <class Product>
struct Tf32Code {
  static bool supports(const GemmDesc &desc) { return desc.type == Type::f32; }
  static PackedProduct product(const GemmDesc &) {
    static const Kernel kernel = wgmma_kernel<Product>(Product::name);
    return {runs_code_of<90>, tf32_pass(), tf32_packs, Type::f32, LIBSGEMM_MATH_TF32, &kernel};
  }
};

}  // namespace libsgemm::cuda

// N and STAGES are those of WgmmaShape, CLUSTER the largest cluster.
#define LIBSGEMM_WGMMA_PACKED_CODE(NAME, N, STAGES, CLUSTER)                                 \
  template <bool kXAlongK, int kCluster>                                                     \
  __global__ void __launch_bounds__(kWgmmaThreads, 1)                                        \
      NAME(const __grid_constant__ WgmmaMaps maps, const __grid_constant__ WgmmaProblem p) { \
    wgmma_product<Tf32Shape<kXAlongK, N, STAGES, kCluster>>(maps, p, PlainFinish());         \
  }                                                                                          \
  namespace {                                                                                \
  struct Product {                                                                           \
    static constexpr const char *name = #NAME;                                               \
    static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_TF32;                    \
    static constexpr Fitted fitted = Fitted::NAME; /* share of the 16-bit rate */            \
    static constexpr int most_cluster = CLUSTER;                                             \
    template <Number, bool kXAlongK, bool, int kCluster>                                     \
    using Shape = Tf32Shape<kXAlongK, N, STAGES, kCluster>;                                  \
    template <Number, bool kXAlongK, bool, int kCluster>                                     \
    static WgmmaKernel kernel() {                                                            \
      return &NAME<kXAlongK, kCluster>;                                                      \
    }                                                                                        \
  };                                                                                         \
  }
