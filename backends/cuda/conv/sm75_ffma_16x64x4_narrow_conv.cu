// Convolutions to one to four channels, directly, by FP32 multiply-adds: above all the data gradient of images of three
// channels, of which tiles of a product would be zeros for the most part.
//
// A data gradient with strides is one such convolution of dy for each remainder of rows and columns, with the taps that
// meet it; a launch takes four of them (grid: tiles, images, remainders).
//
//   tile of the output: 16 rows x 64 columns x up to 4 channels; a thread has 2 x 4 columns of a row
//
//        0  4  8 ...      32 36 ...   column
//   0    t0 t1 t2 ... t7  t0 t1 ...     rows of the image in shared memory: 64 columns and those that taps reach;
//   1    t8 t9 ...                      a thread reads 8 of them for 4 columns and up to 4 taps, and each filter's tap
//                                       of all channels as one float4, that all lanes share
//
// Shared memory, bytes: two stages of 4 channels of the image: [channel][16 + taps - 1 rows][72 columns], then
// [channel][tap][4 filters]: of 7 x 7 taps with strides of 2 48 KiB; at most 75 KiB.
//
// Requires: a forward convolution without strides to at most 4 filters, or the data gradient of images of at most 4
// channels with strides of any size; no groups; no dilation; at most 8 taps each way (of a remainder). Tensors of any
// steps and alignment.
//
// Not measured: peak_fraction is a guess.
#include <algorithm>
#include <climits>
#include <cmath>

#include "dynamic_shared.cuh"
#include "finish.h"
#include "gpu/cost.h"
#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "narrow_conv.h"
#include "ptx.h"
#include "runtime/launch.h"
#include "wgmma_conv.h"

namespace libsgemm::cuda {
namespace {

// Where a stage's rows of the image come from.
struct NarrowTile {
  const NarrowProblem &p;
  int image, row, column;  // of the output
  int rows, taps;          // of the image that the tile reads; all taps

  __device__ __forceinline__ explicit NarrowTile(const NarrowProblem &p)
      : p(p),
        image(static_cast<int>(blockIdx.y)),
        row(static_cast<int>(blockIdx.x) / p.tiles_w * kNarrowRows),
        column(static_cast<int>(blockIdx.x) % p.tiles_w * kNarrowColumns),
        rows(kNarrowRows + p.filters.taps_h - 1),
        taps(p.filters.taps_h * p.filters.taps_w) {}

  __device__ __forceinline__ float *filters_of(float *stage) const {
    return stage + kNarrowDepth * rows * kNarrowPitch;
  }

