// Convolutions in which each channel of the image has its own filters, and both gradients, computed directly: memory
// traffic takes longer than arithmetic.
//
//   block: lanes of channels x places      a thread: `Width` channels at one place (n, strip, q) after the other
//   strip: kDepthwiseRows adjacent rows of one column of the output: if taps are adjacent, too, each row of the
//          image is read once for all of them. In the weight gradient a thread may walk down longer strips, with
//          the last rows of the gradient in registers, and read each row of the image once
//
// Contiguous channels (NHWC) are the lanes. Otherwise (NCHW) a block has one channel and neighbouring columns. Shared
// memory holds the filters of the block's channels: [term][tap][channel].
#pragma once

#include <type_traits>

#include "contract/finish.h"
#include "depthwise_problem.h"
#include "gpu/gpu.h"

namespace libsgemm::gpu {

constexpr int kDepthwiseThreads = 256;
constexpr int kDepthwiseSharing = 32;  // threads that sum an element's slices

template <int Width>
struct alignas(sizeof(float) * Width) Floats {
  float x[Width];

  __device__ __forceinline__ static Floats load(const Global<float> *from) {
    Floats f;
    if constexpr (Width == 4) {
      const Vec4 v = *reinterpret_cast<const Global<Vec4> *>(from);
      f.x[0] = v.x, f.x[1] = v.y, f.x[2] = v.z, f.x[3] = v.w;
    } else if constexpr (Width == 2) {
      const Vec2 v = *reinterpret_cast<const Global<Vec2> *>(from);
      f.x[0] = v.x, f.x[1] = v.y;
    } else {
      f.x[0] = *from;
    }
    return f;
  }
  __device__ __forceinline__ void store(Global<float> *to) const {
    if constexpr (Width == 4) {
      *reinterpret_cast<Global<Vec4> *>(to) = vec4(x[0], x[1], x[2], x[3]);
    } else {
      *to = x[0];
    }
  }
  __device__ __forceinline__ static Floats zero() { return Floats{}; }
  __device__ __forceinline__ void add(const Floats &a, const Floats &b) {
#pragma unroll
    for (int i = 0; i < Width; ++i) x[i] = fmaf(a.x[i], b.x[i], x[i]);
  }
};

struct DepthwisePlace {
  const Global<float> *image;
  int64_t pixel;  // place in the tensor with the strips
  int h, w;       // place in the image, for the first row and tap
  int rows;

