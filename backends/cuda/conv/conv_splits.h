// Split operands of convolutions (splits/splits.h has the schemes): how they lie in the workspace, and who judges
// whether they suffice. Host and device.
//
//   image     split i of image n, pixel (h, w), channel c:
//             base + i * split_bytes + (((n * height + h) * width + w) * padded + c) * bytes
//   filters   split i of filter k, tap (r, s), channel c:
//             base + i * split_bytes + (k * ld + (r * taps along w + s) * blocks * step + c) * bytes
//
// Channels are padded with zeros to a multiple of 8 in the image, and in the filters of `step`, the channels of one tap
// that are a step of the product (ConvFormat); TMA brings zeros for those that the image lacks.
//
// In the modes fp16, bf16 and tf32 there is one split, which is not scaled, and nothing is left out.
//
// A filter is a row that is scaled by its largest magnitude, as those of products are. What an element of the output is
// summed from lies in windows of the image that overlap, so that an image has one scale, by the largest magnitude of
// all its channels and pixels. What splits.h says of rows holds for images: in mode fp16x3 what is below 2^-49 of the
// largest element of the image is lost, in bf16x6 what is below 2^-148; in mode fp32_fast an image spans few powers of
// two, or else FP64 computes what comes from it, and then the sums that are left keep the bound that is proven there,
// since none of the lines needs more of a window than the whole image has. (That elements which are dense may be tiny
// is not looked at.)
#pragma once

#include "gpu/conv_problem.h"
#include "gpu/divisor.h"
#include "gpu/splits/splits.h"

namespace libsgemm::cuda {

using namespace gpu;

// How the numbers of a scheme are kept.
struct ConvFormat {
  int splits, bytes;
  int channels;  // of a step of the product: of several splits 64 bytes, else 128
  bool scaled;
};
template <Scheme kScheme>
constexpr ConvFormat kConvFormat = {kSplits<kScheme>, kScheme == Scheme::tf32 ? 4 : 2,
                                    kSplits<kScheme> > 1 || kScheme == Scheme::tf32 ? 32 : 64, kScaledRows<kScheme>};

// Where FP32 numbers are, in elements; extents of what is walked over.
struct ConvImage {
  const float *data;
  int64_t n, c, h, w;  // steps
  int images, channels, height, width;
};
struct ConvFilters {
  const float *data;
  int64_t k, c, r, s;  // steps; those of taps may be negative
  int filters, channels, taps_h, taps_w;
};

// Of what is left to FP64: tiles of kOuterPad pixels x kOuterPad filters.
struct ConvGuard {
  const uint32_t *most, *least;      // of each image; as in Splits
  const uint32_t *filters, *excess;  // of each kOuterPad filters
  gpu::Divisor pixels;               // of the output, of an image
  int images;
  int log2_k;       // of the terms, rounded up
  int most_excess;  // of mode fp32_fast; below 0: it is not asked
};

// The passes over the images of a launch, and over the filters.
struct ConvPass {
  ConvImage image;
  // The elements of an image in the order of memory: in three loops, four at a time if `vectors`.
  gpu::Divisor middle, inner;
  int64_t walk[3];
  int units;  // of an image
  bool vectors;

  bool along_c;               // channels are neighbours
  bool c_vectors;             // four at a time
  int padded;                 // channels
  gpu::Divisor quads, width;  // of padded channels, of pixels
  char *image_splits;
  int64_t image_split_bytes;
  uint32_t *most, *least;  // of each image; `least` as in Splits
  int words_of_image;      // 0: all images have one scale; else 1

  ConvFilters filters;
  gpu::Divisor tap_quads, taps_w;  // of a tap
  int filter_quads;
  char *filter_splits;
  int64_t filter_split_bytes, filter_ld;
  uint32_t *filter_most, *block_most, *excess;  // of each filter, of each kOuterPad
};

// Whose largest magnitudes are asked for, if the scheme scales; of the filters all that is to be known, and their
// splits. The words of images are zero before; those of blocks of filters may be of other taps of the same, and then
// hold for these, too.
struct ConvSurvey {
  bool images, filters;
};
libsgemm_status_t launch_conv_survey(Scheme scheme, const ConvPass &pass, const ConvSurvey &of, const Launch &launch,
                                     Error *error);
// The splits of the images.
libsgemm_status_t launch_conv_split(Scheme scheme, const ConvPass &pass, const Launch &launch, Error *error);
// What the guard leaves out of product `index`, with sums in FP64.
libsgemm_status_t launch_conv_repair(const ConvDesc &desc, int64_t index, const ConvGuard &guard, const Launch &launch,
                                     Error *error);

// ---- The weight gradient: sums over the pixels of all images, each tensor with one scale

// Of the two, whether their product is left to FP64.
struct ConvWeightsGuard {
  const uint32_t *words;    // most and least of x, most and least of dy; null: never
  int log2_k, most_excess;  // as of ConvGuard
};

// The filters' gradient from slices of its sums: element (i, k) of slice s is sums[s * slice + i * ld + k], i the
// channel i % 64 of block i / 64 % blocks of tap i / (64 * blocks).
struct ConvWeightsSum {
  const float *sums;
  int64_t slice, ld;
  int slices, rows;
  gpu::Divisor blocks, taps_w;
  ConvFilters filters;
  float *out;
  float alpha, beta;
  ConvWeightsGuard guard;
};
libsgemm_status_t launch_conv_weights_sum(const ConvWeightsSum &sum, const Launch &launch, Error *error);
// `sums`: room for slices, of doubles.
libsgemm_status_t launch_conv_weights_repair(const ConvDesc &desc, const ConvWeightsGuard &guard, void *sums,
                                             size_t sums_bytes, const Launch &launch, Error *error);
// Adds those slices.
libsgemm_status_t launch_conv_repair_sum(const gpu::ConvProblem &p, int slices, const ConvWeightsGuard &guard,
                                         const Launch &launch, Error *error);

}  // namespace libsgemm::cuda
