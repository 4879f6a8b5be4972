// D = f(D + bias) in a pass after the product, so that no kernel has a copy for each f. Figures: docs/pytorch.md.
//
// A block of 256 threads has 256 rows of a column, or 1024 where columns and D are aligned to 16 bytes, and loops over
// columns.
#include "runtime/epilogue.h"

#include <algorithm>

#include "gpu/gpu.h"
#include "gpu/launch.h"

namespace libsgemm::cuda {
namespace {

using namespace gpu;

constexpr int kThreads = 256;
constexpr int64_t kMostColumns = 16384;  // blocks along the columns

// NaN stays NaN in all functions.
__device__ __forceinline__ float apply(Epilogue::Function function, float x) {
  if (function == Epilogue::relu) return x < 0.0f ? 0.0f : x;
  if (function == Epilogue::gelu) {
    constexpr float kSlope = 0.7978845608028654f, kCubic = 0.044715f;  // sqrt(2 / pi)
    return 0.5f * x * (1.0f + tanhf(kSlope * (x + kCubic * x * x * x)));
  }
  return x;
}

template <typename Vector>
__global__ void __launch_bounds__(kThreads) epilogue_kernel(const __grid_constant__ Epilogue e) {
  constexpr int kWidth = sizeof(Vector) / sizeof(float);
  const int64_t row = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kWidth;
  if (row >= e.m) return;
  for (int64_t column = blockIdx.y; column < e.n * e.batch_count; column += gridDim.y) {
    const int64_t item = column / e.n, j = column % e.n;
    auto *const to = reinterpret_cast<Vector *>(e.d + item * e.stride_d + j * e.ldd + row);
    Vector value = *to;
    float *const elements = reinterpret_cast<float *>(&value);
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      const float bias = e.bias == nullptr ? 0.0f : e.bias[item * e.stride_bias + row + i];
      elements[i] = apply(e.function, elements[i] + bias);
    }
    *to = value;
  }
}

template <typename Vector>
libsgemm_status_t enqueue(const Epilogue &e, const Launch &launch, Error *error) {
  constexpr int64_t kRows = kThreads * sizeof(Vector) / sizeof(float);
  const dim3 grid(static_cast<unsigned>((e.m + kRows - 1) / kRows),
                  static_cast<unsigned>(std::min(e.n * e.batch_count, kMostColumns)));
  return launch_kernel(&epilogue_kernel<Vector>, grid, dim3(kThreads), 0, launch, error, e);
}

}  // namespace

libsgemm_status_t epilogue(const Epilogue &e, const Launch &launch, Error *error) {
  const bool aligned = reinterpret_cast<uintptr_t>(e.d) % sizeof(float4) == 0 && e.m % 4 == 0 && e.ldd % 4 == 0 &&
                       (e.stride_d % 4 == 0 || e.batch_count == 1);
  return aligned ? enqueue<float4>(e, launch, error) : enqueue<float>(e, launch, error);
}

}  // namespace libsgemm::cuda