  // Channels `first` on.
  __device__ __forceinline__ void copy(float *stage, int first, bool channels_next) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    constexpr int kWarps = kNarrowThreads / 32;
    const float *from = global(p.image.data) + image * p.image.n;
    const int columns = kNarrowColumns + p.filters.taps_w - 1;
    const auto copy_one = [&](int channel, int h, int w) {
      const int c = first + channel, in_h = p.first_h + row + h, in_w = p.first_w + column + w;
      const bool inside = c < p.image.channels && static_cast<unsigned>(in_h) < static_cast<unsigned>(p.image.height) &&
                          static_cast<unsigned>(in_w) < static_cast<unsigned>(p.image.width);
      ptx::copy_async_4(stage + (channel * rows + h) * kNarrowPitch + w,
                        from + c * p.image.c + in_h * p.image.h + in_w * p.image.w, inside);
    };
    if (channels_next) {
      for (int h = warp; h < rows; h += kWarps) {
        for (int w = lane / kNarrowDepth; w < columns; w += 32 / kNarrowDepth) copy_one(lane % kNarrowDepth, h, w);
      }
    } else {
      for (int line = warp; line < kNarrowDepth * rows; line += kWarps) {
        const int channel = line / rows;
        for (int w = lane; w < columns; w += 32) copy_one(channel, line - channel * rows, w);
      }
    }
    float *filters = filters_of(stage);
    for (int i = static_cast<int>(threadIdx.x); i < kNarrowDepth * taps * 4; i += kNarrowThreads) {
      const int filter = i % 4, tap = i / 4 % taps, channel = i / 4 / taps;
      const int r = tap / p.filters.taps_w, s = tap - r * p.filters.taps_w;
      ptx::copy_async_4(filters + i,
                        global(p.filters.data) + filter * p.filters.k + (first + channel) * p.filters.c +
                            r * p.filters.r + s * p.filters.s,
                        filter < p.filters.filters && first + channel < p.image.channels);
    }
    ptx::commit_copies();
  }
};

constexpr int kHalves = 2, kEach = 4;  // of a thread's columns
constexpr int kTaps = 4;               // that are multiplied with what has been read

template <int kChannels>
__device__ __forceinline__ void multiply(float (&sum)[kHalves][kEach][kChannels], const NarrowTile &tile,
                                         float *stage) {
  const int lane = static_cast<int>(threadIdx.x) % 8, row = static_cast<int>(threadIdx.x) / 8;
  const int taps_h = tile.p.filters.taps_h, taps_w = tile.p.filters.taps_w;
  const float4 *filter = reinterpret_cast<const float4 *>(tile.filters_of(stage));
#pragma unroll 1
  for (int channel = 0; channel < kNarrowDepth; ++channel) {
    const float *line = stage + (channel * tile.rows + row) * kNarrowPitch + lane * kEach;
#pragma unroll 1
    for (int r = 0; r < taps_h; ++r, line += kNarrowPitch) {
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
#pragma unroll
        for (int t = 0; t < kTaps; ++t) {
          if (s + t >= taps_w) break;
          const float4 v = *filter++;
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
    }
  }
}

}  // namespace

template <int kChannels>
__global__ void __launch_bounds__(kNarrowThreads)
    sm75_ffma_16x64x4_narrow_conv(const __grid_constant__ NarrowProblems problems) {
  const NarrowProblem &p = problems.problem[blockIdx.z];
  if (static_cast<int>(blockIdx.x) >= p.tiles) return;
  const NarrowTile tile(p);
  float *stage = dynamic_shared(), *other = stage + problems.stage_floats;
  float sum[kHalves][kEach][kChannels] = {};
  const int channels = tile.taps > 0 ? p.image.channels : 0;
  if (channels > 0) tile.copy(stage, 0, problems.channels_next);
#pragma unroll 1
  for (int first = 0; first < channels; first += kNarrowDepth) {
    if (first + kNarrowDepth < channels) {
      tile.copy(other, first + kNarrowDepth, problems.channels_next);
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
  const int row = tile.row + static_cast<int>(threadIdx.x) / 8;
  if (row >= p.p) return;
  Global<float> *to = global(p.out) + tile.image * p.out_n + row * p.out_h;
#pragma unroll
  for (int half = 0; half < kHalves; ++half) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int column = tile.column + half * kNarrowColumns / 2 + static_cast<int>(threadIdx.x) % 8 * kEach + i;
      if (column >= p.q) break;
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        if (c >= p.filters.filters) break;
        Global<float> *element = to + column * p.out_w + c * p.out_k;
        const float x = scaled(problems.alpha, sum[half][i][c]);
        *element = problems.beta != 0.0f ? accumulated(x, problems.beta, *element) : x;
      }
    }
  }
}

namespace {

struct Narrow {
  static bool supports(const ConvDesc &desc, int) {
    constexpr int64_t kMostImages = 65535;
    if (desc.direction == Conv::weight_gradient || desc.groups != 1 || !conv_fits(desc)) return false;
    const int64_t channels = desc.direction == Conv::forward ? desc.k : desc.c;
    const int64_t tiles = ceil_div(desc.direction == Conv::forward ? desc.p : desc.h, kNarrowRows) *
                          ceil_div(desc.direction == Conv::forward ? desc.q : desc.w, kNarrowColumns);
    if (channels > 4 || desc.n > kMostImages || tiles > INT_MAX / 2) return false;
    for (int64_t index = 0; index < conv_products(desc); ++index) {
      const ConvGeometry g = conv_geometry(desc, index);
      const auto narrow = [](int stride, int dilation, int taps, int size) {
        return (stride == 1 || size == 1) && (dilation == 1 || taps <= 1) && taps <= kNarrowTaps;
      };
      if (!narrow(g.stride_h, g.dilation_h, g.filters.taps_h, g.p) ||
          !narrow(g.stride_w, g.dilation_w, g.filters.taps_w, g.q)) {
        return false;
      }
    }
    return true;
  }

