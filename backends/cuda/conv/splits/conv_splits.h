// Split operands of convolutions (schemes: splits/splits.h): their layout in the workspace, and guards that leave to
// FP64 what splits cannot represent. Host and device.
//
//   image     split i of image n, pixel (h, w), channel c:
//             base + i * split_bytes + (((n * height + h) * width + w) * padded + c) * bytes
//   filters   split i of filter k, tap (r, s), channel c:
//             base + i * split_bytes + (k * ld + (r * taps along w + s) * blocks * step + c) * bytes
//
// Channels are padded with zeros: in the image to a multiple of 8, in the filters to `blocks` x `step`, a k-step having
// `step` channels of one tap. TMA fills in the zeros that the image lacks. The modes fp16, bf16 and tf32 have one
// split, which is not scaled, and no guard.
//
// A filter is scaled by its largest magnitude. An image has one scale, since its windows overlap: bits below 2^-49 of
// its largest are lost in mode fp16x3, below 2^-148 in bf16x6. In mode fp32_fast, FP64 computes the output of an image
// that spans too many powers of two, dense or not. For others the proof in docs/kernels/splits.md holds: a window's
// range is within its image's.
#pragma once

#include "gpu/conv/conv_problem.h"
#include "gpu/divisor.h"
#include "gpu/splits/splits.h"

namespace libsgemm::cuda {

using namespace gpu;

struct ConvFormat {
  int splits, bytes;
  int channels;  // those of a k-step: 64 bytes with several splits, else 128
  bool scaled;
};
template <Scheme kScheme>
constexpr ConvFormat kConvFormat = {kSplits<kScheme>, kScheme == Scheme::tf32 ? 4 : 2,
                                    kSplits<kScheme> > 1 || kScheme == Scheme::tf32 ? 32 : 64, kScaledRows<kScheme>};

// int64_t: strides in elements; int: extents.
struct ConvImage {
  const float *data;
  int64_t n, c, h, w;
  int images, channels, height, width;
};
struct ConvFilters {
  const float *data;
  int64_t k, c, r, s;  // those of taps may be negative
  int filters, channels, taps_h, taps_w;
};

// Selects the tiles of kOuterPad pixels x kOuterPad filters for FP64.
struct ConvGuard {
  const uint32_t *most, *least;      // words of images, as in Splits
  const uint32_t *filters, *excess;  // words for kOuterPad filters
  gpu::Divisor pixels;               // pixels of an output image
  int images;
  int log2_k;       // log2 of a sum's number of terms, rounded up
  int most_excess;  // mode fp32_fast; below 0: not checked
};

struct ConvPass {
  ConvImage image;
  // Loops over an image in memory order; a unit is four elements if `vectors`, else one.
  gpu::Divisor middle, inner;
  int64_t walk[3];
  int units;  // number for an image
  bool vectors;

  bool along_c;               // channels are neighbours
  bool c_vectors;             // four at once
  int padded;                 // channels with padding
  gpu::Divisor quads, width;  // quads: padded channels / 4
  char *image_splits;
  int64_t image_split_bytes;
  uint32_t *most, *least;  // words of images, as in Splits
  int words_of_image;      // distance of images: 0 if all have one scale, else 1

  ConvFilters filters;
  gpu::Divisor tap_quads, taps_w;  // tap_quads: padded channels of a tap / 4
  int filter_quads;
  char *filter_splits;
  int64_t filter_split_bytes, filter_ld;
  uint32_t *filter_most, *block_most, *excess;  // filter_most: of each filter; others: of kOuterPad filters
};

// A survey reads these tensors: for images it finds largest and smallest magnitudes; for filters it writes the splits
// and, if the scheme scales, largest magnitudes and excesses. Words but filter_most must be zero before the first
// survey; those of blocks of filters keep their maxima over later surveys, of other taps.
struct ConvSurvey {
  bool images, filters;
};
libsgemm_status_t launch_conv_survey(Scheme scheme, const ConvPass &pass, const ConvSurvey &of, const Launch &launch,
                                     Error *error);
libsgemm_status_t launch_conv_split(Scheme scheme, const ConvPass &pass, const Launch &launch, Error *error);
// Computes in FP64 the tiles of product `index` that the guard selects.
libsgemm_status_t launch_conv_repair(const ConvDesc &desc, int64_t index, const ConvGuard &guard, const Launch &launch,
                                     Error *error);

// ---- The weight gradient: sums over the pixels of all images, one scale a tensor

struct ConvWeightsGuard {
  const uint32_t *words;    // most and least of x, of dy; null: no guard
  int log2_k, most_excess;  // the same as in ConvGuard
};

// Element (i, k) of slice s is sums[s * slice + i * ld + k]. Row i is channel i % 64 of block i / 64 % blocks of
// tap i / (64 * blocks).
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
// Both act only if the guard leaves the gradient out. `sums`: workspace for slices of doubles.
libsgemm_status_t launch_conv_weights_repair(const ConvDesc &desc, const ConvWeightsGuard &guard, void *sums,
                                             size_t sums_bytes, const Launch &launch, Error *error);
libsgemm_status_t launch_conv_repair_sum(const gpu::ConvProblem &p, int slices, const ConvWeightsGuard &guard,
                                         const Launch &launch, Error *error);

}  // namespace libsgemm::cuda
