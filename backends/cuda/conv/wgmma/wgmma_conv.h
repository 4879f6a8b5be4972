// Host side of convolutions of split or rounded operands (wgmma_conv.cuh).
//
//   workspace: [if scaled: largest and smallest magnitudes of images; largest of filters; largest and excesses of
//              blocks of filters][splits of the filters][splits of as many images as fit]
//
// Launches: conv_survey writes the splits of the filters and, if scaled, finds the magnitudes. For as many images as
// fit at a time, conv_split writes the splits, wgmma multiplies, and, if scaled, sm90_conv_repair computes the tiles
// that are left out. A data gradient with strides is several convolutions (gpu/conv/conv_product.h) of the same images,
// each with some taps of the filters.
#pragma once

#include "cuda/runtime/device.h"
#include "cuda/runtime/tensor_map.h"
#include "gpu/conv/conv_plan.h"
#include "gpu/cost.h"
#include "wgmma_conv_problem.h"

namespace libsgemm::cuda {

// A convolution as TMA sees it. Taps run down and to the right: dilations are not negative.
struct ConvGeometry {
  ConvImage image;
  ConvFilters filters;
  int p, q;
  int first_h, first_w, stride_h, stride_w, dilation_h, dilation_w;
  float *out;
  int64_t out_n, out_h, out_w, out_k;
};

bool windows_fit(const ConvGeometry &g);
// True if TMA can walk over all windows of the call, in the output's order in memory.
bool wgmma_conv_fits(const ConvDesc &desc);
ConvGeometry conv_geometry(const ConvDesc &desc, int64_t index);
ConvGeometry conv_geometry(const ConvDesc &desc, const ConvProduct &product);
// Terms of an output in the convolution with the fewest taps.
int64_t conv_least_terms(const ConvDesc &desc);
ConvDesc conv_images(const ConvDesc &desc, int64_t first, int64_t count);

// True if the pixels of `images` images of the output are equally far apart in memory.
bool evenly_apart(const ConvGeometry &g, int64_t images);

// Time to store a tile, in the unit of kBeginSteps (wgmma_conv_kernel.h), by rows if channels are contiguous, or by
// elements; _apart: pixels that are not evenly apart, as in a data gradient with strides.
struct ConvStoreSteps {
  double rows, elements, rows_apart, elements_apart;
};
double store_steps(const ConvGeometry &g, int64_t images, const ConvStoreSteps &steps);

int64_t conv_steps(const ConvGeometry &g, const ConvFormat &format);

struct ConvSplitsLayout {
  bool in_place;   // TMA rounds the images to TF32 as it copies
  int64_t images;  // images at a time; 0: not even one fits
  size_t words_bytes, filter_bytes, filter_split_bytes;
  int64_t filter_rows;  // rounded up to a multiple of kOuterPad
  size_t image_bytes;   // size of a split
  size_t least_bytes;   // size with one image at a time
};
ConvSplitsLayout conv_splits_layout(const ConvDesc &desc, const ConvFormat &format, size_t bytes);

// A pass over `count` images from `first` on, without filters.
ConvPass image_pass(const ConvImage &all, int64_t first, int64_t count);
// The same with filters. `g`: geometry of all images.
ConvPass conv_pass(const ConvGeometry &g, const ConvFormat &format, const ConvSplitsLayout &l, void *workspace,
                   int64_t first, int64_t count);
// Size of the splits of all images; traffic of the passes.
double image_split_bytes(const ConvGeometry &g, const ConvFormat &format);
double image_pass_bytes(const ConvGeometry &g, const ConvFormat &format);
double filter_pass_bytes(const ConvGeometry &g, const ConvFormat &format);

// Describes the product of the images of `pass`. `keeps_bound`: mode fp32_fast.
WgmmaConvProblem conv_windows(const ConvGeometry &g, const ConvFormat &format, const ConvPass &pass, bool keeps_bound);
// A matrix of `along` x `across` whose splits are `split_bytes` apart. A copy takes `box` of each of `box_splits`
// splits.
TensorBoxes split_boxes(const void *base, int64_t along, int64_t across, int64_t split_bytes, const ConvFormat &format,
                        const uint32_t (&box)[2], uint32_t box_splits, uint32_t swizzle);
ImageBoxes conv_boxes(const ConvGeometry &g, const ConvFormat &format, const ConvPass &pass, uint32_t pixels,
                      bool in_place = false);

}  // namespace libsgemm::cuda
