// cuDNN, versions 7 to 9, as a peer of `libsgemm bench --routine sconv2d`.
#include <dlfcn.h>
#include <fmt/core.h>
#include <stdlib.h>

#include <limits>
#include <new>

#include "base/command.h"
#include "base/timing.h"
#include "conv.h"
#include "peers/gpu_memory.h"

namespace command {
namespace {

constexpr int kSuccess = 0;           // CUDNN_STATUS_SUCCESS
constexpr int kFloat = 0;             // CUDNN_DATA_FLOAT
constexpr int kNchw = 0, kNhwc = 1;   // CUDNN_TENSOR_...
constexpr int kCrossCorrelation = 1;  // CUDNN_CROSS_CORRELATION
constexpr int kFmaMath = 3;           // CUDNN_FMA_MATH: no tensor cores
constexpr size_t kMostWorkspace = size_t{8} << 30;

struct Algorithm {
  int value;
  const char *name;
  bool implicit;
};

// cudnnConvolutionFwdAlgo_t, ...BwdDataAlgo_t, ...BwdFilterAlgo_t.
const std::vector<Algorithm> kAlgorithms[] = {{{0, "IMPLICIT_GEMM", true},
                                               {1, "IMPLICIT_PRECOMP_GEMM", true},
                                               {2, "GEMM", false},
                                               {4, "FFT", false},
                                               {5, "FFT_TILING", false},
                                               {6, "WINOGRAD", false},
                                               {7, "WINOGRAD_NONFUSED", false}},
                                              {{0, "BWD_DATA_0", true},
                                               {1, "BWD_DATA_1", true},
                                               {2, "FFT", false},
                                               {3, "FFT_TILING", false},
                                               {4, "WINOGRAD", false},
                                               {5, "WINOGRAD_NONFUSED", false}},
                                              {{0, "BWD_FILTER_0", true},
                                               {1, "BWD_FILTER_1", true},
                                               {3, "BWD_FILTER_3", true},
                                               {2, "FFT", false},
                                               {5, "WINOGRAD_NONFUSED", false},
                                               {6, "FFT_TILING", false}}};

using Opaque = void *;

struct Functions {
  size_t (*version)();
  const char *(*error)(int);
  int (*create)(Opaque *);
  int (*set_stream)(Opaque, void *);
  int (*create_tensor)(Opaque *);
  int (*set_tensor)(Opaque, int type, int n, int c, int h, int w, int step_n, int step_c, int step_h, int step_w);
  int (*create_filter)(Opaque *);
  int (*set_filter)(Opaque, int type, int format, int k, int c, int r, int s);
  int (*create_conv)(Opaque *);
  int (*set_conv)(Opaque, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int mode,
                  int type);
  int (*set_groups)(Opaque, int);
  int (*set_math)(Opaque, int);
  // Arrays are indexed by direction. Inputs and output: x f y, f y x, x y f.
  int (*workspace[3])(Opaque handle, Opaque first, Opaque second, Opaque conv, Opaque output, int algorithm,
                      size_t *bytes);
  int (*run[3])(Opaque handle, const void *alpha, Opaque first, const void *a, Opaque second, const void *b,
                Opaque conv, int algorithm, void *workspace, size_t bytes, const void *beta, Opaque output, void *c);
};

const Functions &functions() {
  static const Functions all = [] {
    const char *home = getenv("CUDA_HOME");
    const std::string root = home != nullptr && home[0] != '\0' ? home : "/usr/local/cuda";
    void *library = nullptr;
    std::string file, problem;
    for (const std::string &folder : {std::string(), root + "/lib64/", root + "/lib/"}) {
      for (const int version : {9, 8, 7}) {
        if (library != nullptr) continue;
        file = fmt::format("{}libcudnn.so.{}", folder, version);
        library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr && problem.empty()) problem = dlerror();
      }
    }
    if (library == nullptr) {
      throw Error(fmt::format("cuDNN cannot be loaded: {}; LD_LIBRARY_PATH or CUDA_HOME may say where it is", problem));
    }
    Functions f = {};
    find_symbol(&f.version, library, file, "cudnnGetVersion");
    find_symbol(&f.error, library, file, "cudnnGetErrorString");
    find_symbol(&f.create, library, file, "cudnnCreate");
    find_symbol(&f.set_stream, library, file, "cudnnSetStream");
    find_symbol(&f.create_tensor, library, file, "cudnnCreateTensorDescriptor");
    find_symbol(&f.set_tensor, library, file, "cudnnSetTensor4dDescriptorEx");
    find_symbol(&f.create_filter, library, file, "cudnnCreateFilterDescriptor");
    find_symbol(&f.set_filter, library, file, "cudnnSetFilter4dDescriptor");
    find_symbol(&f.create_conv, library, file, "cudnnCreateConvolutionDescriptor");
    find_symbol(&f.set_conv, library, file, "cudnnSetConvolution2dDescriptor");
    find_symbol(&f.set_groups, library, file, "cudnnSetConvolutionGroupCount");
    find_symbol(&f.set_math, library, file, "cudnnSetConvolutionMathType");
    find_symbol(&f.workspace[0], library, file, "cudnnGetConvolutionForwardWorkspaceSize");
    find_symbol(&f.workspace[1], library, file, "cudnnGetConvolutionBackwardDataWorkspaceSize");
    find_symbol(&f.workspace[2], library, file, "cudnnGetConvolutionBackwardFilterWorkspaceSize");
    find_symbol(&f.run[0], library, file, "cudnnConvolutionForward");
    find_symbol(&f.run[1], library, file, "cudnnConvolutionBackwardData");
    find_symbol(&f.run[2], library, file, "cudnnConvolutionBackwardFilter");
    return f;
  }();
  return all;
}

void check(int status, const char *what) {
  if (status != kSuccess) throw Error(fmt::format("{}: {}", what, functions().error(status)));
}

class Cudnn : public ConvPeer {
 public:
  explicit Cudnn(bool implicit_only) : implicit_only_(implicit_only), memory_(cuda_memory()), f_(functions()) {
    check(f_.create(&handle_), "cudnnCreate");
    check(f_.set_stream(handle_, memory_.stream()), "cudnnSetStream");
    check(f_.create_tensor(&x_), "cudnnCreateTensorDescriptor");
    check(f_.create_tensor(&y_), "cudnnCreateTensorDescriptor");
    check(f_.create_filter(&filter_), "cudnnCreateFilterDescriptor");
    check(f_.create_conv(&conv_), "cudnnCreateConvolutionDescriptor");
  }

