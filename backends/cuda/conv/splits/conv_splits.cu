// Passes over the operands of a convolution of splits (conv_splits.h). Bound by memory.
//
//   conv_survey   a block for each filter: finds its largest magnitude, then writes its splits; for images, blocks in
//                 memory order
//   conv_split    if channels are contiguous, 256 threads x 4 times 4 channels; otherwise 64 pixels x 32 channels,
//                 transposed in shared memory
#include "conv_splits.cuh"
#include "gpu/cost.h"
#include "gpu/launch.h"

namespace libsgemm::cuda {
namespace {

constexpr int kSurveyUnits = 8, kSplitUnits = 4;  // numbers for a thread
constexpr int kPixels = 64, kChannels = 32;       // transposed at a time

template <Scheme kScheme>
constexpr int kQuadBytes = 4 * kConvFormat<kScheme>.bytes;

// 2^0 if the scheme does not scale.
template <Scheme kScheme>
__device__ __forceinline__ PowerOfTwo scale_of_image(const ConvPass &p, unsigned image) {
  if constexpr (kScaledRows<kScheme>) return PowerOfTwo(scale_of(p.most[static_cast<int>(image) * p.words_of_image]));
  return PowerOfTwo(0);
}

template <Scheme kScheme>
__device__ __forceinline__ void write_splits(const Four<uint32_t> &x, const PowerOfTwo &scale, char *to,
                                             int64_t split_bytes) {
  using SplitsOf = SplitsOfElement<kScheme>;
  Four<typename SplitsOf::Split> out[kSplits<kScheme>];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const SplitsOf splits(x.e[e], scale);
#pragma unroll
    for (int i = 0; i < kSplits<kScheme>; ++i) out[i].e[e] = splits.split[i];
  }
#pragma unroll
  for (int i = 0; i < kSplits<kScheme>; ++i) {
    *reinterpret_cast<Four<typename SplitsOf::Split> *>(to + i * split_bytes) = out[i];
  }
}

// Zeros from `channels` on.
__device__ __forceinline__ Four<uint32_t> load_channels(const uint32_t *from, int64_t step, int first, int channels) {
  Four<uint32_t> x = {};
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    if (first + e < channels) x.e[e] = from[e * step];
  }
  return x;
}

struct Range {
  uint32_t most = 0, least = 0;  // the same as in Splits

  __device__ __forceinline__ void see(uint32_t bits) {
    most = max(most, magnitude(bits));
    least = max(least, 0u - magnitude(bits));
  }
};

// Each thread gets the result.
__device__ __forceinline__ Range range_of_block(Range mine) {
  constexpr int kWarps = kPassThreads / 32;
  __shared__ uint32_t most[kWarps], least[kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  mine.most = most_of_warp(mine.most), mine.least = most_of_warp(mine.least);
  if (thread % 32 == 0) most[thread / 32] = mine.most, least[thread / 32] = mine.least;
  __syncthreads();
  Range all;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) all.most = max(all.most, most[i]), all.least = max(all.least, least[i]);
  return all;
}

template <Scheme kScheme>
__device__ __forceinline__ void survey_filter(const ConvPass &p, int filter) {
  const ConvFilters &f = p.filters;
  const int thread = static_cast<int>(threadIdx.x);
  const auto *source = reinterpret_cast<const uint32_t *>(global(f.data)) + filter * f.k;
  const auto load = [&](int i) {
    const int tap = p.tap_quads.quotient(i), channel = 4 * (i - tap * p.tap_quads.value);
    const int r = p.taps_w.quotient(tap), s = tap - r * p.taps_w.value;
    return load_channels(source + channel * f.c + r * f.r + s * f.s, f.c, channel, f.channels);
  };
  Range range;
  if constexpr (kScaledRows<kScheme>) {
    for (int i = thread; i < p.filter_quads; i += kPassThreads) {
      const Four<uint32_t> x = load(i);
#pragma unroll
      for (int e = 0; e < 4; ++e) range.see(x.e[e]);
    }
    range = range_of_block(range);
    if (thread == 0) {
      p.filter_most[filter] = range.most;
      atomicMax(p.block_most + filter / kOuterPad, range.most);
      atomicMax(p.excess + filter / kOuterPad, excess_of(range.most, range.least));
    }
  }
  const PowerOfTwo scale(scale_of(range.most));
  char *to = p.filter_splits + filter * p.filter_ld * kConvFormat<kScheme>.bytes;
  for (int i = thread; i < p.filter_quads; i += kPassThreads) {
    write_splits<kScheme>(load(i), scale, to + kQuadBytes<kScheme> * i, p.filter_split_bytes);
  }
}

