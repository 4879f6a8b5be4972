// cuBLAS's binary interface as far as needed, the same from version 11 on. Enumerations are ints.
#pragma once

#include <cstdint>

namespace libsgemm {

enum CublasStatus : int {
  kCublasNotInitialized = 1,
  kCublasAllocFailed = 3,
  kCublasExecutionFailed = 13,
  kCublasInternalError = 14,
  kCublasNotSupported = 15,
};

enum CudaType : int { kCudaR32F = 0, kCudaR16F = 2, kCudaR16BF = 14 };

// cublasComputeType_t
enum CublasCompute : int {
  kCompute32F = 68,
  kCompute32FPedantic = 69,
  kCompute32FFast16F = 74,
  kCompute32FFast16BF = 75,
  kCompute32FFastTf32 = 77,
};

// cublasMath_t: one of these, and flags above kMathKind.
enum CublasMath : int { kMathDefault = 0, kMathTensorOp = 1, kMathPedantic = 2, kMathTf32 = 3, kMathKind = 15 };

constexpr int kPointerModeHost = 0;
constexpr int kAtomicsNotAllowed = 0;  // default

enum CublasLtDesc : int {
  kLtComputeType = 0,
  kLtScaleType = 1,
  kLtPointerMode = 2,
  kLtTransA = 3,
  kLtTransB = 4,
  kLtTransC = 5,
  kLtFillMode = 6,
  kLtEpilogue = 7,
  kLtBiasPointer = 8,
  kLtBiasStride = 10,         // distance between a batch's biases
  kLtFirstScalePointer = 17,  // scales of A, B, C and D, then the address for the largest element
  kLtLastScalePointer = 21,
  kLtBiasType = 26,
};
enum CublasLtLayout : int {
  kLtType = 0,
  kLtOrder = 1,
  kLtRows = 2,
  kLtColumns = 3,
  kLtLd = 4,
  kLtBatchCount = 5,
  kLtBatchStride = 6,
  kLtPlaneOffset = 7,
  kLtBatchMode = 8,  // from version 13 on
};
constexpr int kLtOrderColumns = 0, kLtOrderRows = 1;
constexpr int kLtFillFull = 2;
// cublasLtEpilogue_t: flags.
constexpr unsigned kLtEpilogueDefault = 1, kLtEpilogueRelu = 2, kLtEpilogueBias = 4, kLtEpilogueGelu = 32;

}  // namespace libsgemm
