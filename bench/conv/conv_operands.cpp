#include "conv_operands.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inputs/precision.h"
#include "inputs/random.h"
#include "inputs/workload.h"

namespace command {
namespace {

constexpr int64_t kPattern = (int64_t{1} << 20) - 3;
constexpr int kChecked = 64;

}  // namespace

ConvOperands::Dense ConvOperands::dense(const int64_t (&size)[4], libsgemm_tensor_layout_t layout) {
  static constexpr int kNchw[] = {3, 2, 1, 0}, kNhwc[] = {1, 3, 2, 0};  // dimensions, innermost first
  Dense tensor = {};
  int64_t step = 1;
  for (const int d : layout == LIBSGEMM_NHWC ? kNhwc : kNchw) {
    tensor.size[d] = size[d];
    tensor.step[d] = step;
    step *= size[d];
  }
  return tensor;
}

ConvOperands::ConvOperands(ConvWork *work, Memory *memory) : work_(*work), memory_(memory) {
  const libsgemm_conv2d_t &v = work_.conv;
  const int64_t c = v.c / v.groups;
  tensors_[0] = dense({v.n, v.c, v.h, v.w}, v.layout);
  tensors_[1] = dense({v.k, c, v.r, v.s}, v.layout);
  tensors_[2] = dense({v.n, v.k, work_.p, work_.q}, v.layout);
  output_ = v.direction == LIBSGEMM_CONV2D_FORWARD ? 2 : v.direction == LIBSGEMM_CONV2D_DATA_GRADIENT ? 0 : 1;
  terms_ = output_ == 2 ? c * v.r * v.s : output_ == 0 ? v.k / v.groups * v.r * v.s : v.n * work_.p * work_.q;
  uint64_t state = 1;
  for (int64_t i = 0; i < kPattern; ++i) pattern_.push_back(uniform_element(&state, Element::kFloat32));
  for (int tensor = 0; tensor < 3; ++tensor) fill(tensor);
  work_.a = static_cast<const float *>(buffer(output_ == 0 ? 2 : 0).data());
  work_.b = static_cast<const float *>(buffer(output_ == 1 ? 2 : 1).data());
  work_.c = static_cast<float *>(buffer(output_).data());
  choose_sample();
}

void ConvOperands::fill(int tensor) {
  const int64_t count = tensors_[tensor].count();
  buffers_[tensor] = std::make_unique<Buffer>(memory_, static_cast<size_t>(count) * sizeof(float));
  auto *const all = static_cast<float *>(buffer(tensor).data());
  memory_->upload(all, pattern_.data(), static_cast<size_t>(std::min(count, kPattern)) * sizeof(float));
  for (int64_t done = kPattern; done < count; done += kPattern) {
    memory_->copy(all + done, all, static_cast<size_t>(std::min(kPattern, count - done)) * sizeof(float));
  }
}

float ConvOperands::at(int tensor, int64_t n, int64_t c, int64_t h, int64_t w) const {
  const Dense &t = tensors_[tensor];
  const int64_t element = n * t.step[0] + c * t.step[1] + h * t.step[2] + w * t.step[3];
  return pattern_[static_cast<size_t>(element % kPattern)];
}

void ConvOperands::add_term(Sample *sample, int64_t n, int64_t k, int64_t c, int64_t i, int64_t j, int64_t r,
                            int64_t s) const {
  const libsgemm_conv2d_t &v = work_.conv;
  const int64_t h = i * v.stride_h - v.pad_top + r * v.dilation_h, w = j * v.stride_w - v.pad_left + s * v.dilation_w;
  if (h < 0 || h >= v.h || w < 0 || w >= v.w) return;
  const int64_t channel = k / (v.k / v.groups) * (v.c / v.groups) + c;
  double term = 1;
  if (output_ != 0) term *= static_cast<double>(at(0, n, channel, h, w));
  if (output_ != 1) term *= static_cast<double>(at(1, k, c, r, s));
  if (output_ != 2) term *= static_cast<double>(at(2, n, k, i, j));
  sample->value += term;
  sample->magnitude += std::abs(term);
}

void ConvOperands::sum(Sample *sample, const int64_t (&index)[4]) const {
  const libsgemm_conv2d_t &v = work_.conv;
  const int64_t c_count = v.c / v.groups, k_count = v.k / v.groups;
  // The sum runs over taps and channels for a pixel of y, taps and filters for a pixel of x, all pixels of y for an
  // element of f.
  const int64_t outer = output_ == 2 ? c_count : output_ == 0 ? k_count : v.n;
  const int64_t rows = output_ == 1 ? work_.p : v.r, columns = output_ == 1 ? work_.q : v.s;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t x = 0; x < columns; ++x) {
        if (output_ == 2) {
          add_term(sample, index[0], index[1], o, index[2], index[3], y, x);
        } else if (output_ == 1) {
          add_term(sample, o, index[0], index[1], y, x, index[2], index[3]);
        } else {
          const int64_t i = index[2] + v.pad_top - y * v.dilation_h, j = index[3] + v.pad_left - x * v.dilation_w;
          if (i < 0 || j < 0 || i % v.stride_h != 0 || j % v.stride_w != 0) continue;
          if (i / v.stride_h >= work_.p || j / v.stride_w >= work_.q) continue;
          const int64_t k = index[1] / c_count * k_count + o;
          add_term(sample, index[0], k, index[1] % c_count, i / v.stride_h, j / v.stride_w, y, x);
        }
      }
    }
  }
}

void ConvOperands::choose_sample() {
  const Dense &out = tensors_[output_];
  uint64_t state = 2;
  for (int i = 0; i < kChecked; ++i) {
    int64_t index[4], element = 0;
    for (int d = 0; d < 4; ++d) {
      const auto drawn = static_cast<int64_t>(next_random(&state) % static_cast<uint64_t>(out.size[d]));
      index[d] = i == 0 ? 0 : i == 1 ? out.size[d] - 1 : drawn;
      element += index[d] * out.step[d];
    }
    Sample sample = {work_.c + element, 0, 0};
    sum(&sample, index);
    sample_.push_back(sample);
  }
}

double ConvOperands::check(const std::function<void()> &run) {
  std::vector<float *> places;
  for (const Sample &sample : sample_) places.push_back(sample.place);
  const std::vector<float> values = results_at(memory_, places, std::numeric_limits<float>::quiet_NaN(), run);
  double worst = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double error = std::abs(static_cast<double>(values[i]) - sample_[i].value);
    const double bound = error_factor({}, terms_) * sample_[i].magnitude;
    const double ratio = error == 0 ? 0 : error / bound;
    if (!(ratio <= worst)) worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
  }
  return worst;
}

}  // namespace command
