// oneDNN 3 on the CPU.
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>

#include "base/command.h"
#include "conv.h"
#include "peers/gpu_api.h"

namespace command {
namespace {

constexpr int kSuccess = 0;         // dnnl_success
constexpr int kCpu = 1;             // dnnl_cpu
constexpr int kFloat = 3;           // dnnl_f32
constexpr int kAnyLayout = 1;       // dnnl_format_tag_any
constexpr int kForward = 64;        // dnnl_forward_training
constexpr int kAutomatic = 3;       // dnnl_convolution_auto
constexpr unsigned kInOrder = 1;    // dnnl_stream_in_order
constexpr int kImplementation = 8;  // dnnl_query_impl_info_str

// An operand of a convolution or gradient: dnnl_query_..._md, DNNL_ARG_...
struct Role {
  int query, argument;
};
constexpr Role kX = {129, 1}, kF = {131, 33}, kY = {133, 17};
constexpr Role kGradientOfX = {130, 129}, kGradientOfF = {132, 161}, kGradientOfY = {134, 145};
constexpr int kFrom = 1, kTo = 17;  // arguments of a reorder

using Opaque = void *;
using Dims = int64_t[12];

struct Argument {
  int which;
  Opaque memory;
};

struct Version {
  int major, minor, patch;  // more follows
};

struct Functions {
  const Version *(*version)();
  int (*create_engine)(Opaque *, int kind, size_t index);
  int (*create_stream)(Opaque *, Opaque engine, unsigned flags);
  int (*wait)(Opaque stream);
  int (*create_layout)(Opaque *, int dims, const Dims sizes, int type, int tag);
  int (*create_strided)(Opaque *, int dims, const Dims sizes, int type, const Dims strides);
  int (*destroy_layout)(Opaque);
  int (*equal)(Opaque, Opaque);
  int (*create_memory)(Opaque *, Opaque layout, Opaque engine, void *data);
  int (*destroy_memory)(Opaque);
  // `like`: the forward convolution.
  int (*forward)(Opaque *, Opaque engine, int kind, int algorithm, Opaque x, Opaque f, Opaque bias, Opaque y,
                 const Dims strides, const Dims dilations, const Dims before, const Dims behind, Opaque attributes);
  int (*data)(Opaque *, Opaque engine, int algorithm, Opaque x, Opaque f, Opaque y, const Dims strides,
              const Dims dilations, const Dims before, const Dims behind, Opaque like, Opaque attributes);
  int (*weights)(Opaque *, Opaque engine, int algorithm, Opaque x, Opaque f, Opaque bias, Opaque y, const Dims strides,
                 const Dims dilations, const Dims before, const Dims behind, Opaque like, Opaque attributes);
  int (*reorder)(Opaque *, Opaque from, Opaque from_engine, Opaque to, Opaque to_engine, Opaque attributes);
  Opaque (*layout_of)(Opaque description, int query, int index);
  int (*ask)(Opaque description, int query, int index, void *answer);
  int (*destroy_description)(Opaque);
  int (*create)(Opaque *, Opaque description);
  int (*destroy)(Opaque);
  int (*execute)(Opaque primitive, Opaque stream, int count, const Argument *arguments);
};

const Functions &functions() {
  static const Functions all = [] {
    const std::string file = "libdnnl.so.3";
    void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      throw Error(fmt::format("oneDNN 3 cannot be loaded: {}; LD_LIBRARY_PATH may say where it is", dlerror()));
    }
    Functions f = {};
    find_symbol(&f.version, library, file, "dnnl_version");
    find_symbol(&f.create_engine, library, file, "dnnl_engine_create");
    find_symbol(&f.create_stream, library, file, "dnnl_stream_create");
    find_symbol(&f.wait, library, file, "dnnl_stream_wait");
    find_symbol(&f.create_layout, library, file, "dnnl_memory_desc_create_with_tag");
    find_symbol(&f.create_strided, library, file, "dnnl_memory_desc_create_with_strides");
    find_symbol(&f.destroy_layout, library, file, "dnnl_memory_desc_destroy");
    find_symbol(&f.equal, library, file, "dnnl_memory_desc_equal");
    find_symbol(&f.create_memory, library, file, "dnnl_memory_create");
    find_symbol(&f.destroy_memory, library, file, "dnnl_memory_destroy");
    find_symbol(&f.forward, library, file, "dnnl_convolution_forward_primitive_desc_create");
    find_symbol(&f.data, library, file, "dnnl_convolution_backward_data_primitive_desc_create");
    find_symbol(&f.weights, library, file, "dnnl_convolution_backward_weights_primitive_desc_create");
    find_symbol(&f.reorder, library, file, "dnnl_reorder_primitive_desc_create");
    find_symbol(&f.layout_of, library, file, "dnnl_primitive_desc_query_md");
    find_symbol(&f.ask, library, file, "dnnl_primitive_desc_query");
    find_symbol(&f.destroy_description, library, file, "dnnl_primitive_desc_destroy");
    find_symbol(&f.create, library, file, "dnnl_primitive_create");
    find_symbol(&f.destroy, library, file, "dnnl_primitive_destroy");
    find_symbol(&f.execute, library, file, "dnnl_primitive_execute");
    return f;
  }();
  return all;
}

void check(int status, const char *what) {
  if (status != kSuccess) throw Error(fmt::format("{}: oneDNN says {}", what, status));
}

class Owned {
 public:
  explicit Owned(int (*destroy)(Opaque)) : destroy_(destroy) {}
  ~Owned() { reset(); }
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  void reset() {
    if (handle_ != nullptr) destroy_(handle_);
    handle_ = nullptr;
  }
  Opaque *fill() {
    reset();
    return &handle_;
  }
  Opaque get() const { return handle_; }

