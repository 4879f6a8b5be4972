// dx from the columns of col2im_problem.h. A thread computes up to four neighbouring channels of a pixel, in the order
// of the taps; a warp has neighbouring columns of the image.
#pragma once

#include "col2im_problem.h"
#include "gpu/gpu.h"
#include "gpu/launch.h"
#include "gpu/tiles/tile.h"

namespace libsgemm::gpu {

constexpr int kCol2imThreads = 256;
constexpr int kCol2imTaps = 4;

inline libsgemm_status_t enqueue_col2im(void (*kernel)(Col2imProblem), const Col2imProblem &p, const Launch &launch,
                                        Error *error) {
  const dim3 grid(static_cast<unsigned>((p.count - 1) / kCol2imThreads + 1));
  return launch_kernel(kernel, grid, dim3(kCol2imThreads), 0, launch, error, p);
}

// First tap that contributes to an element, and its place in dy; -1 if none does.
struct Col2imMeeting {
  int tap, place;

  __device__ __forceinline__ Col2imMeeting(const Col2imTaps &along, int element) : tap(0), place(-1) {
    for (int at = element + along.pad; tap < along.taps && at >= 0; ++tap, at -= along.dilation) {
      const int x = along.stride.quotient(at);
      if (x * along.stride.value != at) continue;
      place = x;
      return;
    }
  }
};

template <int kChannels>
__device__ __forceinline__ void col2im_sum(const Col2imProblem &p) {
  int i = static_cast<int>(blockIdx.x) * kCol2imThreads + static_cast<int>(threadIdx.x);
  if (i >= p.count) return;
  const auto digit = [&i](const Divisor &extent) {
    const int above = extent.quotient(i), digit = i - above * extent.value;
    i = above;
    return digit;
  };
  const int w = digit(p.width), h = digit(p.height), c = kChannels * digit(p.parts), group = digit(p.groups);
  const Global<const float> *columns = global(p.columns) + i * p.image + group * p.group + c * p.channel;
  const Col2imMeeting first_h(p.h, h), first_w(p.w, w);
  const int channels = p.channels - c;
  float sum[kChannels] = {};
  for (int r = first_h.tap, y = first_h.place; r < p.h.taps && y >= 0; r += p.h.next, y -= p.h.down) {
    if (y >= p.h.places) continue;
    const Global<const float> *line = columns + r * p.h.step + y * p.row;
    for (int s = first_w.tap, x = first_w.place; s < p.w.taps && x >= 0;
         s += kCol2imTaps * p.w.next, x -= kCol2imTaps * p.w.down) {
      float term[kCol2imTaps][kChannels];
#pragma unroll
      for (int t = 0; t < kCol2imTaps; ++t) {
        const int tap = s + t * p.w.next, place = x - t * p.w.down;
        const bool meets = tap < p.w.taps && place >= 0 && place < p.w.places;
#pragma unroll
        for (int j = 0; j < kChannels; ++j) {
          term[t][j] = meets && j < channels ? line[tap * p.w.step + place + j * p.channel] : 0.0f;
        }
      }
#pragma unroll
      for (int t = 0; t < kCol2imTaps; ++t) {
#pragma unroll
        for (int j = 0; j < kChannels; ++j) sum[j] += term[t][j];
      }
    }
  }
  Global<float> *to = global(p.out) + i * p.out_n + (group * p.channels + c) * p.out_c + h * p.out_h + w * p.out_w;
#pragma unroll
  for (int j = 0; j < kChannels; ++j) {
    if (j >= channels) break;
    const float x = scaled(p.alpha, sum[j]);
    Global<float> *element = to + j * p.out_c;
    *element = p.beta != 0.0f ? accumulated(x, p.beta, *element) : x;
  }
}

}  // namespace libsgemm::gpu
