// Weight gradients by wgmma: the engine of wgmma/wgmma_engine.cuh, whose k are the pixels of the output of all images,
// whose x are channels of the image, tap after tap, and whose y are filters.
//
//   df(k, c, r, s) = sum over pixels (n, p, q) of dy(n, p, q, k) x(n, p stride + r dilation - pad, ..., c)
//
// Both operands have pixels as lines, channels as neighbours (conv_splits.h), and wgmma reads them along their outer
// side. A block of 64 rows of x is 64 channels of one tap; TMA in its im2col mode brings them for as many pixels as a
// step has, from the first on, along rows and images. What is outside of an image is zero; what is behind the last
// pixel is multiplied with the zeros that TMA brings for dy there.
#pragma once

#include "conv_splits.cuh"
#include "wgmma/wgmma_engine.cuh"
#include "wgmma_conv.cuh"

namespace libsgemm::cuda {

// Blocks of 64 channels of taps, from one on.
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
      if (tap >= windows.taps) tap = 0, channel = windows.channels;  // zeros
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

// Sums of slices, which are neither scaled nor added yet.
template <class Config>
__device__ __forceinline__ void wgmma_weights(const WgmmaMaps &maps, const WgmmaConvProblem &p) {
  wgmma_products<Config>(WeightsWork(maps, p), UnreadFinish());
}

}  // namespace libsgemm::cuda
