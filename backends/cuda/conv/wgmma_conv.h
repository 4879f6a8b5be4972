// The host's side of convolutions of split operands (wgmma_conv.cuh): how a call lies to them, and how it is cut.
//
//   workspace: [if scaled: largest and smallest magnitudes of images][largest of filters, and of blocks of them][splits
//              of the filters][splits of so many images as fit]
//
// All images at once, or some after the others, each time with all passes over them and the tiles that are left out. A
// data gradient with strides is several convolutions (gpu/conv_product.h) of the same images, one after the other, each
// with some taps of the filters.
#pragma once

#include "gpu/conv_plan.h"
#include "gpu/cost.h"
#include "runtime/device.h"
#include "runtime/tensor_map.h"
#include "wgmma_conv_problem.h"

namespace libsgemm::cuda {

// One of the convolutions, with all steps from tap to tap down and to the right.
struct ConvGeometry {
  ConvImage image;
  ConvFilters filters;
  int p, q;  // of the output
  int first_h, first_w, stride_h, stride_w, dilation_h, dilation_w;
  float *out;
  int64_t out_n, out_h, out_w, out_k;
};

// Whether TMA can walk over its windows.
bool windows_fit(const ConvGeometry &g);
// Whether they are such that TMA can walk over them, and the output's pixels lie in the order in which it does.
bool wgmma_conv_fits(const ConvDesc &desc);
ConvGeometry conv_geometry(const ConvDesc &desc, int64_t index);
ConvGeometry conv_geometry(const ConvDesc &desc, const ConvProduct &product);
// Of an element of the output, of the convolution that has the fewest taps.
int64_t conv_least_terms(const ConvDesc &desc);
// Images `first` to `first` + `count`, alone.
ConvDesc conv_images(const ConvDesc &desc, int64_t first, int64_t count);

// Whether the pixels of the output of so many images are equally far apart.
bool evenly_apart(const ConvGeometry &g, int64_t images);

// How long it takes to store a tile of C, by how the output lies: rows whose channels are neighbours, or element by
// element; and the same where pixels are not evenly apart, as those of a data gradient with strides.
struct ConvStoreSteps {
  double rows, elements, rows_apart, elements_apart;
};
double store_steps(const ConvGeometry &g, int64_t images, const ConvStoreSteps &steps);

// Steps of the sum.
int64_t conv_steps(const ConvGeometry &g, const ConvFormat &format);

struct ConvSplitsLayout {
  bool in_place;   // the images need no pass: TMA rounds them to TF32 on their way
  int64_t images;  // at a time; 0: not even one fits
  size_t words_bytes, filter_bytes, filter_split_bytes;
  int64_t filter_rows;  // up to a multiple of kOuterPad
  size_t image_bytes;   // of a split of one image
  size_t least_bytes;   // of all, for one image at a time
};
ConvSplitsLayout conv_splits_layout(const ConvDesc &desc, const ConvFormat &format, size_t bytes);

// The passes over so many images from `first` on: what they are told of the images.
ConvPass image_pass(const ConvImage &all, int64_t first, int64_t count);
// The passes over so many images from `first` on. `g`: of all.
ConvPass conv_pass(const ConvGeometry &g, const ConvFormat &format, const ConvSplitsLayout &l, void *workspace,
                   int64_t first, int64_t count);
// Bytes of the splits of all images, and those that the passes over the images and over the filters read and write.
double image_split_bytes(const ConvGeometry &g, const ConvFormat &format);
double image_pass_bytes(const ConvGeometry &g, const ConvFormat &format);
double filter_pass_bytes(const ConvGeometry &g, const ConvFormat &format);

// What the kernel is told of those images; `keeps_bound`: in mode fp32_fast.
WgmmaConvProblem conv_windows(const ConvGeometry &g, const ConvFormat &format, const ConvPass &pass, bool keeps_bound);
// Of a matrix of `along` x `across` whose splits lie `split_bytes` apart; a box takes `box` of it, of `box_splits`.
TensorBoxes split_boxes(const void *base, int64_t along, int64_t across, int64_t split_bytes, const ConvFormat &format,
                        const uint32_t (&box)[2], uint32_t box_splits, uint32_t swizzle);
// `in_place`: of the images themselves, not of their splits.
ImageBoxes conv_boxes(const ConvGeometry &g, const ConvFormat &format, const ConvPass &pass, uint32_t pixels,
                      bool in_place = false);

}  // namespace libsgemm::cuda