  __device__ __forceinline__ DepthwisePlace(const DepthwiseProblem &p, const Global<float> *channel, int position,
                                            int strip_rows) {
    const int above = p.columns.quotient(position), q = position - above * p.columns.value;
    const int n = p.strips.quotient(above), first = (above - n * p.strips.value) * strip_rows;
    h = p.first_h + first * p.down;
    w = p.first_w + q * p.right;
    image = channel + n * p.image_steps.n + static_cast<int64_t>(first) * p.down * p.image_steps.h +
            static_cast<int64_t>(q) * p.right * p.image_steps.w;
    pixel = n * p.pixel_steps.n + first * p.pixel_steps.h + q * p.pixel_steps.w;
    rows = min(p.p - first, strip_rows);
  }
};

template <int Width>
__device__ __forceinline__ Floats<Width> load_inside(const DepthwiseProblem &p, const Global<float> *from, int h,
                                                     bool inside) {
  return inside && static_cast<unsigned>(h) < static_cast<unsigned>(p.height) ? Floats<Width>::load(from)
                                                                              : Floats<Width>::zero();
}

// Taps: rows of the filter, with tap_h 1 and stride Down; 0: any.
template <int Width, int Taps, int Down>
__device__ __forceinline__ void depthwise(const DepthwiseProblem &p, float *filters) {
  const int lanes = static_cast<int>(blockDim.x) * Width;
  const int first_channel = static_cast<int>(blockIdx.y) * lanes, taps = p.r * p.s;
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  for (int i = thread; i < p.terms * taps * lanes; i += static_cast<int>(blockDim.x * blockDim.y)) {
    const int channel = first_channel + i / (p.terms * taps), tap = i % (p.terms * taps);
    const int term = tap / taps, r = tap % taps / p.s, s = tap % p.s;
    const float *from = p.other + channel * p.filter_channel + term * p.other_term + r * p.filter_r + s * p.filter_s;
    filters[tap * lanes + channel - first_channel] = channel < p.channels ? *global(from) : 0.0f;
  }
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) * Width, channel = first_channel + lane;
  if (channel >= p.channels) return;
  const Global<float> *image = global(p.image) + p.multiplier.quotient(channel) * p.image_steps.channel;
  Global<float> *out = global(p.out) + channel * p.pixel_steps.channel;
  const int step = static_cast<int>(gridDim.x * blockDim.y);
#pragma unroll 1
  for (int position = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y); position < p.positions;
       position += step) {
    const DepthwisePlace at(read_anew(p), image, position, kDepthwiseRows);
    Floats<Width> sum[kDepthwiseRows] = {};
#pragma unroll 1
    for (int term = 0; term < p.terms; ++term) {
      const float *filter = filters + term * taps * lanes + lane;
      const auto add_column = [&](int s) {
        const bool inside = static_cast<unsigned>(at.w + s * p.tap_w) < static_cast<unsigned>(p.width);
        const Global<float> *from =
            at.image + term * p.image_term + static_cast<int64_t>(s) * p.tap_w * p.image_steps.w;
        int first_h = at.h;
#if defined(__AMDGCN__)
        keep_in_register(first_h);  // tests for the inside of the image must not occupy scalar registers
#endif
        if constexpr (Taps != 0) {
          Floats<Width> x[(kDepthwiseRows - 1) * Down + Taps];
#pragma unroll
          for (int row = 0; row < (kDepthwiseRows - 1) * Down + Taps; ++row) {
            x[row] = load_inside<Width>(p, from + row * p.image_steps.h, first_h + row, inside);
          }
#pragma unroll
          for (int r = 0; r < Taps; ++r) {
            const Floats<Width> tap = *reinterpret_cast<const Floats<Width> *>(filter + (r * p.s + s) * lanes);
#pragma unroll
            for (int i = 0; i < kDepthwiseRows; ++i) sum[i].add(x[i * Down + r], tap);
          }
        } else {
#pragma unroll 1
          for (int r = 0; r < p.r; ++r) {
            const Floats<Width> tap = *reinterpret_cast<const Floats<Width> *>(filter + (r * p.s + s) * lanes);
#pragma unroll
            for (int i = 0; i < kDepthwiseRows; ++i) {
              const int row = i * p.down + r * p.tap_h;
              sum[i].add(load_inside<Width>(p, from + row * p.image_steps.h, first_h + row, inside && i < at.rows),
                         tap);
            }
          }
        }
      };
      if (Taps != 0 && Taps <= 3 && p.s == Taps) {  // the loads of all columns overlap
#pragma unroll
        for (int s = 0; s < Taps; ++s) add_column(s);
      } else {
#pragma unroll 1
        for (int s = 0; s < p.s; ++s) add_column(s);
      }
    }
    const DepthwiseProblem &of_output = read_anew(p);
#pragma unroll
    for (int i = 0; i < kDepthwiseRows; ++i) {
      if (i >= at.rows) continue;
      Global<float> *to = out + at.pixel + i * of_output.pixel_steps.h;
      const Floats<Width> old = of_output.beta != 0.0f ? Floats<Width>::load(to) : Floats<Width>::zero();
#pragma unroll
      for (int e = 0; e < Width; ++e) {
        const float x = scaled(of_output.alpha, sum[i].x[e]);
        sum[i].x[e] = of_output.beta != 0.0f ? accumulated(x, of_output.beta, old.x[e]) : x;
      }
      sum[i].store(to);
    }
  }
}

template <int Width, int Taps, int TapsW>
using DepthwiseSums = Floats<Width>[Taps * TapsW];

