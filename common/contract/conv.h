// What is asked of a backend in a convolution: one plain, printable struct for the three directions and all layouts.
//
// A description is always legal and never empty, and has something to sum: checks and quick returns happen above the
// backends (conv/check.cpp, dispatch.cpp). Layout is nothing but the steps of the tensors.
#pragma once

#include <cstdint>
#include <string>

#include "desc.h"
#include "libsgemm.h"

namespace libsgemm {

// direction        computes (sums over all indices on the right that the left side does not have)
// forward          y(n,k,p,q) = alpha sum x(n, c, h, w) f(k, c, r, s) + beta y        c of the group of k
// data_gradient    x(n,c,h,w) = alpha sum y(n, k, p, q) f(k, c, r, s) + beta x        k of the group of c
// weight_gradient  f(k,c,r,s) = alpha sum y(n, k, p, q) x(n, c, h, w) + beta f
// where h = p stride_h - pad_h + r dilation_h and w = q stride_w - pad_w + s dilation_w. Terms whose h or w is outside
// of the image, in the padding, count as zero: a backend may leave them out, or multiply by zeros.
enum class Conv : int32_t { forward, data_gradient, weight_gradient };

// Elements between neighbours in each dimension of a tensor: element (n, c, h, w) is data[n * step.n + c * step.c + h *
// step.h + w * step.w]. Of the filters (k, c, r, s): n is for k, h for r, w for s. Of an input a step may be 0. The
// step of a dimension of one element says nothing.
struct Steps {
  int64_t n, c, h, w;
};

struct ConvDesc {
  Conv direction;
  libsgemm_math_mode_t math_mode;
  libsgemm_deterministic_t deterministic;

  // x is n x c x h x w, f k x (c / groups) x r x s, y n x k x p x q. Group g has the channels from g (c / groups) on of
  // x, and from g (k / groups) on of y and f.
  int64_t n, c, h, w;
  int64_t k, r, s;
  int64_t p, q;
  int64_t groups;

  int64_t stride_h, stride_w;      // >= 1
  int64_t pad_h, pad_w;            // >= 0, above and to the left; p and q tell how far it goes below and to the right
  int64_t dilation_h, dilation_w;  // >= 1

  float alpha, beta;  // alpha is not 0; beta 0: the output is not read
  Steps x_steps, f_steps, y_steps;
  const float *x, *f, *y;  // the output is among them
  float *out;              // x, f or y, by the direction
};

// A tensor of a description.
struct Tensor {
  int64_t size[4];  // n, c, h, w
  int64_t step[4];
  const float *data;
};
Tensor tensor_x(const ConvDesc &d);
Tensor tensor_f(const ConvDesc &d);
Tensor tensor_y(const ConvDesc &d);
Tensor output_of(const ConvDesc &d);
// The two others, in the order x, f, y.
void inputs_of(const ConvDesc &d, Tensor *first, Tensor *second);

// Each group is a product: m x n x k with what is summed as k, as many as there are groups. Its pointers are
// those of the tensors, but its matrices are nowhere: it serves to ask where the tensors are, how long it takes, and
// how exact it is.
//   forward          m = k / groups   n = n p q                 k = (c / groups) r s
//   data_gradient    m = c / groups   n = n h w                 k = (k / groups) r s
//   weight_gradient  m = k / groups   n = (c / groups) r s      k = n p q
GemmDesc product_of(const ConvDesc &d);

// Multiplications and additions, of all elements of y with all taps, whatever the direction and the padding.
double flop_count(const ConvDesc &d);

inline bool invariant(const ConvDesc &d) { return d.deterministic == LIBSGEMM_DETERMINISTIC_INVARIANT; }

// One line for the log: "sconv2d forward n=.. c=.. ...".
std::string to_string(const ConvDesc &d);

}  // namespace libsgemm
