// Device code of sm75_ffma_16x64x4_narrow_conv.cu, which shows the tile and its threads.
#pragma once

#include "contract/finish.h"
#include "dynamic_shared.cuh"
#include "gpu/gpu.h"
#include "narrow_conv.h"
#include "ptx.h"

namespace libsgemm::cuda {

using namespace gpu;

constexpr int kNarrowWarps = kNarrowThreads / 32;
constexpr int kGroups = 2, kGroupThreads = kNarrowThreads / kGroups;  // each group has half of a stage's channels
constexpr int kRows = 2, kHalves = 2, kEach = 4;  // a thread's rows, parts of a row, columns of a part
constexpr int kTaps = 4;                          // taps multiplied after each read of the image

struct NarrowPlace {
  int image, group, quad;

  __device__ __forceinline__ explicit NarrowPlace(const NarrowProblems &problems) {
    const int above = problems.quads.quotient(static_cast<int>(blockIdx.y));
    quad = static_cast<int>(blockIdx.y) - above * problems.quads.value;
    image = problems.groups.quotient(above);
    group = above - image * problems.groups.value;
  }
};

// Members are kept in registers: `problem[]` is indexed by the block, and reading an indexed kernel parameter takes as
// long as a load from memory.
struct NarrowTile {
  int64_t image_c, image_h, image_w, filter_k, filter_c, filter_r, filter_s;
  int channels, height, width, filters, taps_h, taps_w;
  int row, column;        // place of the tile in the output
  int in_row, in_column;  // place of its first tap in the image
  int rows;               // rows of the image that the tile reads
  int taps;
  const NarrowProblem &p;
  const float *image, *filter;

  __device__ __forceinline__ NarrowTile(const NarrowProblem &p, const NarrowPlace &at)
      : image_c(p.image.c),
        image_h(p.image.h),
        image_w(p.image.w),
        filter_k(p.filters.k),
        filter_c(p.filters.c),
        filter_r(p.filters.r),
        filter_s(p.filters.s),
        channels(p.image.channels),
        height(p.image.height),
        width(p.image.width),
        filters(min(p.filters.filters - 4 * at.quad, 4)),
        taps_h(p.filters.taps_h),
        taps_w(p.filters.taps_w),
        row(static_cast<int>(blockIdx.x) / p.tiles_w * kNarrowRows),
        column(static_cast<int>(blockIdx.x) % p.tiles_w * kNarrowColumns),
        in_row(p.first_h + row),
        in_column(p.first_w + column),
        rows(kNarrowRows + taps_h - 1),
        taps(taps_h * taps_w),
        p(p),
        image(p.image.data + at.image * p.image.n + at.group * p.image_group),
        filter(p.filters.data + at.group * p.filter_group + 4 * at.quad * p.filters.k) {
    for (int64_t *step : {&image_c, &image_h, &image_w, &filter_k, &filter_c, &filter_r, &filter_s}) {
      ptx::keep_in_register(*step);
    }
    for (int *number : {&channels, &height, &width, &filters, &taps_h, &taps_w}) ptx::keep_in_register(*number);
  }

  __device__ __forceinline__ float *filters_of(float *stage) const {
    return stage + kNarrowDepth * rows * kNarrowPitch;
  }

  // Copies a stage: channels from `first` on, and their filters. A warp copies a line at a time, kAcross columns at
  // once: 32 of one channel, or 8 of 4 neighbouring channels.
  template <int kAcross>
  __device__ __forceinline__ void copy(float *stage, int first) const {
    constexpr int kLanes = 32 / kAcross, kTimes = (kNarrowPitch + kAcross - 1) / kAcross;
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int w = lane / kLanes, columns = kNarrowColumns + taps_w - 1;
    const Global<const float> *source = global(image) + (in_column + w) * image_w;
#pragma unroll
    for (int i = 0; i < kNarrowDepth / kLanes; ++i) {
      const int channel = lane % kLanes + i, c = first + channel;
      const Global<const float> *from = source + c * image_c + (in_row + warp) * image_h;
      float *to = stage + (channel * rows + warp) * kNarrowPitch + w;
#pragma unroll 1
      for (int h = warp; h < rows;
           h += kNarrowWarps, from += kNarrowWarps * image_h, to += kNarrowWarps * kNarrowPitch) {
        const bool inside = c < channels && static_cast<unsigned>(in_row + h) < static_cast<unsigned>(height);
#pragma unroll
        for (int t = 0; t < kTimes; ++t) {
          if (w + t * kAcross >= columns) break;
          const bool meets = static_cast<unsigned>(in_column + w + t * kAcross) < static_cast<unsigned>(width);
          ptx::copy_async_4(to + t * kAcross, from + t * kAcross * image_w, inside && meets);
        }
      }
    }
    copy_filters(filters_of(stage), first);
    ptx::commit_copies();
  }