__device__ __forceinline__ void survey_image(const ConvPass &p, int image, int block) {
  const auto *source = reinterpret_cast<const uint32_t *>(global(p.image.data)) + image * p.image.n;
  Range range;
#pragma unroll
  for (int j = 0; j < kSurveyUnits; ++j) {
    const int i = (block * kSurveyUnits + j) * kPassThreads + static_cast<int>(threadIdx.x);
    if (i >= p.units) break;
    const int above = p.inner.quotient(i), outer = p.middle.quotient(above);
    const uint32_t *from = source + outer * p.walk[0] + (above - outer * p.middle.value) * p.walk[1] +
                           (i - above * p.inner.value) * p.walk[2];
    if (p.vectors) {
      const Four<uint32_t> x = *reinterpret_cast<const Four<uint32_t> *>(from);
#pragma unroll
      for (int e = 0; e < 4; ++e) range.see(x.e[e]);
    } else {
      range.see(*from);
    }
  }
  range = range_of_block(range);
  if (threadIdx.x == 0) {
    atomicMax(p.most + image * p.words_of_image, range.most);
    atomicMax(p.least + image * p.words_of_image, range.least);
  }
}

template <Scheme kScheme>
__global__ void __launch_bounds__(kPassThreads) conv_survey(const __grid_constant__ ConvPass p, int filters) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const int block = static_cast<int>(blockIdx.x);
  if (block < filters) return survey_filter<kScheme>(p, block);
  const int blocks = static_cast<int>(gridDim.x - static_cast<unsigned>(filters)) / p.image.images;
  const int image = (block - filters) / blocks;
  survey_image(p, image, block - filters - image * blocks);
#endif
}

template <Scheme kScheme>
__global__ void __launch_bounds__(kPassThreads) conv_split_along_c(const __grid_constant__ ConvPass p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const ConvImage &image = p.image;
  const auto *source = reinterpret_cast<const uint32_t *>(global(image.data)) + blockIdx.y * image.n;
  const int units = image.height * image.width * p.quads.value;
  const PowerOfTwo scale = scale_of_image<kScheme>(p, blockIdx.y);
  char *to = p.image_splits + static_cast<int64_t>(blockIdx.y) * units * kQuadBytes<kScheme>;
  const int first = static_cast<int>(blockIdx.x) * (kSplitUnits * kPassThreads) + static_cast<int>(threadIdx.x);
  Four<uint32_t> x[kSplitUnits] = {};
#pragma unroll
  for (int j = 0; j < kSplitUnits; ++j) {
    const int i = first + j * kPassThreads;
    if (i >= units) break;
    const int pixel = p.quads.quotient(i), channel = 4 * (i - pixel * p.quads.value);
    const int h = p.width.quotient(pixel), w = pixel - h * p.width.value;
    x[j] = load_four(source + h * image.h + w * image.w + channel, image.channels - channel, p.c_vectors);
  }
#pragma unroll
  for (int j = 0; j < kSplitUnits; ++j) {
    const int i = first + j * kPassThreads;
    if (i >= units) break;
    write_splits<kScheme>(x[j], scale, to + kQuadBytes<kScheme> * static_cast<int64_t>(i), p.image_split_bytes);
  }
#endif
}

