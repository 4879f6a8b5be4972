// MIOpen, versions 2 and 3. Not yet run on AMD hardware.
#include <fmt/core.h>

#include <new>

#include "base/command.h"
#include "conv.h"
#include "peers/gpu_memory.h"
#include "peers/rocm.h"

namespace command {
namespace {

constexpr int kSuccess = 0;      // miopenStatusSuccess
constexpr int kFloat = 1;        // miopenFloat
constexpr int kConvolution = 0;  // miopenConvolution: a cross-correlation

// miopenConvFwdAlgorithm_t; the gradients' algorithms have the same numbers.
constexpr const char *kAlgorithms[] = {"GEMM", "DIRECT", "FFT", "WINOGRAD", "TRANSPOSE_GEMM", "IMPLICIT_GEMM"};

// miopenConvAlgoPerf_t
struct Found {
  int algorithm;
  float milliseconds;
  size_t workspace;
};

using Opaque = void *;

struct Functions {
  int (*version)(size_t *major, size_t *minor, size_t *patch);
  const char *(*error)(int);
  int (*create)(Opaque *, void *stream);
  int (*create_tensor)(Opaque *);
  int (*set_tensor)(Opaque, int type, int n, int c, int h, int w, int step_n, int step_c, int step_h, int step_w);
  int (*create_conv)(Opaque *);
  int (*set_conv)(Opaque, int mode, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w);
  int (*set_groups)(Opaque, int);
  // Arrays by direction. Inputs and output: x f y (f x y for the size of the workspace), dy f dx, dy x df.
  int (*workspace[3])(Opaque handle, Opaque first, Opaque second, Opaque conv, Opaque output, size_t *bytes);
  int (*find[3])(Opaque handle, Opaque first, const void *a, Opaque second, const void *b, Opaque conv, Opaque output,
                 void *c, int wanted, int *count, Found *found, void *workspace, size_t bytes, bool exhaustive);
  int (*run[3])(Opaque handle, const void *alpha, Opaque first, const void *a, Opaque second, const void *b,
                Opaque conv, int algorithm, const void *beta, Opaque output, void *c, void *workspace, size_t bytes);
};

const Functions &functions() {
  static const Functions all = [] {
    const Library library = load_rocm("MIOpen", "libMIOpen.so", 1, 1);
    const auto find = [&library](auto *function, const char *symbol) {
      find_symbol(function, library.handle, library.file, symbol);
    };
    Functions f = {};
    find(&f.version, "miopenGetVersion");
    find(&f.error, "miopenGetErrorString");
    find(&f.create, "miopenCreateWithStream");
    find(&f.create_tensor, "miopenCreateTensorDescriptor");
    find(&f.set_tensor, "miopenSet4dTensorDescriptorEx");
    find(&f.create_conv, "miopenCreateConvolutionDescriptor");
    find(&f.set_conv, "miopenInitConvolutionDescriptor");
    find(&f.set_groups, "miopenSetConvolutionGroupCount");
    find(&f.workspace[0], "miopenConvolutionForwardGetWorkSpaceSize");
    find(&f.workspace[1], "miopenConvolutionBackwardDataGetWorkSpaceSize");
    find(&f.workspace[2], "miopenConvolutionBackwardWeightsGetWorkSpaceSize");
    find(&f.find[0], "miopenFindConvolutionForwardAlgorithm");
    find(&f.find[1], "miopenFindConvolutionBackwardDataAlgorithm");
    find(&f.find[2], "miopenFindConvolutionBackwardWeightsAlgorithm");
    find(&f.run[0], "miopenConvolutionForward");
    find(&f.run[1], "miopenConvolutionBackwardData");
    find(&f.run[2], "miopenConvolutionBackwardWeights");
    return f;
  }();
  return all;
}

void check(int status, const char *what) {
  if (status != kSuccess) throw Error(fmt::format("{}: {}", what, functions().error(status)));
}

class Miopen : public ConvPeer {
 public:
  Miopen() : memory_(hip_memory()), f_(functions()) {
    check(f_.create(&handle_, memory_.stream()), "miopenCreateWithStream");
    for (Opaque *tensor : {&x_, &filter_, &y_}) check(f_.create_tensor(tensor), "miopenCreateTensorDescriptor");
    check(f_.create_conv(&conv_), "miopenCreateConvolutionDescriptor");
  }