 private:
  __device__ __forceinline__ void copy_filters(float *to, int first) const {
    constexpr int kAtOnce = kNarrowThreads / (4 * kNarrowDepth);  // taps
    const int thread = static_cast<int>(threadIdx.x), k = thread % 4, channel = thread / 4 % kNarrowDepth;
    const bool inside = k < filters && first + channel < channels;
    const Global<const float> *from = global(filter) + k * filter_k + (first + channel) * filter_c;
    for (int tap = thread / (4 * kNarrowDepth); tap < taps; tap += kAtOnce) {
      const int r = p.taps_w.quotient(tap), s = tap - r * taps_w;
      ptx::copy_async_4(to + (channel * taps + tap) * 4 + k, from + r * filter_r + s * filter_s, inside);
    }
  }
};

template <int kChannels>
using NarrowSums = float[kHalves][kEach][kChannels];

// Multiplies kTaps taps, or `taps` if there are fewer.
template <int kChannels>
__device__ __forceinline__ void multiply_taps(NarrowSums<kChannels> &sum, const float (&x)[kHalves][kEach + kTaps],
                                              const float4 *filter, int taps) {
#pragma unroll
  for (int t = 0; t < kTaps; ++t) {
    if (t >= taps) break;
    const float4 v = filter[t];
    const float f[] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int half = 0; half < kHalves; ++half) {
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
#pragma unroll
        for (int c = 0; c < kChannels; ++c) sum[half][i][c] = fmaf(x[half][i + t], f[c], sum[half][i][c]);
      }
    }
  }
}

// An inner image line contributes to both of a thread's rows, through neighbouring rows of the filters.
template <int kChannels>
__device__ __forceinline__ void multiply(NarrowSums<kChannels> (&sum)[kRows], const NarrowTile &tile, float *stage) {
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads, lane = thread % 8, row = kRows * (thread / 8);
  const int group = static_cast<int>(threadIdx.x) / kGroupThreads, taps_h = tile.taps_h, taps_w = tile.taps_w;
  constexpr int kDepth = kNarrowDepth / kGroups;
#pragma unroll 1
  for (int channel = group * kDepth; channel < (group + 1) * kDepth; ++channel) {
    const float *line = stage + (channel * tile.rows + row) * kNarrowPitch + lane * kEach;
    const float4 *filter = reinterpret_cast<const float4 *>(tile.filters_of(stage)) + channel * tile.taps;
#pragma unroll 1
    for (int h = 0; h <= taps_h; ++h, line += kNarrowPitch, filter += taps_w) {
#pragma unroll 1
      for (int s = 0; s < taps_w; s += kTaps) {
        float x[kHalves][kEach + kTaps];
#pragma unroll
        for (int half = 0; half < kHalves; ++half) {
#pragma unroll
          for (int i = 0; i < kEach + kTaps; i += 4) {
            const float4 v = *reinterpret_cast<const float4 *>(line + half * kNarrowColumns / 2 + s + i);
            x[half][i] = v.x, x[half][i + 1] = v.y, x[half][i + 2] = v.z, x[half][i + 3] = v.w;
          }
        }
        if (h < taps_h) multiply_taps<kChannels>(sum[0], x, filter + s, taps_w - s);
        if (h > 0) multiply_taps<kChannels>(sum[1], x, filter + s - taps_w, taps_w - s);
      }
    }
  }
}