template <Scheme kScheme>
__global__ void __launch_bounds__(kPassThreads) conv_split_transposed(const __grid_constant__ ConvPass p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ uint32_t tile[kChannels][kPixels + 1];
  constexpr int kRows = kPassThreads / kPixels;  // number read at once
  const ConvImage &image = p.image;
  const auto *source = reinterpret_cast<const uint32_t *>(global(image.data)) + blockIdx.y * image.n;
  const int thread = static_cast<int>(threadIdx.x), pixels = image.height * image.width;
  const int tiles = (pixels - 1) / kPixels + 1;
  const int first_channel = static_cast<int>(blockIdx.x) / tiles * kChannels;
  const int first_pixel = static_cast<int>(blockIdx.x) % tiles * kPixels;
  {
    const int pixel = first_pixel + thread % kPixels;
    const int h = p.width.quotient(pixel), w = pixel - h * p.width.value;
    const uint32_t *from = source + h * image.h + w * image.w;
    uint32_t x[kChannels / kRows] = {};
#pragma unroll
    for (int i = 0; i < kChannels / kRows; ++i) {
      const int channel = first_channel + thread / kPixels + i * kRows;
      if (pixel < pixels && channel < image.channels) x[i] = from[channel * image.c];
    }
#pragma unroll
    for (int i = 0; i < kChannels / kRows; ++i) tile[thread / kPixels + i * kRows][thread % kPixels] = x[i];
  }
  __syncthreads();
  const PowerOfTwo scale = scale_of_image<kScheme>(p, blockIdx.y);
  constexpr int kQuads = kChannels / 4;
#pragma unroll
  for (int i = thread; i < kQuads * kPixels; i += kPassThreads) {
    const int quad = i % kQuads, pixel = i / kQuads;
    Four<uint32_t> x;
#pragma unroll
    for (int e = 0; e < 4; ++e) x.e[e] = tile[4 * quad + e][pixel];
    const int channel = first_channel + 4 * quad;
    if (first_pixel + pixel >= pixels || channel >= p.padded) continue;
    const int64_t at = (static_cast<int64_t>(blockIdx.y) * pixels + first_pixel + pixel) * p.padded + channel;
    write_splits<kScheme>(x, scale, p.image_splits + kConvFormat<kScheme>.bytes * at, p.image_split_bytes);
  }
#endif
}

template <Scheme kScheme>
using SchemeOf = std::integral_constant<Scheme, kScheme>;
template <class Use>
libsgemm_status_t with_scheme(Scheme scheme, const Use &use) {
  switch (scheme) {
    case Scheme::bf16x3:
      return use(SchemeOf<Scheme::bf16x3>());
    case Scheme::bf16:
      return use(SchemeOf<Scheme::bf16>());
    case Scheme::fp16:
      return use(SchemeOf<Scheme::fp16>());
    case Scheme::tf32:
      return use(SchemeOf<Scheme::tf32>());
    default:
      return use(SchemeOf<Scheme::fp16x2>());
  }
}

template <Scheme kScheme>
libsgemm_status_t survey(const ConvPass &p, const ConvSurvey &of, const Launch &launch, Error *error) {
  const int filters = of.filters ? p.filters.filters : 0;
  const int64_t blocks = of.images ? p.image.images * ceil_div(p.units, kSurveyUnits * kPassThreads) : 0;
  return launch_kernel(&conv_survey<kScheme>, dim3(static_cast<unsigned>(blocks + filters)), dim3(kPassThreads), 0,
                       launch, error, p, filters);
}

template <Scheme kScheme>
libsgemm_status_t split(const ConvPass &p, const Launch &launch, Error *error) {
  const int64_t pixels = int64_t{p.image.height} * p.image.width;
  const int64_t blocks = p.along_c ? ceil_div(pixels * p.quads.value, kSplitUnits * kPassThreads)
                                   : ceil_div(pixels, kPixels) * ceil_div(p.padded, kChannels);
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(p.image.images));
  return launch_kernel(p.along_c ? &conv_split_along_c<kScheme> : &conv_split_transposed<kScheme>, grid,
                       dim3(kPassThreads), 0, launch, error, p);
}

}  // namespace

libsgemm_status_t launch_conv_survey(Scheme scheme, const ConvPass &p, const ConvSurvey &of, const Launch &launch,
                                     Error *error) {
  return with_scheme(scheme, [&](auto s) { return survey<decltype(s)::value>(p, of, launch, error); });
}

libsgemm_status_t launch_conv_split(Scheme scheme, const ConvPass &p, const Launch &launch, Error *error) {
  return with_scheme(scheme, [&](auto s) { return split<decltype(s)::value>(p, launch, error); });
}

}  // namespace libsgemm::cuda
