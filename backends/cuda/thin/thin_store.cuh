#pragma once

#include <cstdint>

#include "thin_copy.cuh"

namespace libsgemm::cuda::thin {

__device__ __forceinline__ float4 vector_at(const float *p) { return *reinterpret_cast<const float4 *>(p); }

// C, or a partial tile in the workspace. One of the strides `wide` and `narrow` is 1.
struct Output {
  float *base;
  int64_t wide, narrow;
  int rows, columns;
  float alpha, beta;

  __device__ __forceinline__ bool vectors() const {
    return (reinterpret_cast<uintptr_t>(base) % 16 | static_cast<uintptr_t>((wide == 1 ? narrow : wide) % 4)) == 0;
  }
  __device__ __forceinline__ void put(float *to, float sum) const {
    *to = beta != 0.0f ? fmaf(alpha, sum, beta * *to) : alpha * sum;
  }
  __device__ __forceinline__ void put(float *to, const float (&sum)[4], int valid, bool vector) const {
    if (vector && valid >= 4) {
      float4 v = make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]);
      if (beta != 0.0f) {
        const float4 old = vector_at(to);
        v = make_float4(fmaf(alpha, sum[0], beta * old.x), fmaf(alpha, sum[1], beta * old.y),
                        fmaf(alpha, sum[2], beta * old.z), fmaf(alpha, sum[3], beta * old.w));
      }
      *reinterpret_cast<float4 *>(to) = v;
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e)
        if (e < valid) put(to + e, sum[e]);
    }
  }
};

// The tile must be completely inside C.
template <typename Config>
__device__ __forceinline__ void store_whole(const float (&sum)[Config::narrow_thread][8], int row, int column,
                                            const Output &out) {
  constexpr int kN = Config::narrow_thread;
  const auto put = [&](float *to, float a, float b, float c, float d) {
    float4 v = make_float4(out.alpha * a, out.alpha * b, out.alpha * c, out.alpha * d);
    if (out.beta != 0.0f) {
      const float4 old = vector_at(to);
      v = make_float4(fmaf(out.alpha, a, out.beta * old.x), fmaf(out.alpha, b, out.beta * old.y),
                      fmaf(out.alpha, c, out.beta * old.z), fmaf(out.alpha, d, out.beta * old.w));
    }
    *reinterpret_cast<float4 *>(to) = v;
  };
  float *const to = out.base + row * out.wide + column * out.narrow;
  if (out.wide == 1) {
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      float *const c = to + (j / 4 * 16 + j % 4) * out.narrow;
      put(c, sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
      put(c + 32, sum[j][4], sum[j][5], sum[j][6], sum[j][7]);
    }
  } else {
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      float *const c = to + (r / 4 * 32 + r % 4) * out.wide;
#pragma unroll
      for (int j = 0; j < kN; j += 4) put(c + j / 4 * 16, sum[j][r], sum[j + 1][r], sum[j + 2][r], sum[j + 3][r]);
    }
  }
}

template <typename Config>
__device__ __forceinline__ void store_registers(const float (&sum)[Config::narrow_thread][8], int row, int column,
                                                const Output &out) {
  constexpr int kN = Config::narrow_thread;
  const bool vectors = out.vectors();
  if (vectors && out.rows == Derived<Config>::kRows && out.columns == Derived<Config>::kColumns) {
    store_whole<Config>(sum, row, column, out);
  } else if (out.wide == 1) {
#pragma unroll
    for (int j = 0; j < kN; ++j) {
      const int c = column + j / 4 * 16 + j % 4;
      if (c >= out.columns) continue;
      float *to = out.base + c * out.narrow + row;
#pragma unroll
      for (int r = 0; r < 8; r += 4) {
        const float four[4] = {sum[j][r], sum[j][r + 1], sum[j][r + 2], sum[j][r + 3]};
        out.put(to + r / 4 * 32, four, out.rows - row - r / 4 * 32, vectors);
      }
    }
  } else {
#pragma unroll
    for (int r = 0; r < 8; ++r) {
      const int i = row + r / 4 * 32 + r % 4;
      if (i >= out.rows) continue;
      float *to = out.base + i * out.wide + column;
#pragma unroll
      for (int j = 0; j < kN; j += 4) {
        const float four[4] = {sum[j][r], sum[j + 1][r], sum[j + 2][r], sum[j + 3][r]};
        out.put(to + j / 4 * 16, four, out.columns - column - j / 4 * 16, vectors);
      }
    }
  }
}

// Adds the k groups in order, and stores along the contiguous side.
template <typename Config>
__device__ __forceinline__ void store_groups(const float (&sum)[Config::narrow_thread][8], int group, int row,
                                             int column, float *shared, const Output &out) {
  using D = Derived<Config>;
  constexpr int kN = Config::narrow_thread, kRow = D::kSumRow, kPart = D::kColumns * kRow;
  __syncthreads();  // waits for the ring
#pragma unroll
  for (int j = 0; j < kN; ++j) {
    float *to = shared + group * kPart + (column + j / 4 * 16 + j % 4) * kRow + row;
#pragma unroll
    for (int r = 0; r < 8; r += 4) {
      *reinterpret_cast<float4 *>(to + r / 4 * 32) =
          make_float4(sum[j][r], sum[j][r + 1], sum[j][r + 2], sum[j][r + 3]);
    }
  }
  __syncthreads();
  if (out.wide == 1) {
    const bool vectors = out.vectors();
    constexpr int kAcross = D::kRows / 4;
#pragma unroll 2
    for (int i = threadIdx.x; i < kAcross * D::kColumns; i += D::kThreads) {
      const int r = i % kAcross * 4, c = i / kAcross;
      float4 all = vector_at(shared + c * kRow + r);
#pragma unroll
      for (int g = 1; g < Config::k_groups; ++g) {
        const float4 v = vector_at(shared + g * kPart + c * kRow + r);
        all.x += v.x, all.y += v.y, all.z += v.z, all.w += v.w;
      }
      const float four[4] = {all.x, all.y, all.z, all.w};
      if (c < out.columns) out.put(out.base + c * out.narrow + r, four, out.rows - r, vectors);
    }
  } else {
#pragma unroll 2
    for (int i = threadIdx.x; i < D::kRows * D::kColumns; i += D::kThreads) {
      const int c = i % D::kColumns, r = i / D::kColumns;
      float all = shared[c * kRow + r];
#pragma unroll
      for (int g = 1; g < Config::k_groups; ++g) all += shared[g * kPart + c * kRow + r];
      if (c < out.columns && r < out.rows) out.put(out.base + r * out.wide + c, all);
    }
  }
  __syncthreads();  // others may still read the sums
}

}  // namespace libsgemm::cuda::thin