 private:
  int (*destroy_)(Opaque);
  Opaque handle_ = nullptr;
};

// A tensor, and the memory in which oneDNN's convolution reads or writes it.
struct Operand {
  Owned plain{functions().destroy_layout}, wanted{functions().destroy_layout};
  Owned outside{functions().destroy_memory};  // the caller's memory and layout
  Owned inside{functions().destroy_memory};   // oneDNN's memory; none if the layouts are equal
  Owned conversion{functions().destroy};      // copies an input to `inside`, an output to `outside`
  int argument = 0;

  Opaque used() const { return inside.get() != nullptr ? inside.get() : outside.get(); }
};

class OneDnn : public ConvPeer {
 public:
  explicit OneDnn(bool plain) : plain_(plain), f_(functions()) {
    check(f_.create_engine(&engine_, kCpu, 0), "dnnl_engine_create");
    check(f_.create_stream(&stream_, engine_, kInOrder), "dnnl_stream_create");
  }

  std::string name() const override { return plain_ ? "onednn-plain" : "onednn"; }
  std::string version() const override {
    const Version &v = *f_.version();
    return fmt::format("oneDNN {}.{}.{}, {} in layouts of its own, converted outside of the timing", v.major, v.minor,
                       v.patch, plain_ ? "filters" : "tensors");
  }
  Memory &memory() const override { return host_memory(); }
  std::string chosen() const override { return chosen_; }

  std::string prepare(const ConvWork &work) override {
    const libsgemm_conv2d_direction_t direction = work.conv.direction;
    describe(work);
    Owned forward(f_.destroy_description), gradient(f_.destroy_description);
    if (!find(work.conv, &forward, &gradient)) return "it has no convolution for this layer";
    const Opaque found = direction == LIBSGEMM_CONV2D_FORWARD ? forward.get() : gradient.get();
    const char *implementation = "";
    check(f_.ask(found, kImplementation, 0, &implementation), "dnnl_primitive_desc_query");
    chosen_ = implementation;
    check(f_.create(primitive_.fill(), found), "dnnl_primitive_create");
    const Role roles[] = {direction == LIBSGEMM_CONV2D_DATA_GRADIENT ? kGradientOfX : kX,
                          direction == LIBSGEMM_CONV2D_WEIGHT_GRADIENT ? kGradientOfF : kF,
                          direction == LIBSGEMM_CONV2D_FORWARD ? kY : kGradientOfY};
    for (int i = 0; i < 3; ++i) {
      operands_[i].argument = roles[i].argument;
      place(&operands_[i], f_.layout_of(found, roles[i].query, 0), data_[i], i == output_);
      if (i != output_) convert(operands_[i].outside, operands_[i].inside, operands_[i].conversion);
    }
    return "";
  }

  void run(const ConvWork &) override {
    Argument arguments[3];
    for (int i = 0; i < 3; ++i) arguments[i] = {operands_[i].argument, operands_[i].used()};
    execute(primitive_, arguments, 3);
  }

  void deliver() override {
    const Operand &output = operands_[output_];
    convert(output.inside, output.outside, output.conversion);
  }

 private:
  void describe(const ConvWork &work) {
    const libsgemm_conv2d_t &v = work.conv;
    const int64_t c = v.c / v.groups;
    describe_tensor(&operands_[0], {v.n, v.c, v.h, v.w}, v.layout, plain_);
    if (v.groups > 1) {
      describe_tensor(&operands_[1], {v.groups, v.k / v.groups, c, v.r, v.s}, v.layout, false);
    } else {
      describe_tensor(&operands_[1], {v.k, c, v.r, v.s}, v.layout, false);
    }
    describe_tensor(&operands_[2], {v.n, v.k, work.p, work.q}, v.layout, plain_);
    output_ = v.direction == LIBSGEMM_CONV2D_FORWARD ? 2 : v.direction == LIBSGEMM_CONV2D_DATA_GRADIENT ? 0 : 1;
    data_[output_ == 0 ? 2 : 0] = const_cast<float *>(work.a);
    data_[output_ == 1 ? 2 : 1] = const_cast<float *>(work.b);
    data_[output_] = work.c;
  }