// Group g gets the other group's sums of each thread's row g through shared memory, and returns that row's total in
// sum[0].
template <int kChannels>
__device__ __forceinline__ void add_groups(NarrowSums<kChannels> (&sum)[kRows], float *shared) {
  static_assert(kGroups == 2 && kRows == 2, "a row each");
  const int group = static_cast<int>(threadIdx.x) / kGroupThreads,
            other = static_cast<int>(threadIdx.x) ^ kGroupThreads;
#pragma unroll
  for (int half = 0; half < kHalves; ++half) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        const float first = sum[0][half][i][c], second = sum[1][half][i][c];
        shared[((half * kEach + i) * kChannels + c) * kNarrowThreads + threadIdx.x] = group == 0 ? second : first;
        sum[0][half][i][c] = group == 0 ? first : second;
      }
    }
  }
  __syncthreads();
#pragma unroll
  for (int half = 0; half < kHalves; ++half) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        sum[0][half][i][c] += shared[((half * kEach + i) * kChannels + c) * kNarrowThreads + other];
      }
    }
  }
}

template <int kChannels>
__device__ __forceinline__ void store_channels(const float (&sum)[kChannels], Global<float> *to, int channels,
                                               const NarrowProblem &p, const NarrowProblems &problems) {
  const float alpha = problems.alpha, beta = problems.beta;
  if constexpr (kChannels == 4) {
    if (p.out_vectors) {
      Global<Vec4> *all = reinterpret_cast<Global<Vec4> *>(to);
      Vec4 x = vec4(scaled(alpha, sum[0]), scaled(alpha, sum[1]), scaled(alpha, sum[2]), scaled(alpha, sum[3]));
      if (beta != 0.0f) {
        const Vec4 old = *all;
        x = vec4(accumulated(x.x, beta, old.x), accumulated(x.y, beta, old.y), accumulated(x.z, beta, old.z),
                 accumulated(x.w, beta, old.w));
      }
      *all = x;
      return;
    }
  }
#pragma unroll
  for (int c = 0; c < kChannels; ++c) {
    if (c >= channels) break;
    Global<float> *element = to + c * p.out_k;
    const float x = scaled(alpha, sum[c]);
    *element = beta != 0.0f ? accumulated(x, beta, *element) : x;
  }
}

template <int kChannels, int kAcross>
__device__ __forceinline__ void narrow_conv(const NarrowTile &tile, const NarrowProblems &problems) {
  const NarrowProblem &p = tile.p;
  float *stage = dynamic_shared(), *other = stage + problems.stage_floats;
  NarrowSums<kChannels> sum[kRows] = {};
  const int channels = tile.taps > 0 ? tile.channels : 0;
  if (channels > 0) tile.copy<kAcross>(stage, 0);
#pragma unroll 1
  for (int first = 0; first < channels; first += kNarrowDepth) {
    if (first + kNarrowDepth < channels) {
      tile.copy<kAcross>(other, first + kNarrowDepth);
      ptx::wait_for_copies<1>();
    } else {
      ptx::wait_for_copies<0>();
    }
    __syncthreads();
    multiply<kChannels>(sum, tile, stage);
    __syncthreads();
    float *last = stage;
    stage = other, other = last;
  }
  add_groups<kChannels>(sum, stage);
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  const int row = tile.row + kRows * (thread / 8) + static_cast<int>(threadIdx.x) / kGroupThreads;
  if (row >= p.p) return;
  const NarrowPlace at(problems);
  Global<float> *to =
      global(p.out) + at.image * p.out_n + at.group * p.out_group + 4 * at.quad * p.out_k + row * p.out_h;
#pragma unroll
  for (int half = 0; half < kHalves; ++half) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int column = tile.column + half * kNarrowColumns / 2 + thread % 8 * kEach + i;
      if (column >= p.q) break;
      store_channels<kChannels>(sum[0][half][i], to + column * p.out_w, tile.filters, p, problems);
    }
  }
}

}  // namespace libsgemm::cuda
