// Convolutions of split operands (conv_splits.h) by wgmma: the main loop of wgmma/wgmma_engine.cuh with pixels of the
// output as x and filters as y. A k-step is Config::depth channels of one tap. For x, TMA's im2col mode walks over the
// pixels, reads each at the offset of the tap, and fills in zeros outside of an image.
//
// Image n of split i is image i * images + n of the map. If a tile has fewer pixels than rows, TMA also copies some of
// the next split, which are never stored.
#pragma once

#include "cuda/conv/splits/conv_splits.cuh"
#include "cuda/splits/wgmma_split.cuh"
#include "wgmma_conv_problem.h"

namespace libsgemm::cuda {

struct ConvPixels {
  const ConvWindows &windows;
  int n, h, w;  // place that tap 0 reads

  __device__ __forceinline__ ConvPixels(const ConvWindows &windows, int pixel) : windows(windows) {
    n = windows.pixels.quotient(pixel);
    const int within = pixel - n * windows.pixels.value, p = windows.width.quotient(within);
    h = windows.first_h + p * windows.stride_h;
    w = windows.first_w + (within - p * windows.width.value) * windows.stride_w;
  }

  template <class Config, class Lines, int kChunk>
  __device__ __forceinline__ void copy(uint32_t shared, const TensorMap &map, int k, bool to_pair,
                                       uint32_t barrier) const {
    static_assert(Lines::along_k, "a step is a block of channels");
    const int step = k / Config::depth;
    int tap = windows.blocks.quotient(step), channel = (step - tap * windows.blocks.value) * Config::depth;
    if (tap >= windows.taps) tap = 0, channel = windows.channels;  // zeros beyond the last channel
    const int r = windows.taps_w.quotient(tap), s = tap - r * windows.taps_w.value;
#pragma unroll
    for (int i = 0; i < Config::planes; ++i) {
      const uint32_t to = shared + i * (kChunk * Config::row_bytes);
      const int image = n + i * windows.images;
      if (to_pair) {
        ptx::copy_pixels_to_pair(to, &map, channel, w, h, image, s * windows.dilation_w, r * windows.dilation_h,
                                 barrier);
      } else {
        ptx::copy_pixels(to, &map, channel, w, h, image, s * windows.dilation_w, r * windows.dilation_h, barrier);
      }
    }
  }
};

struct ConvWork : WgmmaWork {
  const ConvWindows &windows;

  __device__ __forceinline__ ConvWork(const WgmmaMaps &maps, const WgmmaConvProblem &p)
      : WgmmaWork{maps, p.product}, windows(p.windows) {}
  __device__ __forceinline__ ConvPixels rows(int pixel, int) const { return {windows, pixel}; }
};

__device__ __forceinline__ float *place_of_pixel(const ConvWindows &windows, const WgmmaOutput &out, int pixel) {
  const int n = windows.pixels.quotient(pixel), within = pixel - n * windows.pixels.value;
  const int h = windows.width.quotient(within), w = within - h * windows.width.value;
  return out.c + n * windows.out_n + h * windows.out_h + w * windows.out_w;
}

struct PlainConvFinish : UnreadFinish {
  static constexpr bool dense = false;
  const ConvWindows &windows;

  __device__ __forceinline__ explicit PlainConvFinish(const WgmmaConvProblem &p) : windows(p.windows) {}
  __device__ __forceinline__ PlainConvFinish operator()(int, int, int) const { return *this; }
  __device__ __forceinline__ float *place(const WgmmaOutput &out, int pixel) const {
    return place_of_pixel(windows, out, pixel);
  }
};

struct ConvTileFinish : SplitTileFinish {
  static constexpr bool dense = false;
  const ConvWindows &windows;

  __device__ __forceinline__ ConvTileFinish(const WgmmaConvProblem &p, bool wanted)
      : SplitTileFinish(wanted, p.guard.most, p.filter_most), windows(p.windows) {}
  __device__ __forceinline__ int row(int pixel) const {
    return scale_of(__ldg(most_x + windows.pixels.quotient(pixel)));
  }
  __device__ __forceinline__ float *place(const WgmmaOutput &out, int pixel) const {
    return place_of_pixel(windows, out, pixel);
  }
};

struct ConvFinish {
  const WgmmaConvProblem &p;

  __device__ __forceinline__ ConvTileFinish operator()(int, int x, int y) const {
    const bool inside = x < p.product.x && y < p.product.y;
    return {p, inside && !left_out(p.guard, x / kOuterPad, y / kOuterPad)};
  }
};

template <class Config>
__device__ __forceinline__ void wgmma_conv(const WgmmaMaps &maps, const WgmmaConvProblem &p) {
  if constexpr (Config::planes == 1) {
    wgmma_products<Config>(ConvWork(maps, p), PlainConvFinish(p));
  } else {
    wgmma_products<Config>(ConvWork(maps, p), ConvFinish{p});
  }
}

}  // namespace libsgemm::cuda