  std::string name() const override { return "miopen"; }
  std::string version() const override {
    size_t major = 0, minor = 0, patch = 0;
    check(f_.version(&major, &minor, &patch), "miopenGetVersion");
    return fmt::format("MIOpen {}.{}.{}", major, minor, patch);
  }
  Memory &memory() const override { return memory_; }
  std::string chosen() const override { return chosen_; }

  // The find step uses MIOpen's databases, or defaults, as in PyTorch. MIOPEN_FIND_ENFORCE=search takes minutes a
  // layer.
  std::string prepare(const ConvWork &work) override {
    describe(work);
    const bool forward = work.conv.direction == LIBSGEMM_CONV2D_FORWARD;
    size_t bytes = 0;
    if (f_.workspace[direction_](handle_, operands_[forward ? 1 : 0], operands_[forward ? 0 : 1], conv_, operands_[2],
                                 &bytes) != kSuccess) {
      return "it has no algorithm for this layer";
    }
    if (!take_workspace(bytes)) return fmt::format("no memory for its workspace, {} bytes", bytes);
    int count = 0;
    Found found = {};
    if (f_.find[direction_](handle_, operands_[0], first(work), operands_[1], second(work), conv_, operands_[2], work.c,
                            1, &count, &found, workspace_ != nullptr ? workspace_->data() : nullptr, bytes_,
                            false) != kSuccess ||
        count < 1) {
      return "it has no algorithm for this layer";
    }
    algorithm_ = found.algorithm;
    const auto number = static_cast<size_t>(algorithm_);
    chosen_ = number < std::size(kAlgorithms) ? kAlgorithms[number] : fmt::format("algorithm {}", algorithm_);
    return "";
  }

  void run(const ConvWork &work) override {
    const float one = 1, zero = 0;
    check(f_.run[direction_](handle_, &one, operands_[0], first(work), operands_[1], second(work), conv_, algorithm_,
                             &zero, operands_[2], work.c, workspace_ != nullptr ? workspace_->data() : nullptr, bytes_),
          "MIOpen");
  }

 private:
  // Inputs in MIOpen's order.
  static const float *first(const ConvWork &work) {
    return work.conv.direction == LIBSGEMM_CONV2D_WEIGHT_GRADIENT ? work.b : work.a;
  }
  static const float *second(const ConvWork &work) {
    return work.conv.direction == LIBSGEMM_CONV2D_WEIGHT_GRADIENT ? work.a : work.b;
  }

  void describe(const ConvWork &work) {
    const libsgemm_conv2d_t &v = work.conv;
    const bool nhwc = v.layout == LIBSGEMM_NHWC;
    const auto i = [](int64_t x) { return static_cast<int>(x); };
    const auto tensor = [&](Opaque descriptor, int64_t n, int64_t c, int64_t h, int64_t w) {
      check(f_.set_tensor(descriptor, kFloat, i(n), i(c), i(h), i(w), i(c * h * w), nhwc ? 1 : i(h * w),
                          i(nhwc ? w * c : w), nhwc ? i(c) : 1),
            "miopenSet4dTensorDescriptorEx");
    };
    tensor(x_, v.n, v.c, v.h, v.w);
    tensor(filter_, v.k, v.c / v.groups, v.r, v.s);
    tensor(y_, v.n, v.k, work.p, work.q);
    check(f_.set_conv(conv_, kConvolution, i(v.pad_top), i(v.pad_left), i(v.stride_h), i(v.stride_w), i(v.dilation_h),
                      i(v.dilation_w)),
          "miopenInitConvolutionDescriptor");
    check(f_.set_groups(conv_, i(v.groups)), "miopenSetConvolutionGroupCount");
    direction_ = static_cast<int>(v.direction);
    const Opaque in_order[3][3] = {{x_, filter_, y_}, {y_, filter_, x_}, {y_, x_, filter_}};
    for (int k = 0; k < 3; ++k) operands_[k] = in_order[direction_][k];
  }

  bool take_workspace(size_t bytes) {
    workspace_.reset();
    bytes_ = bytes;
    try {
      if (bytes > 0) workspace_ = std::make_unique<Buffer>(&memory_, bytes);
      return true;
    } catch (const std::bad_alloc &) {
      return false;
    }
  }

  GpuMemory &memory_;
  const Functions &f_;
  Opaque handle_ = nullptr, x_ = nullptr, filter_ = nullptr, y_ = nullptr, conv_ = nullptr;
  Opaque operands_[3] = {};
  int direction_ = 0, algorithm_ = 0;
  std::string chosen_;
  std::unique_ptr<Buffer> workspace_;
  size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<ConvPeer> open_miopen() { return std::make_unique<Miopen>(); }

}  // namespace command
