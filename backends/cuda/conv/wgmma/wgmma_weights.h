// Host side of weight gradients by wgmma (wgmma_weights.cuh).
//
//   workspace: [if scaled: for each part four words, the largest and smallest magnitudes of x and of dy][slices of the
//              sums][splits of x, of as many images as fit][those of dy]
//
// Launches: if scaled, conv_survey finds the magnitudes; conv_split writes the splits of as many images as fit; wgmma
// multiplies slices of the pixels, since there are few tiles of filters; conv_weights_sum adds the slices; if scaled,
// sm90_conv_repair computes everything in FP64 instead if a tensor holds NaN or Inf or the sums may overflow. The parts
// accumulate into the output.
#pragma once

#include "wgmma_conv.h"

namespace libsgemm::cuda {

// Windows of x over the pixels of dy, as in the forward convolution.
ConvGeometry weights_geometry(const ConvDesc &desc);
ConvImage weights_dy(const ConvDesc &desc);
// True if TMA can walk over these windows, and there are no groups.
bool conv_weights_fit(const ConvDesc &desc);

struct ConvWeightsLayout {
  int64_t images;    // images at a time; 0: not even one fits
  int64_t rows, ld;  // taps times channels, which are padded to 64; filters, padded to 4
  int most_slices;
  size_t words_bytes, slice_bytes, x_bytes, y_bytes;  // x, y: one split of one image
  size_t least_bytes;                                 // size with one image at a time and one slice

  size_t sums_bytes() const { return static_cast<size_t>(most_slices) * slice_bytes; }
};
ConvWeightsLayout conv_weights_layout(const ConvDesc &desc, const ConvFormat &format, size_t bytes);

struct ConvWeightsPasses {
  ConvPass x, dy;
};
// Passes that split `count` images from `first` on, which are part number `part`.
ConvWeightsPasses conv_weights_passes(const ConvDesc &desc, const ConvFormat &format, const ConvWeightsLayout &l,
                                      void *workspace, int64_t first, int64_t count, int64_t part);

// Number of slices, at most `most`, into which sums of `steps` k-steps are cut. A slice takes `clusters` clusters;
// `units` run at once.
int conv_weights_slices(int64_t clusters, int64_t steps, int64_t units, int most);

ConvWeightsSum conv_weights_sum(const ConvDesc &desc, const ConvFormat &format, const ConvWeightsLayout &l,
                                void *workspace, int64_t part, int slices, bool keeps_bound);

}  // namespace libsgemm::cuda
