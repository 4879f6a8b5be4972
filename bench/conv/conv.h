// `libsgemm bench --routine sconv2d`: convolution layers and the libraries that compute them.
#pragma once

#include <libsgemm.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peers/peers.h"

namespace command {

// Vertical and horizontal stride, padding and dilation are equal, as in most networks.
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

struct ConvWork {
  libsgemm_conv2d_t conv;
  int64_t p, q;        // height and width of the output
  const float *a, *b;  // operands of libsgemm_sconv2d
  float *c;

  double flops() const;
};

ConvWork make_conv(const ConvLayer &layer, const ConvForm &form);

// A library for comparison; the operands are in memory(). Each peer declares its library's public binary interface, so
// that the command builds without the library. Handles and descriptors live as long as the process.
class ConvPeer {
 public:
  virtual ~ConvPeer() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;
  virtual Memory &memory() const = 0;
  // Precedes run(). May time algorithms, which write the output. Returns why the peer cannot compute, or "".
  virtual std::string prepare(const ConvWork &work) = 0;
  virtual std::string chosen() const = 0;  // the algorithm: "IMPLICIT_PRECOMP_GEMM"
  virtual void run(const ConvWork &work) = 0;
  // Moves the output to the work, untimed, if run() left it elsewhere.
  virtual void deliver() {}
};

// Throws Error with the reason why the peer is missing, or with the names of the peers.
std::unique_ptr<ConvPeer> open_conv_peer(const std::string &name);

// cuDNN: the fastest FP32 algorithm, and the fastest that neither unfolds nor transforms the images. MIOpen: the
// fastest. oneDNN: in its own layouts, and on images in place.
std::unique_ptr<ConvPeer> open_cudnn();
std::unique_ptr<ConvPeer> open_cudnn_implicit();
std::unique_ptr<ConvPeer> open_miopen();
std::unique_ptr<ConvPeer> open_onednn();
std::unique_ptr<ConvPeer> open_onednn_plain();

}  // namespace command