  static double cost(const ConvDesc &desc, int index) {
    constexpr double kPeakFraction = 0.45;
    const Device &d = device(index);
    double terms = 0;  // of all columns of all tiles
    for (int64_t i = 0; i < conv_products(desc); ++i) {
      const NarrowProblem p = problem(desc, i);
      terms += static_cast<double>(p.tiles) * kNarrowRows * kNarrowColumns * p.image.channels * p.filters.taps_h *
               p.filters.taps_w;
    }
    const int channels = problem(desc, 0).filters.filters;
    const double seconds = 2 * terms * static_cast<double>(desc.n) * instance(channels) / (kPeakFraction * fma_peak(d));
    const double launches = std::ceil(static_cast<double>(conv_products(desc)) / NarrowProblems::kMost);
    return kLaunchSeconds * launches + overlapped(seconds, memory_seconds(d, conv_bytes(desc)));
  }

  static libsgemm_status_t launch(const ConvDesc &desc, const Launch &launch, Error *error) {
    const int64_t products = conv_products(desc);
    libsgemm_status_t status = LIBSGEMM_SUCCESS;
    for (int64_t first = 0; first < products && status == LIBSGEMM_SUCCESS; first += NarrowProblems::kMost) {
      NarrowProblems problems = {};
      problems.alpha = desc.alpha, problems.beta = desc.beta;
      const int count = static_cast<int>(std::min<int64_t>(products - first, NarrowProblems::kMost));
      int tiles = 0;
      for (int i = 0; i < count; ++i) {
        const NarrowProblem p = problem(desc, first + i);
        problems.problem[i] = p;
        tiles = std::max(tiles, p.tiles);
        const int rows = kNarrowRows + std::max(p.filters.taps_h, 1) - 1;
        const int floats = kNarrowDepth * (rows * kNarrowPitch + 4 * p.filters.taps_h * p.filters.taps_w);
        problems.stage_floats = std::max(problems.stage_floats, floats);
        problems.channels_next = p.image.c == 1;
      }
      const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(desc.n), static_cast<unsigned>(count));
      const auto enqueue = [&](auto kernel) {
        return launch_kernel(kernel, grid, dim3(kNarrowThreads), 8 * static_cast<size_t>(problems.stage_floats), launch,
                             error, problems);
      };
      const int channels = instance(problems.problem[0].filters.filters);
      status = channels == 1   ? enqueue(&sm75_ffma_16x64x4_narrow_conv<1>)
               : channels == 3 ? enqueue(&sm75_ffma_16x64x4_narrow_conv<3>)
                               : enqueue(&sm75_ffma_16x64x4_narrow_conv<4>);
    }
    return status;
  }

 private:
  // The channels of a kernel that has so many.
  static int instance(int channels) { return channels == 2 ? 3 : channels; }

  static NarrowProblem problem(const ConvDesc &desc, int64_t index) {
    const ConvGeometry g = conv_geometry(desc, index);
    NarrowProblem p = {g.image, g.filters, g.p,     g.q,     g.first_h, g.first_w, g.out,
                       g.out_n, g.out_h,   g.out_w, g.out_k, 0,         0};
    p.tiles_w = static_cast<int>(ceil_div(g.q, kNarrowColumns));
    p.tiles = static_cast<int>(ceil_div(g.p, kNarrowRows)) * p.tiles_w;
    return p;
  }
};

}  // namespace

Kernel sm75_ffma_16x64x4_narrow_conv() {
  static constexpr ConvLaunch conv = {Narrow::supports, Narrow::cost, nullptr, Narrow::launch};
  return conv_row("sm75_ffma_16x64x4_narrow_conv", LIBSGEMM_MATH_FP32, "", &conv);
}

}  // namespace libsgemm::cuda
