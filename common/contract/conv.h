// A convolution for a backend, always legal, never empty, with terms. Only the tensors' steps express the layout.
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
// where h = p stride_h - pad_h + r dilation_h and w = q stride_w - pad_w + s dilation_w. Terms with h or w outside the
// image are zero: a backend may leave them out, or multiply by zeros.
enum class Conv : int32_t { forward, data_gradient, weight_gradient };

// Elements between neighbours: (n, c, h, w) is data[n * step.n + c * step.c + h * step.h + w * step.w]. Filters (k, c,
// r, s): n is the step of k, h of r, w of s. A step of an input may be 0. The step of a dimension of size 1 is ignored.
struct Steps {
  int64_t n, c, h, w;
};

struct ConvDesc {
  Conv direction;
  libsgemm_math_mode_t math_mode;
  libsgemm_deterministic_t deterministic;

  // x: n x c x h x w, f: k x (c / groups) x r x s, y: n x k x p x q. Group g begins at channel g (c / groups) of x, and
  // at g (k / groups) of y and f.
  int64_t n, c, h, w;
  int64_t k, r, s;
  int64_t p, q;
  int64_t groups;

  int64_t stride_h, stride_w;      // >= 1
  int64_t pad_h, pad_w;            // >= 0, above and left; p and q determine the padding below and right
  int64_t dilation_h, dilation_w;  // >= 1

  float alpha, beta;  // alpha is not 0; beta 0: the output is not read
  Steps x_steps, f_steps, y_steps;
  const float *x, *f, *y;  // includes the output
  float *out;              // x, f or y
};

struct Tensor {
  int64_t size[4];  // n, c, h, w
  int64_t step[4];
  const float *data;
};
Tensor tensor_x(const ConvDesc &d);
Tensor tensor_f(const ConvDesc &d);
Tensor tensor_y(const ConvDesc &d);
Tensor output_of(const ConvDesc &d);
void inputs_of(const ConvDesc &d, Tensor *first, Tensor *second);

// The product that represents each group, a batch item per group. Without matrices in memory, it serves placement, cost
// and accuracy.
//   forward          m = k / groups   n = n p q                 k = (c / groups) r s
//   data_gradient    m = c / groups   n = n h w                 k = (k / groups) r s
//   weight_gradient  m = k / groups   n = (c / groups) r s      k = n p q
GemmDesc product_of(const ConvDesc &d);

// Counts all taps, whatever the padding.
double flop_count(const ConvDesc &d);

inline bool invariant(const ConvDesc &d) { return d.deterministic == LIBSGEMM_DETERMINISTIC_INVARIANT; }

// "sconv2d forward n=.. c=.. ...".
std::string to_string(const ConvDesc &d);

}  // namespace libsgemm
