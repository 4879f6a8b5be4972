// Weight gradients by wgmma: the main loop of wgmma/wgmma_engine.cuh. k runs over the pixels of the output of all
// images, x over the channels of the image, for one tap after the other, y over the filters.
//
//   df(k, c, r, s) = sum over pixels (n, p, q) of dy(n, p, q, k) x(n, p stride + r dilation - pad, ..., c)
//
// In both operands a pixel is a line of neighbouring channels (conv_splits.h), which wgmma reads MN-major. A block of
// 64 rows of x is 64 channels of one tap; TMA's im2col mode copies it for the pixels of a k-step, with zeros outside of
// an image. Beyond the last pixel dy is zero.
#pragma once

#include "cuda/conv/splits/conv_splits.cuh"
#include "cuda/wgmma/wgmma_engine.cuh"
#include "wgmma_conv.cuh"

namespace libsgemm::cuda {

struct ConvTaps {
  const ConvWindows &windows;
  int block;

  template <class Config, class Lines, int kChunk>
  __device__ __forceinline__ void copy(uint32_t shared, const TensorMap &map, int k, bool to_pair,
                                       uint32_t barrier) const {
    static_assert(!Lines::along_k && kChunk % 64 == 0, "blocks of 64 channels");
    constexpr int kBlocks = kChunk / 64;
    const ConvPixels from(windows, k);
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      int tap = windows.blocks.quotient(block + b), channel = (block + b - tap * windows.blocks.value) * 64;
      if (tap >= windows.taps) tap = 0, channel = windows.channels;  // zeros beyond the last channel
      const int r = windows.taps_w.quotient(tap), s = tap - r * windows.taps_w.value;
      const int right = s * windows.dilation_w, down = r * windows.dilation_h;
#pragma unroll
      for (int i = 0; i < Config::planes; ++i) {
        const uint32_t to = shared + (i * kBlocks + b) * (Config::depth * 128);
        const int image = from.n + i * windows.images;
        if (to_pair) {
          ptx::copy_pixels_to_pair(to, &map, channel, from.w, from.h, image, right, down, barrier);
        } else {
          ptx::copy_pixels(to, &map, channel, from.w, from.h, image, right, down, barrier);
        }
      }
    }
  }
};

struct WeightsWork : WgmmaWork {
  const ConvWindows &windows;

  __device__ __forceinline__ WeightsWork(const WgmmaMaps &maps, const WgmmaConvProblem &p)
      : WgmmaWork{maps, p.product}, windows(p.windows) {}
  __device__ __forceinline__ ConvTaps rows(int row, int) const { return {windows, row / 64}; }
};

template <class Config>
__device__ __forceinline__ void wgmma_weights(const WgmmaMaps &maps, const WgmmaConvProblem &p) {
  wgmma_products<Config>(WeightsWork(maps, p), UnreadFinish());
}

}  // namespace libsgemm::cuda
