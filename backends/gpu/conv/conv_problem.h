// A convolution as a product whose operands are gathered from tensors: a kernel's parameters.
//
// Each of the product's three indices (row and column of C, index of the sum) is made of digits: positions in up to
// three dimensions, the last one running fastest. The steps of both its indices add up to an element's place; outside
// of the image an element is zero:
//
//   forward, NCHW     rows (n, p, q)    sum (c, r, s)    columns (k)
//                     A = x: place n x.n + c x.c + h x.h + w x.w, h = p stride - pad + r dilation, w likewise
//                     B = f, never outside
//   data gradient     as a forward convolution of dy with opposite signs of r and s; strides u x v make u v of them,
//                     each for rows and columns of dx with one remainder, over the taps that contribute to them
//   weight gradient   rows (c, r, s), columns (k), sum (n, p, q)
//
// C is always contiguous along its rows: contiguous channels of the output (NHWC) are the rows.
#pragma once

#include <cstdint>

#include "gpu/divisor.h"
#include "gpu/tiles/tile_problem.h"

namespace libsgemm::gpu {

constexpr int kConvDigits = 3;

struct ConvIndex {
  int extent;
  Divisor digit[kConvDigits - 1];  // extents of all but the first
};

// Offsets for one step of each digit.
struct ConvSteps {
  int64_t place[kConvDigits];
  int h[kConvDigits], w[kConvDigits];
};

struct ConvOperand {
  const float *data;     // element for digits 0; may be in the padding
  int64_t group;         // elements between groups
  ConvSteps outer, sum;  // outer: row or column of C
  int first_h, first_w;  // place in the image for digits 0
  int height, width;
};

struct ConvOutput {
  float *data;
  int64_t group;
  int64_t row[kConvDigits], column[kConvDigits];  // elements for a step of each digit
  bool vectors;                                   // four rows are neighbours, at a multiple of 16 bytes
};

struct ConvProblem {
  TileProblem product;  // leading dimensions are not used
  ConvIndex row, column, sum;
  ConvOperand a, b;
  ConvOutput c;
};

struct ConvProblems {
  static constexpr int kMost = 4;
  ConvProblem problem[kMost];
  int count;
};

// Offset of an element.
struct alignas(16) ConvPlace {
  int64_t bytes;
  int h, w;
};

constexpr int kOutside = -(1 << 30);  // negative also after any row or column is added

LIBSGEMM_HOST_DEVICE inline void digits_of(const ConvIndex &index, int i, int (&digit)[kConvDigits]) {
  for (int d = kConvDigits - 1; d > 0; --d) {
    const int above = index.digit[d - 1].quotient(i);
    digit[d] = i - above * index.digit[d - 1].value;
    i = above;
  }
  digit[0] = i;
}

LIBSGEMM_HOST_DEVICE inline ConvPlace place_of(const ConvSteps &steps, const int (&digit)[kConvDigits]) {
  ConvPlace at = {0, 0, 0};
  for (int d = 0; d < kConvDigits; ++d) {
    at.bytes += digit[d] * steps.place[d];
    at.h += digit[d] * steps.h[d];
    at.w += digit[d] * steps.w[d];
  }
  at.bytes *= static_cast<int64_t>(sizeof(float));
  return at;
}

// Element i may be beyond the last one.
LIBSGEMM_HOST_DEVICE inline ConvPlace place_of(const ConvIndex &index, const ConvSteps &steps, int i) {
  if (i >= index.extent) return {0, kOutside, 0};
  int digit[kConvDigits];
  digits_of(index, i, digit);
  return place_of(steps, digit);
}

LIBSGEMM_HOST_DEVICE inline int64_t place_of(const ConvIndex &index, const int64_t (&steps)[kConvDigits], int i) {
  int digit[kConvDigits];
  digits_of(index, i, digit);
  int64_t place = 0;
  for (int d = 0; d < kConvDigits; ++d) place += digit[d] * steps[d];
  return place;
}

}  // namespace libsgemm::gpu
