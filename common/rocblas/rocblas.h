// rocBLAS's binary interface as far as needed, the same from version 2.42 on except for STRMM. Operations, triangles,
// sides and diagonals have CBLAS's values.
#pragma once

#include <cstdint>

namespace libsgemm {

enum RocblasStatus : int {
  kRocblasSuccess = 0,
  kRocblasNotImplemented = 2,
  kRocblasMemoryError = 5,
  kRocblasInternalError = 6,
};

enum RocblasType : int { kRocblasF16 = 150, kRocblasF32 = 151, kRocblasBf16 = 168 };

constexpr int kRocblasPointerModeHost = 0;
constexpr int kRocblasAtomicsNotAllowed = 0, kRocblasAtomicsAllowed = 1;
// rocblas_math_mode: XF32 is AMD's TF32, on devices that have it.
constexpr int kRocblasMathDefault = 0, kRocblasMathXf32 = 1;

// rocblas_gemm_algo
constexpr int kRocblasAlgoStandard = 0, kRocblasAlgoSolution = 1;
// The only rocblas_gemm_flags that affects just speed. Others change the arithmetic of 16-bit inputs, or suppress the
// computation.
constexpr uint32_t kRocblasFlagEfficiency = 2;

constexpr int kRocblasFirstTrmmApart = 4;  // from this major version on STRMM has a C besides B

}  // namespace libsgemm
