#include "conv_problem.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "support/modes.h"

namespace sgemm_test {
namespace {

float number(Random *random, ConvInputs inputs) {
  return inputs == ConvInputs::kExact ? static_cast<float>(random->integer(-3, 3)) : random->uniform();
}

std::vector<float> numbers(Random *random, ConvInputs inputs, int64_t count) {
  std::vector<float> all(static_cast<size_t>(count));
  for (float &x : all) x = number(random, inputs);
  return all;
}

double rounded(float value, libsgemm_math_mode_t mode) { return static_cast<double>(as_input(mode, value)); }

double limit_of(const ConvProblem &problem, const ConvArithmetic &how, double wanted, double sum) {
  const double k = static_cast<double>(problem.terms);
  if (how.mode == LIBSGEMM_MATH_FP64) return 1.0001 * kUnitRoundoff * std::fabs(wanted) + (k + 2) * 0x1p-52 * sum;
  double factor = 2 * std::sqrt(k + 2) * kUnitRoundoff;
  if (how.truncates) factor += (k / (how.mode == LIBSGEMM_MATH_TF32 ? 8 : 16) + 1) * 0x1p-23;
  if (how.mode == LIBSGEMM_MATH_BF16X6) factor += 4 * kUnitRoundoff;
  if (how.mode == LIBSGEMM_MATH_FP16X3) factor += 8 * kUnitRoundoff;
  return factor * sum + 0x1p-140;
}

}  // namespace

ConvArithmetic conv_arithmetic_of(const libsgemm_info_t &info) {
  for (int mode = LIBSGEMM_MATH_FP32; mode <= kOtherModeCount; ++mode) {
    const auto each = static_cast<libsgemm_math_mode_t>(mode);
    if (std::strcmp(info.math_mode, name_of(each)) == 0) return {each, info.truncated != 0};
  }
  std::abort();
}

ConvProblem::ConvProblem(const ConvCase &t, libsgemm_conv2d_direction_t to, ConvInputs of, float by, float add,
                         libsgemm_math_mode_t mode)
    : test(t), direction(to), inputs(of), alpha(by), beta(add), p(0), q(0), terms(0) {
  const libsgemm_conv2d_t conv = conv_of(t, to, ConvLayout::kNchw);
  if (libsgemm_conv2d_output_size(&conv, &p, &q) != LIBSGEMM_SUCCESS) std::abort();
  const int64_t c = t.c / t.groups, k = t.k / t.groups;
  Random random(static_cast<uint64_t>(t.n * 7 + t.c * 5 + t.h * 3 + t.k));
  x = numbers(&random, of, t.n * t.c * t.h * t.w);
  f = numbers(&random, of, t.k * c * t.r * t.s);
  y = numbers(&random, of, t.n * t.k * p * q);
  const bool forward = to == LIBSGEMM_CONV2D_FORWARD, data = to == LIBSGEMM_CONV2D_DATA_GRADIENT;
  terms = forward ? c * t.r * t.s : data ? k * t.r * t.s : t.n * p * q;
  value.assign(output().size(), 0);
  magnitude.assign(output().size(), 0);
  for (int64_t image = 0; image < t.n; ++image) {
    for (int64_t filter = 0; filter < t.k; ++filter) {
      for (int64_t channel = 0; channel < c; ++channel) {
        for (int64_t i = 0; i < p; ++i) {
          for (int64_t j = 0; j < q; ++j) {
            for (int64_t r = 0; r < t.r; ++r) {
              const int64_t h = i * t.stride_h - t.pad_top + r * t.dilation_h;
              if (h < 0 || h >= t.h) continue;
              for (int64_t s = 0; s < t.s; ++s) {
                const int64_t w = j * t.stride_w - t.pad_left + s * t.dilation_w;
                if (w < 0 || w >= t.w) continue;
                const auto in_x = static_cast<size_t>(((image * t.c + filter / k * c + channel) * t.h + h) * t.w + w);
                const auto in_f = static_cast<size_t>(((filter * c + channel) * t.r + r) * t.s + s);
                const auto in_y = static_cast<size_t>(((image * t.k + filter) * p + i) * q + j);
                const double left = rounded(forward ? x[in_x] : y[in_y], mode);
                const double right = rounded(forward || data ? f[in_f] : x[in_x], mode);
                const size_t at = forward ? in_y : data ? in_x : in_f;
                value[at] += left * right;
                magnitude[at] += std::fabs(left * right);
              }
            }
          }
        }
      }
    }
  }
}

const std::vector<float> &ConvProblem::output() const {
  return direction == LIBSGEMM_CONV2D_FORWARD ? y : direction == LIBSGEMM_CONV2D_DATA_GRADIENT ? x : f;
}

std::string ConvProblem::description() const {
  return std::string(test.name) + ", " + direction_name(direction) +
         (inputs == ConvInputs::kExact ? ", exact" : ", random") + ", alpha " + std::to_string(alpha) + ", beta " +
         std::to_string(beta);
}

ConvTensor::ConvTensor(const int64_t (&size)[4], const int64_t (&strides)[4], libsgemm_tensor_layout_t layout,
                       int misalignment) {
  static constexpr int kNchw[] = {3, 2, 1, 0}, kNhwc[] = {1, 3, 2, 0};  // innermost first
  int64_t step = 1;
  for (const int d : layout == LIBSGEMM_NHWC ? kNhwc : kNchw) {
    step_[d] = step;
    step *= size[d];
  }
  elements_ = 1;
  for (int d = 0; d < 4; ++d) {
    size_[d] = size[d];
    if (strides[0] + strides[1] + strides[2] + strides[3] != 0) step_[d] = strides[d];
    elements_ += (size_[d] - 1) * step_[d];
  }
  buffer_ = std::make_unique<Buffer>(elements_, sizeof(float), misalignment);
}

template <typename Visit>
void ConvTensor::for_each(const Visit &visit) const {
  size_t index = 0;
  for (int64_t n = 0; n < size_[0]; ++n) {
    for (int64_t c = 0; c < size_[1]; ++c) {
      for (int64_t h = 0; h < size_[2]; ++h) {
        for (int64_t w = 0; w < size_[3]; ++w) {
          visit(n * step_[0] + c * step_[1] + h * step_[2] + w * step_[3], index++);
        }
      }
    }
  }
}

void ConvTensor::fill(const std::vector<float> &dense, bool poisoned) {
  if (!poisoned) {
    auto *data = buffer_->as<float>();
    for_each([&](int64_t at, size_t index) { data[at] = dense[index]; });
  }
  buffer_->seal();
}

std::vector<float> ConvTensor::dense() const {
  std::vector<float> all(static_cast<size_t>(size_[0] * size_[1] * size_[2] * size_[3]));
  for_each([&](int64_t at, size_t index) { all[index] = buffer_->as<float>()[at]; });
  return all;
}

std::vector<bool> ConvTensor::belongs() const {
  std::vector<bool> is(static_cast<size_t>(elements_));
  for_each([&](int64_t at, size_t) { is[static_cast<size_t>(at)] = true; });
  return is;
}

ConvPlacement::ConvPlacement(const ConvProblem &problem, ConvLayout layout, int misalignment)
    : problem_(problem), conv_(conv_of(problem.test, problem.direction, layout)) {
  const ConvCase &t = problem.test;
  const int64_t x[] = {t.n, t.c, t.h, t.w}, f[] = {t.k, t.c / t.groups, t.r, t.s},
                y[] = {t.n, t.k, problem.p, problem.q};
  // Offsets in a cache line differ.
  tensors_.emplace_back(x, conv_.x_strides, conv_.layout, misalignment);
  tensors_.emplace_back(f, conv_.f_strides, conv_.layout, 2 * misalignment);
  tensors_.emplace_back(y, conv_.y_strides, conv_.layout, 3 * misalignment);
  output_ = problem.direction == LIBSGEMM_CONV2D_FORWARD         ? 2
            : problem.direction == LIBSGEMM_CONV2D_DATA_GRADIENT ? 0
                                                                 : 1;
  a_ = output_ == 0 ? 2 : 0;
  b_ = output_ == 1 ? 2 : 1;
  const std::vector<float> *const numbers[] = {&problem.x, &problem.f, &problem.y};
  for (int i = 0; i < 3; ++i) {
    // Unread operands are NaN.
    const bool unread = i == output_ ? problem.beta == 0.0f : problem.alpha == 0.0f;
    tensors_[static_cast<size_t>(i)].fill(*numbers[i], unread);
  }
}

libsgemm_status_t ConvPlacement::run(libsgemm_handle_t handle, const float *a, const float *b, float *c) const {
  return handle == nullptr ? libsgemm_sconv2d(&conv_, problem_.alpha, a, b, problem_.beta, c)
                           : libsgemm_sconv2d_h(handle, &conv_, problem_.alpha, a, b, problem_.beta, c);
}

std::string ConvPlacement::check(const ConvArithmetic &how) const {
  for (int i = 0; i < 3; ++i) {
    const ConvTensor &t = tensors_[static_cast<size_t>(i)];
    t.buffer().unseal();
    const std::string damage = t.buffer().damage(i == output_ ? t.belongs() : std::vector<bool>());
    if (!damage.empty()) return std::string("xfy").substr(static_cast<size_t>(i), 1) + ": " + damage;
  }
  const std::vector<float> result = tensors_[static_cast<size_t>(output_)].dense();
  const double alpha = static_cast<double>(problem_.alpha), beta = static_cast<double>(problem_.beta);
  for (size_t i = 0; i < result.size(); ++i) {
    const double old = beta == 0 ? 0 : static_cast<double>(problem_.output()[i]);
    const double product = alpha == 0 ? 0 : alpha * problem_.value[i], wanted = product + beta * old;
    const double sum = alpha == 0 ? 0 : std::fabs(alpha) * problem_.magnitude[i] + std::fabs(beta * old);
    const double limit = problem_.inputs == ConvInputs::kExact ? 0 : limit_of(problem_, how, wanted, sum);
    const double error = std::fabs(static_cast<double>(result[i]) - wanted);
    if (!(error <= limit)) {
      return "element " + std::to_string(i) + " is " + std::to_string(result[i]) + ", not " + std::to_string(wanted) +
             ": an error of " + std::to_string(error / kUnitRoundoff) + " u, limit " +
             std::to_string(limit / kUnitRoundoff) + " u";
    }
  }
  return "";
}

std::string ConvPlacement::check_untouched() const {
  for (const ConvTensor &t : tensors_) {
    t.buffer().unseal();
    const std::string damage = t.buffer().damage();
    if (!damage.empty()) return damage;
  }
  return "";
}

void ConvPlacement::restore() {
  for (ConvTensor &t : tensors_) t.buffer().restore();
}

}  // namespace sgemm_test