  std::string name() const override { return implicit_only_ ? "cudnn-implicit" : "cudnn"; }
  std::string version() const override { return fmt::format("cuDNN {}, FMA math", f_.version()); }
  Memory &memory() const override { return memory_; }
  std::string chosen() const override { return algorithm_ != nullptr ? algorithm_->name : ""; }

  std::string prepare(const ConvWork &work) override {
    algorithm_ = nullptr;
    workspace_.reset();
    describe(work);
    double best = std::numeric_limits<double>::infinity();
    const Algorithm *chosen = nullptr;
    for (const Algorithm &algorithm : kAlgorithms[static_cast<int>(work.conv.direction)]) {
      if (implicit_only_ && !algorithm.implicit) continue;
      const double seconds = time(work, algorithm);
      if (seconds >= best) continue;
      best = seconds;
      chosen = &algorithm;
    }
    if (chosen == nullptr) return "it has no algorithm for this layer";
    take_workspace(work, *chosen);
    algorithm_ = chosen;
    return "";
  }

  void run(const ConvWork &work) override { check(launch(work, *algorithm_), "cuDNN"); }

 private:
  void describe(const ConvWork &work) {
    const libsgemm_conv2d_t &v = work.conv;
    const auto i = [](int64_t x) { return static_cast<int>(x); };
    const bool nhwc = v.layout == LIBSGEMM_NHWC;
    const auto tensor = [&](Opaque descriptor, int64_t n, int64_t c, int64_t h, int64_t w) {
      check(f_.set_tensor(descriptor, kFloat, i(n), i(c), i(h), i(w), i(c * h * w), nhwc ? 1 : i(h * w),
                          i(nhwc ? w * c : w), nhwc ? i(c) : 1),
            "cudnnSetTensor4dDescriptorEx");
    };
    tensor(x_, v.n, v.c, v.h, v.w);
    tensor(y_, v.n, v.k, work.p, work.q);
    check(f_.set_filter(filter_, kFloat, nhwc ? kNhwc : kNchw, i(v.k), i(v.c / v.groups), i(v.r), i(v.s)),
          "cudnnSetFilter4dDescriptor");
    check(f_.set_conv(conv_, i(v.pad_top), i(v.pad_left), i(v.stride_h), i(v.stride_w), i(v.dilation_h),
                      i(v.dilation_w), kCrossCorrelation, kFloat),
          "cudnnSetConvolution2dDescriptor");
    check(f_.set_groups(conv_, i(v.groups)), "cudnnSetConvolutionGroupCount");
    check(f_.set_math(conv_, kFmaMath), "cudnnSetConvolutionMathType");
    direction_ = static_cast<int>(v.direction);
    const Opaque in_order[3][3] = {{x_, filter_, y_}, {filter_, y_, x_}, {x_, y_, filter_}};
    for (int k = 0; k < 3; ++k) operands_[k] = in_order[direction_][k];
  }