template <int Width, int Taps, int TapsW, int Down>
__device__ __forceinline__ void walk_strip(const DepthwiseProblem &p, const DepthwisePlace &at,
                                           const Global<float> *from_y, DepthwiseSums<Width, Taps, TapsW> &sum) {
  constexpr int kBehind = (Taps - 1) / Down;  // earlier rows of the gradient for a row of the image
  constexpr int kRows = Down == 1 ? 2 : 1;    // rows of the gradient, at once
  const Global<float> *from_x = at.image;
  Floats<Width> y[kBehind + kRows] = {};  // rows for this step of the image
  // Skips other rows: zeros would spread what is not finite in the image.
  const auto in_strip = [&at](int row) {
    int rows = at.rows;
#if defined(__AMDGCN__)
    keep_in_register(rows);  // see above
#endif
    return static_cast<unsigned>(row) < static_cast<unsigned>(rows);
  };
#pragma unroll 1
  for (int first = 0; first < at.rows + kBehind; first += kRows) {
    Floats<Width> x[kRows * Down][TapsW];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      y[kBehind + i] = first + i < at.rows ? Floats<Width>::load(from_y) : Floats<Width>::zero();
      from_y += p.pixel_steps.h;
    }
    int first_w = at.w;
#if defined(__AMDGCN__)
    keep_in_register(first_w);  // see above
#endif
#pragma unroll
    for (int row = 0; row < kRows * Down; ++row) {
#pragma unroll
      for (int s = 0; s < TapsW; ++s) {
        const bool inside = static_cast<unsigned>(first_w + s * p.tap_w) < static_cast<unsigned>(p.width);
        x[row][s] = load_inside<Width>(p, from_x + static_cast<int64_t>(s) * p.tap_w * p.image_steps.w,
                                       at.h + first * Down + row, inside);
      }
      from_x += p.image_steps.h;
    }
    const auto add = [&](auto all) {
#pragma unroll
      for (int row = 0; row < kRows * Down; ++row) {
#pragma unroll
        for (int i = 0; i < kBehind + kRows; ++i) {
          const int r = row - (i - kBehind) * Down;
          if (r < 0 || r >= Taps || !(decltype(all)::value || in_strip(first + i - kBehind))) continue;
#pragma unroll
          for (int s = 0; s < TapsW; ++s) sum[r * TapsW + s].add(x[row][s], y[i]);
        }
      }
    };
    if (Width == 1 && first >= kBehind && first + kRows <= at.rows) {  // wider ones are slower with it (H100)
      add(std::true_type());
    } else {
      add(std::false_type());
    }
#pragma unroll
    for (int i = 0; i < kBehind; ++i) y[i] = y[i + kRows];
  }
}

// Loads the strip's whole gradient first.
template <int Width, int Taps, int TapsW, int Down>
__device__ __forceinline__ void add_strip(const DepthwiseProblem &p, const DepthwisePlace &at,
                                          const Global<float> *from_y, DepthwiseSums<Width, Taps, TapsW> &sum) {
  Floats<Width> y[kDepthwiseRows];
#pragma unroll
  for (int i = 0; i < kDepthwiseRows; ++i) {
    y[i] = i < at.rows ? Floats<Width>::load(from_y + i * p.pixel_steps.h) : Floats<Width>::zero();
  }
#pragma unroll
  for (int s = 0; s < TapsW; ++s) {
    if (static_cast<unsigned>(at.w + s * p.tap_w) >= static_cast<unsigned>(p.width)) continue;
    const Global<float> *from = at.image + static_cast<int64_t>(s) * p.tap_w * p.image_steps.w;
#pragma unroll
    for (int row = 0; row < (kDepthwiseRows - 1) * Down + Taps; ++row) {
      const Floats<Width> x = load_inside<Width>(p, from + row * p.image_steps.h, at.h + row, true);
#pragma unroll
      for (int i = 0; i < kDepthwiseRows; ++i) {
        if (row - i * Down < 0 || row - i * Down >= Taps || i >= at.rows) continue;  // zeros would spread infinities
        sum[(row - i * Down) * TapsW + s].add(x, y[i]);
      }
    }
  }
}

