// `libsgemm bench --routine sconv2d`: layers of convolutional networks, and what can compute one.
#pragma once

#include <libsgemm.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peers/peers.h"

namespace command {

// Square in strides, padding and dilation, as those of networks are.
struct ConvLayer {
  std::string what;
  int64_t n, c, h, w, k, r, s;
  int64_t stride = 1, pad = 0, dilation = 1, groups = 1;
};

// "n,c,h,w,k,r,s[,stride[,pad[,dilation[,groups]]]]". Throws Error.
ConvLayer parse_layer(const std::string &text);
// Layers of ResNet-50 and VGG-16.
const std::vector<ConvLayer> &conv_suite();
// "32x3x224x224 7x7/2 pad 3 -> 64"
std::string layer_name(const ConvLayer &layer);

struct ConvForm {
  libsgemm_conv2d_direction_t direction;
  libsgemm_tensor_layout_t layout;
};

// A layer in a direction and a layout, on operands that are dense.
struct ConvWork {
  libsgemm_conv2d_t conv;
  int64_t p, q;
  const float *a, *b;  // as libsgemm_sconv2d names them
  float *c;

  double flops() const;
};

ConvWork make_conv(const ConvLayer &layer, const ConvForm &form);

// Another library, on operands in its memory().
class ConvPeer {
 public:
  virtual ~ConvPeer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual Memory &memory() const = 0;
  // Before the first run; may time ways to do it, and so writes the output. Empty, or why it cannot.
  virtual std::string prepare(const ConvWork &work) = 0;
  virtual std::string chosen() const = 0;  // "IMPLICIT_PRECOMP_GEMM"
  virtual void run(const ConvWork &work) = 0;
  // Behind run(), untimed: puts the output where the work wants it, if that has left it elsewhere.
  virtual void deliver() {}
};

// Throws Error that says why the peer cannot be had, or which there are.
std::unique_ptr<ConvPeer> open_conv_peer(const std::string &name);

// What that calls. cuDNN's fastest algorithm for the layer, of FP32 arithmetic; the fastest of those that multiply
// without unfolding the images or transforming them; MIOpen's fastest; oneDNN, in layouts of its own, and on
// images as they are.
std::unique_ptr<ConvPeer> open_cudnn();
std::unique_ptr<ConvPeer> open_cudnn_implicit();
std::unique_ptr<ConvPeer> open_miopen();
std::unique_ptr<ConvPeer> open_onednn();
std::unique_ptr<ConvPeer> open_onednn_plain();

}  // namespace command