  // `size`: n, c, h, w; grouped filters: groups, n, c, h, w. Unless `as_it_is`, oneDNN chooses the convolution's
  // layout.
  void describe_tensor(Operand *operand, const std::vector<int64_t> &size, libsgemm_tensor_layout_t layout,
                       bool as_it_is) {
    const size_t count = size.size(), n = count - 4, c = n + 1, h = n + 2, w = n + 3;
    const bool nhwc = layout == LIBSGEMM_NHWC;
    Dims sizes = {}, steps = {};
    std::copy(size.begin(), size.end(), sizes);
    steps[w] = nhwc ? size[c] : 1;
    steps[h] = steps[w] * size[w];
    steps[c] = nhwc ? 1 : size[h] * size[w];
    steps[n] = size[c] * size[h] * size[w];
    if (n > 0) steps[0] = steps[n] * size[n];
    const int dims = static_cast<int>(count);
    check(f_.create_strided(operand->plain.fill(), dims, sizes, kFloat, steps), "a layout");
    check(as_it_is ? f_.create_strided(operand->wanted.fill(), dims, sizes, kFloat, steps)
                   : f_.create_layout(operand->wanted.fill(), dims, sizes, kFloat, kAnyLayout),
          "a layout");
  }

  bool find(const libsgemm_conv2d_t &v, Owned *forward, Owned *gradient) {
    const Dims strides = {v.stride_h, v.stride_w}, dilations = {v.dilation_h - 1, v.dilation_w - 1};
    const Dims before = {v.pad_top, v.pad_left}, behind = {v.pad_bottom, v.pad_right};
    const Opaque x = operands_[0].wanted.get(), f = operands_[1].wanted.get(), y = operands_[2].wanted.get();
    if (f_.forward(forward->fill(), engine_, kForward, kAutomatic, x, f, nullptr, y, strides, dilations, before, behind,
                   nullptr) != kSuccess) {
      return false;
    }
    switch (v.direction) {
      case LIBSGEMM_CONV2D_DATA_GRADIENT:
        return f_.data(gradient->fill(), engine_, kAutomatic, x, f, y, strides, dilations, before, behind,
                       forward->get(), nullptr) == kSuccess;
      case LIBSGEMM_CONV2D_WEIGHT_GRADIENT:
        return f_.weights(gradient->fill(), engine_, kAutomatic, x, f, nullptr, y, strides, dilations, before, behind,
                          forward->get(), nullptr) == kSuccess;
      default:
        return true;
    }
  }

  // If the convolution requires another `layout`, also creates its memory and the conversion.
  void place(Operand *operand, Opaque layout, void *data, bool output) {
    const Opaque plain = operand->plain.get();
    check(f_.create_memory(operand->outside.fill(), plain, engine_, data), "dnnl_memory_create");
    operand->inside.reset();
    if (f_.equal(layout, plain) != 0) return;
    void *const own = reinterpret_cast<void *>(~uintptr_t{0});  // DNNL_MEMORY_ALLOCATE
    check(f_.create_memory(operand->inside.fill(), layout, engine_, own), "dnnl_memory_create");
    Owned description(f_.destroy_description);
    check(f_.reorder(description.fill(), output ? layout : plain, engine_, output ? plain : layout, engine_, nullptr),
          "dnnl_reorder_primitive_desc_create");
    check(f_.create(operand->conversion.fill(), description.get()), "dnnl_primitive_create");
  }

  void convert(const Owned &from, const Owned &to, const Owned &conversion) {
    if (from.get() == nullptr || to.get() == nullptr) return;
    const Argument arguments[] = {{kFrom, from.get()}, {kTo, to.get()}};
    execute(conversion, arguments, 2);
  }

  void execute(const Owned &primitive, const Argument *arguments, int count) {
    check(f_.execute(primitive.get(), stream_, count, arguments), "dnnl_primitive_execute");
    check(f_.wait(stream_), "dnnl_stream_wait");
  }

  const bool plain_;
  const Functions &f_;
  Opaque engine_ = nullptr, stream_ = nullptr;
  Operand operands_[3];
  void *data_[3] = {};
  int output_ = 0;
  Owned primitive_{functions().destroy};
  std::string chosen_;
};

}  // namespace

std::unique_ptr<ConvPeer> open_onednn() { return std::make_unique<OneDnn>(false); }
std::unique_ptr<ConvPeer> open_onednn_plain() { return std::make_unique<OneDnn>(true); }

}  // namespace command