  // Returns false if the algorithm cannot compute the layer, or there is too little memory for its workspace.
  bool take_workspace(const ConvWork &, const Algorithm &algorithm) {
    size_t bytes = 0;
    if (f_.workspace[direction_](handle_, operands_[0], operands_[1], conv_, operands_[2], algorithm.value, &bytes) !=
            kSuccess ||
        bytes > kMostWorkspace) {
      return false;
    }
    bytes_ = bytes;
    workspace_.reset();
    try {
      if (bytes > 0) workspace_ = std::make_unique<Buffer>(&memory_, bytes);
      return true;
    } catch (const std::bad_alloc &) {
      return false;
    }
  }

  int launch(const ConvWork &work, const Algorithm &algorithm) {
    const float one = 1, zero = 0;
    const bool swapped = work.conv.direction == LIBSGEMM_CONV2D_DATA_GRADIENT;  // f before dy
    return f_.run[direction_](
        handle_, &one, operands_[0], swapped ? work.b : work.a, operands_[1], swapped ? work.a : work.b, conv_,
        algorithm.value, workspace_ != nullptr ? workspace_->data() : nullptr, bytes_, &zero, operands_[2], work.c);
  }

  // Infinite if the algorithm cannot compute it.
  double time(const ConvWork &work, const Algorithm &algorithm) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (!take_workspace(work, algorithm) || launch(work, algorithm) != kSuccess) return kNever;
    constexpr int kCalls = 5;
    int status = kSuccess;
    const double seconds = memory_.time(kCalls, [&](int) { status = launch(work, algorithm); });
    return status == kSuccess ? seconds / kCalls : kNever;
  }

  const bool implicit_only_;
  GpuMemory &memory_;
  const Functions &f_;
  Opaque handle_ = nullptr, x_ = nullptr, y_ = nullptr, filter_ = nullptr, conv_ = nullptr;
  Opaque operands_[3] = {};
  int direction_ = 0;
  const Algorithm *algorithm_ = nullptr;
  std::unique_ptr<Buffer> workspace_;
  size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<ConvPeer> open_cudnn() { return std::make_unique<Cudnn>(false); }
std::unique_ptr<ConvPeer> open_cudnn_implicit() { return std::make_unique<Cudnn>(true); }

}  // namespace command