// Stores the sums of a slice of the positions (blockIdx.x) to partial[slice][tap][channel]. `shared`: two doubles for
// each thread and channel.
template <int Width, int Taps, int TapsW, int Down>
__device__ __forceinline__ void depthwise_weights(const DepthwiseProblem &p, double *partial, double *shared) {
  const int lane = static_cast<int>(threadIdx.x) * Width;
  const int channel = static_cast<int>(blockIdx.y * blockDim.x) * Width + lane;
  const bool inside = channel < p.channels;
  const Global<float> *image = global(p.image) + p.multiplier.quotient(inside ? channel : 0) * p.image_steps.channel;
  const Global<float> *gradient = global(p.other) + (inside ? channel : 0) * p.pixel_steps.channel;
  DepthwiseSums<Width, Taps, TapsW> sum = {};
  const int step = static_cast<int>(gridDim.x * blockDim.y);
#pragma unroll 1
  for (int position = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y); inside && position < p.positions;
       position += step) {
    const DepthwisePlace at(p, image, position, p.strip_rows);
    if constexpr (depthwise_walks(Width, Taps, Down)) {
      walk_strip<Width, Taps, TapsW, Down>(p, at, gradient + at.pixel, sum);
    } else {
      add_strip<Width, Taps, TapsW, Down>(p, at, gradient + at.pixel, sum);
    }
  }
  // Sums over the block's places; with one channel, each warp adds its own places first.
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const bool one_channel = blockDim.x == 1;
  const int lanes = static_cast<int>(blockDim.x) * Width;
  const int rows = static_cast<int>(one_channel ? blockDim.y / 32 : blockDim.y);
#pragma unroll
  for (int tap = 0; tap < Taps * TapsW; ++tap) {
    double *buffer = shared + tap % 2 * rows * lanes;
    if (one_channel) {
      float x = sum[tap].x[0];
#pragma unroll
      for (int mask = 16; mask > 0; mask /= 2) x += shuffle_xor(x, mask);
      if (thread % 32 == 0) buffer[thread / 32] = static_cast<double>(x);
    } else {
#pragma unroll
      for (int e = 0; e < Width; ++e) buffer[threadIdx.y * lanes + lane + e] = static_cast<double>(sum[tap].x[e]);
    }
    __syncthreads();
    const int first = static_cast<int>(blockIdx.y) * lanes;
    const int64_t to = (static_cast<int64_t>(blockIdx.x) * (Taps * TapsW) + tap) * p.channels + first;
    for (int i = thread; i < lanes; i += static_cast<int>(blockDim.x * blockDim.y)) {
      if (first + i >= p.channels) break;
      double total = 0;
      for (int row = 0; row < rows; ++row) total += buffer[row * lanes + i];
      partial[to + i] = total;
    }
  }
}

// A block sums the slices of 32 elements, each by kDepthwiseSharing threads.
__device__ __forceinline__ void depthwise_sum(const DepthwiseProblem &p, const double *partial, int slices) {
  __shared__ double sums[kDepthwiseSharing][32];
  const int taps = p.r * p.s, i = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  const int64_t all = static_cast<int64_t>(taps) * p.channels;
  double sum = 0;
  if (i < all) {
#pragma unroll 8
    for (int slice = static_cast<int>(threadIdx.y); slice < slices; slice += kDepthwiseSharing)
      sum += global(partial)[slice * all + i];
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || i >= all) return;
  for (int y = 1; y < kDepthwiseSharing; ++y) sum += sums[y][threadIdx.x];
  const int tap = i / p.channels, channel = i - tap * p.channels;
  Global<float> *to = global(p.out) + channel * p.filter_channel + tap / p.s * p.filter_r + tap % p.s * p.filter_s;
  const double product = static_cast<double>(p.alpha) * sum;
  *to = static_cast<float>(p.beta != 0.0f ? fma(static_cast<double>(p.beta), static_cast<double>(*to), product)
                                          : product);
}

}  // namespace libsgemm::gpu
