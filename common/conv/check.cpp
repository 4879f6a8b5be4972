#include "conv/check.h"

#include <cinttypes>
#include <cstring>

#include "contract/float_mode.h"
#include "matrix/tensor.h"

namespace libsgemm {
namespace {

constexpr int64_t kMaxBytes = INT64_MAX / 8;

enum Position : int { kConv = 1, kA = 3, kB = 4, kC = 6 };

// For a, b >= 0; saturates at INT64_MAX.
int64_t add(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }
int64_t multiply(int64_t a, int64_t b) { return a != 0 && b > INT64_MAX / a ? INT64_MAX : a * b; }

// An enumeration from C may hold any number.
template <typename Enum>
int number_of(const Enum &value) {
  static_assert(sizeof(Enum) == sizeof(int), "an enumeration of C");
  int number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

class Report {
 public:
  explicit Report(ThreadInfo *info) : info_(info) {}

  bool failed() const { return info_->status != LIBSGEMM_SUCCESS; }

  template <typename... Args>
  void fail(int position, const char *format, Args... args) {
    if (failed()) return;
    Error what;
    set_error(&what, format, args...);
    info_->argument = position;
    info_->fail(LIBSGEMM_INVALID_ARGUMENT, what.text);
  }

  void at_least(int64_t least, const char *field, int64_t value) {
    if (value >= least) return;
    fail(kConv, "argument 1 (conv) field %s is %" PRId64 ", must be >= %" PRId64, field, value, least);
  }

  void one_of(int last, const char *field, int value, const char *words) {
    if (value >= 0 && value <= last) return;
    fail(kConv, "argument 1 (conv) field %s is %d, must be %s", field, value, words);
  }

 private:
  ThreadInfo *info_;
};

void check_sizes(Report *report, const libsgemm_conv2d_t &v) {
  if (v.size != sizeof v) {
    report->fail(kConv, "argument 1 (conv) field size is %zu, must be %zu (libsgemm_conv2d_init)", v.size, sizeof v);
    return;
  }
  report->one_of(2, "direction", number_of(v.direction), "0 (forward), 1 (data gradient) or 2 (weight gradient)");
  report->one_of(1, "layout", number_of(v.layout), "0 (NCHW) or 1 (NHWC)");
  report->at_least(0, "n", v.n);
  report->at_least(0, "c", v.c);
  report->at_least(0, "h", v.h);
  report->at_least(0, "w", v.w);
  report->at_least(0, "k", v.k);
  report->at_least(1, "r", v.r);
  report->at_least(1, "s", v.s);
  report->at_least(1, "groups", v.groups);
  report->at_least(1, "stride_h", v.stride_h);
  report->at_least(1, "stride_w", v.stride_w);
  report->at_least(0, "pad_top", v.pad_top);
  report->at_least(0, "pad_left", v.pad_left);
  report->at_least(0, "pad_bottom", v.pad_bottom);
  report->at_least(0, "pad_right", v.pad_right);
  report->at_least(1, "dilation_h", v.dilation_h);
  report->at_least(1, "dilation_w", v.dilation_w);
  if (report->failed()) return;
  if (v.c % v.groups != 0 || v.k % v.groups != 0) {
    report->fail(kConv, "argument 1 (conv) field groups is %" PRId64 ", must divide c = %" PRId64 " and k = %" PRId64,
                 v.groups, v.c, v.k);
  }
}

int64_t output_side(Report *report, int64_t image, int64_t before, int64_t after, int64_t filter, int64_t dilation,
                    int64_t stride, const char *filter_name, const char *image_name) {
  const int64_t padded = add(add(image, before), after), dilated = add(multiply(filter - 1, dilation), 1);
  if (padded > kMaxBytes) {
    report->fail(kConv, "argument 1 (conv) field %s is %" PRId64 ": with its padding it overflows the address space",
                 image_name, image);
    return 0;
  }
  if (dilated > padded) {
    report->fail(kConv,
                 "argument 1 (conv) field %s is %" PRId64 ": with its dilation %" PRId64 ", more than the %" PRId64
                 " of the image with its padding",
                 filter_name, filter, dilated, padded);
    return 0;
  }
  return (padded - dilated) / stride + 1;
}

void check_output(Report *report, const libsgemm_conv2d_t &v, int64_t *p, int64_t *q) {
  check_sizes(report, v);
  if (report->failed()) return;
  *p = output_side(report, v.h, v.pad_top, v.pad_bottom, v.r, v.dilation_h, v.stride_h, "r", "h");
  *q = output_side(report, v.w, v.pad_left, v.pad_right, v.s, v.dilation_w, v.stride_w, "s", "w");
}

Steps steps_of(Report *report, const int64_t (&size)[4], const int64_t (&strides)[4], bool nhwc, const char *name) {
  static constexpr int kNchw[] = {3, 2, 1, 0}, kNhwc[] = {1, 3, 2, 0};  // innermost first
  int64_t step[4], count = 1;
  for (const int d : nhwc ? kNhwc : kNchw) {
    step[d] = count;
    count = multiply(count, std::max<int64_t>(1, size[d]));
  }
  const bool given = std::any_of(std::begin(strides), std::end(strides), [](int64_t s) { return s != 0; });
  if (given) std::copy(std::begin(strides), std::end(strides), step);
  int64_t last = 0;
  for (int d = 0; d < 4; ++d) {
    if (step[d] < 0) {
      report->fail(kConv, "argument 1 (conv) field %s_strides[%d] is %" PRId64 ", must be >= 0", name, d, step[d]);
      return {};
    }
    last = add(last, multiply(std::max<int64_t>(0, size[d] - 1), step[d]));
  }
  constexpr int64_t kMost = kMaxBytes / static_cast<int64_t>(sizeof(float));
  if (count > kMost || last >= kMost) {
    report->fail(kConv, "argument 1 (conv) fields describe a tensor %s that overflows the address space", name);
  }
  return {step[0], step[1], step[2], step[3]};
}

void fill(const ConvCall &call, int64_t p, int64_t q, ConvDesc *desc) {
  const libsgemm_conv2d_t &v = *call.conv;
  ConvDesc &d = *desc;
  d.direction = static_cast<Conv>(v.direction);
  d.math_mode = LIBSGEMM_MATH_FP32;
  d.deterministic = LIBSGEMM_DETERMINISTIC_OFF;
  d.n = v.n, d.c = v.c, d.h = v.h, d.w = v.w;
  d.k = v.k, d.r = v.r, d.s = v.s;
  d.p = p, d.q = q;
  d.groups = v.groups;
  d.stride_h = v.stride_h, d.stride_w = v.stride_w;
  d.pad_h = v.pad_top, d.pad_w = v.pad_left;
  d.dilation_h = v.dilation_h, d.dilation_w = v.dilation_w;
  d.alpha = factor_of_call(call.alpha), d.beta = factor_of_call(call.beta);
  d.x = d.direction == Conv::data_gradient ? call.c : call.a;
  d.f = d.direction == Conv::weight_gradient ? call.c : call.b;
  d.y = d.direction == Conv::forward ? call.c : d.direction == Conv::data_gradient ? call.a : call.b;
  d.out = call.c;
}

void check_tensors(Report *report, const libsgemm_conv2d_t &v, ConvDesc *d) {
  const bool nhwc = v.layout == LIBSGEMM_NHWC;
  d->x_steps = steps_of(report, {d->n, d->c, d->h, d->w}, v.x_strides, nhwc, "x");
  d->f_steps = steps_of(report, {d->k, d->c / d->groups, d->r, d->s}, v.f_strides, nhwc, "f");
  d->y_steps = steps_of(report, {d->n, d->k, d->p, d->q}, v.y_strides, nhwc, "y");
  if (report->failed() || apart(output_of(*d))) return;
  static const char *const names[] = {"y", "x", "f"};
  report->fail(kConv, "argument 1 (conv) field %s_strides lets elements of the output overlap",
               names[static_cast<int>(d->direction)]);
}

}  // namespace

bool is_empty(const ConvDesc &d) { return count_of(output_of(d)) == 0; }

bool has_no_terms(const ConvDesc &d) {
  Tensor a, b;
  inputs_of(d, &a, &b);
  return count_of(a) == 0 || count_of(b) == 0;
}

libsgemm_status_t check_conv(const ConvCall &call, ThreadInfo *info, ConvDesc *desc) {
  Report report(info);
  int64_t p = 0, q = 0;
  if (call.conv == nullptr) {
    report.fail(kConv, "argument 1 (conv) is NULL");
    return info->status;
  }
  check_output(&report, *call.conv, &p, &q);
  if (report.failed()) return info->status;
  fill(call, p, q, desc);
  check_tensors(&report, *call.conv, desc);
  if (report.failed() || is_empty(*desc)) return info->status;
  const bool reads = call.alpha != 0.0f && !has_no_terms(*desc);
  if (reads && call.a == nullptr) report.fail(kA, "argument 3 (A) is NULL");
  if (reads && call.b == nullptr) report.fail(kB, "argument 4 (B) is NULL");
  if (call.c == nullptr) report.fail(kC, "argument 6 (C) is NULL");
  return info->status;
}

libsgemm_status_t check_conv_memory(const ConvDesc &desc, ThreadInfo *info) {
  if (desc.alpha == 0.0f || has_no_terms(desc)) return LIBSGEMM_SUCCESS;
  Report report(info);
  const Tensor out = output_of(desc);
  Tensor a, b;
  inputs_of(desc, &a, &b);
  // a and b are in the order x, f, y, but A and B of the data gradient are y and f.
  const bool turned = desc.direction == Conv::data_gradient;
  if (overlap(out, a)) report.fail(kC, "argument 6 (C) overlaps %s", turned ? "B" : "A");
  if (overlap(out, b)) report.fail(kC, "argument 6 (C) overlaps %s", turned ? "A" : "B");
  return info->status;
}

libsgemm_status_t output_size(const libsgemm_conv2d_t *conv, int64_t *p, int64_t *q, ThreadInfo *info) {
  Report report(info);
  int64_t rows = 0, columns = 0;
  if (conv == nullptr) {
    report.fail(kConv, "argument 1 (conv) is NULL");
    return info->status;
  }
  check_output(&report, *conv, &rows, &columns);
  if (report.failed()) return info->status;
  if (p == nullptr || q == nullptr) {
    report.fail(p == nullptr ? 2 : 3, p == nullptr ? "argument 2 (p) is NULL" : "argument 3 (q) is NULL");
    return info->status;
  }
  *p = rows;
  *q = columns;
  return info->status;
}

}  // namespace libsgemm
