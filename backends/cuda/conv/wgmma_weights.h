// The host's side of weight gradients by wgmma (wgmma_weights.cuh): how a call lies to them, and how it is cut.
//
//   workspace: [if scaled: for each part four words, the largest and smallest magnitudes of x and of dy][slices of the
//              sums][splits of x, of so many images as fit][those of dy]
//
// All images at once, or some after the others, whose sums the output accumulates. The pixels of a part are cut into
// slices, since there are few tiles of filters.
#pragma once

#include "wgmma_conv.h"

namespace libsgemm::cuda {

// The windows of x over the pixels of dy, as the forward convolution has them.
ConvGeometry weights_geometry(const ConvDesc &desc);
ConvImage weights_dy(const ConvDesc &desc);
// Whether TMA can walk over them, without groups.
bool conv_weights_fit(const ConvDesc &desc);

struct ConvWeightsLayout {
  int64_t images;    // at a time; 0: not even one fits
  int64_t rows, ld;  // of a slice: channels of all taps, up to multiples of 64; filters, up to a multiple of 4
  int most_slices;
  size_t words_bytes, slice_bytes, x_bytes, y_bytes;  // the last two of a split of an image
  size_t least_bytes;                                 // of all, for one image at a time and one slice

  size_t sums_bytes() const { return static_cast<size_t>(most_slices) * slice_bytes; }
};
ConvWeightsLayout conv_weights_layout(const ConvDesc &desc, const ConvFormat &format, size_t bytes);

// The passes over so many images from `first` on, which are part number `part`.
struct ConvWeightsPasses {
  ConvPass x, dy;
};
ConvWeightsPasses conv_weights_passes(const ConvDesc &desc, const ConvFormat &format, const ConvWeightsLayout &l,
                                      void *workspace, int64_t first, int64_t count, int64_t part);

// Slices for so many clusters of tiles, of `steps` steps, on `units` places for clusters.
int conv_weights_slices(int64_t clusters, int64_t steps, int64_t units, int most);

// The sum of slices of such a part.
ConvWeightsSum conv_weights_sum(const ConvDesc &desc, const ConvFormat &format, const ConvWeightsLayout &l,
                                void *workspace, int64_t part, int slices, bool keeps_bound);

}  // namespace libsgemm::cuda
