// Host side of matrix.h: rates of the matrix cores, and bases of DeviceCode.
#pragma once

#include <cstring>

#include "contract/desc.h"
#include "hip/runtime/device.h"
#include "hip/tiles/valu_kernel.h"

namespace libsgemm::hip {

// FMAs of a compute unit's matrix cores per clock; 0 if there are none, or they break the library's promises: gfx90a's
// 16-bit ones flush denormals.
inline int matrix_rate(int index, Type type) {
  switch (device(index).family) {
    case Family::cdna1:
      return type == Type::f32 ? 128 : type == Type::f16 ? 512 : 256;
    case Family::cdna2:
      return type == Type::f32 ? 128 : 0;
    case Family::cdna3:  // gfx950: its instructions have twice the k
      return type == Type::f32 ? 128 : std::strncmp(device(index).code_name, "gfx95", 5) == 0 ? 2048 : 1024;
    case Family::rdna3:
      return type == Type::f32 ? 0 : 256;
    case Family::rdna4:
      return type == Type::f32 ? 0 : 512;
    default:
      return 0;
  }
}

// The same for FP32 operands and FP64 accumulators. gfx950 has half the rate of earlier chips.
inline int matrix_rate_fp64(int index) {
  const Device &d = device(index);
  if (d.family != Family::cdna2 && d.family != Family::cdna3) return 0;
  return std::strncmp(d.arch_name, "gfx95", 5) == 0 ? 64 : 128;
}

// True for MFMA, which has waves of 64; otherwise matrix cores have WMMA.
inline bool has_mfma(int index) {
  const Family family = device(index).family;
  return family == Family::cdna1 || family == Family::cdna2 || family == Family::cdna3;
}

// Base of a DeviceCode of gpu/tiles/tile_kernel.h or widened_kernel.h.
template <class CodeConfig>
struct MatrixCode : ValuCode<CodeConfig> {
  using Config = CodeConfig;
  static constexpr bool available = Config::Core::available;
  static constexpr bool chains = false;

  static Tiling tiling(const GemmDesc &desc, int index) {
    return tiling_at(matrix_rate(index, desc.type), size_of(desc.type), desc, index);
  }

  // `rate`: FMAs of a compute unit per clock. `in_lds`: bytes of an element.
  static Tiling tiling_at(double rate, size_t in_lds, const GemmDesc &desc, int index) {
    constexpr int kWaves = Config::threads / Config::Core::wave, kOuter = Config::tile_m + Config::tile_n;
    const double read = kWaves * (Config::wave_m + Config::wave_n), clocks = Config::tile_m * Config::tile_n / rate;
    const double share = share_of_peak(clocks, (read + kOuter) * static_cast<double>(in_lds),
                                       kOuter * static_cast<double>(size_of(desc.type)));
    return {Config::tile_m, Config::tile_n, Config::threads, Config::blocks,
            reached(index, Config::fitted, share * rate / device(index).fma_per_clock)};
  }
};

template <class CodeConfig>
struct Fp64Code : MatrixCode<CodeConfig> {
  static constexpr libsgemm_math_mode_t math_mode = LIBSGEMM_MATH_FP64;

  static bool runs_on(int index) { return matrix_rate_fp64(index) > 0; }

  static Tiling tiling(const GemmDesc &desc, int index) {
    Tiling tiling = MatrixCode<CodeConfig>::tiling_at(matrix_rate_fp64(index), sizeof(double), desc, index);
    tiling.sum_bytes = sizeof(double);
    return tiling;
  }
};

// TF32 products, on chips with xf32 instructions.
template <class CodeConfig>
struct Xf32Code : MatrixCode<CodeConfig> {
  static constexpr int rate = 512;

  static bool runs_on(int index) { return std::strncmp(device(index).code_name, "gfx94", 5) == 0; }

  static Tiling tiling(const GemmDesc &desc, int index) {
    return MatrixCode<CodeConfig>::tiling_at(rate, sizeof(float), desc, index);
  }
};

inline Kernel in_tf32(Kernel kernel) {
  kernel.math_mode = LIBSGEMM_MATH_TF32;
  kernel.truncates = true;
  return kernel;
}

}  // namespace libsgemm::hip
