#include "workload.h"

#include <fmt/core.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>

#include "base/parallel.h"
#include "random.h"

namespace command {
namespace {

constexpr int kSampleSide = 8;
constexpr size_t kAlignment = 256;
constexpr uint64_t kColumnStep = 0xd1342543de82ef95u;  // between random states of columns
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Uniform multiples of 1 / steps (a power of two) in [-1, 1).
float uniform(uint64_t *state, int64_t steps) {
  const int64_t whole = static_cast<int64_t>(next_random(state) >> 24 & static_cast<uint64_t>(2 * steps - 1)) - steps;
  return static_cast<float>(whole) / static_cast<float>(steps);
}

int64_t steps_of(Element element) {
  switch (element) {
    case Element::kBinary16:
      return 1024;
    case Element::kBfloat16:
      return 128;
    default:
      return int64_t{1} << 23;
  }
}

// First, last and random indices; repeated if `count` is small.
std::vector<int64_t> choose_indices(int64_t count, uint64_t *random) {
  std::vector<int64_t> indices = {0, count - 1};
  while (indices.size() < kSampleSide) indices.push_back(static_cast<int64_t>(next_random(random) >> 1) % count);
  return indices;
}

class FirstProblem {
 public:
  void set(int64_t column, const std::string &text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!text_.empty() && column >= column_) return;
    column_ = column;
    text_ = text;
  }
  std::string text() const { return text_; }

 private:
  std::mutex mutex_;
  int64_t column_ = 0;
  std::string text_;
};

size_t elements(Extent extent, int64_t ld, int64_t batch) { return static_cast<size_t>(ld * extent.columns * batch); }

}  // namespace

float uniform_element(uint64_t *random, Element element) { return uniform(random, steps_of(element)); }

uint16_t encode(float value, Element element) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (element == Element::kBfloat16) return static_cast<uint16_t>(bits >> 16);
  const uint32_t sign = bits >> 16 & 0x8000u;
  if (std::isnan(value)) return 0x7e00u;
  if (value == 0) return static_cast<uint16_t>(sign);
  const uint32_t exponent = (bits >> 23 & 0xffu) - 112;
  return static_cast<uint16_t>(sign | exponent << 10 | (bits >> 13 & 0x3ffu));
}

Workload::Workload(Routine routine, const Shape &shape, const Form &form, Memory *memory)
    : memory_(memory),
      call_(make_call(routine, shape, form)),
      traits_(traits(routine)),
      output_(extent_of_c(call_)),
      a_(elements(extent_of_a(call_), call_.lda, call_.batch)),
      b_(traits_.has_b ? elements(extent_of_b(call_), call_.ldb, call_.batch) : 0),
      c_(elements(output_, call_.ldc, call_.batch), kNan),
      buffer_a_(memory, a_.size() * element_bytes(traits_.element)),
      buffer_b_(memory, bytes_of_b()),
      buffer_c_(memory, c_.size() * sizeof(float)),
      buffer_before_(memory, call_.beta != 0 ? c_.size() * sizeof(float) : 0) {
  fill(&a_, extent_of_a(call_), call_.lda, traits_.triangular_a);
  if (traits_.has_b) fill(&b_, extent_of_b(call_), call_.ldb, false);
  if (reads_output()) fill_output();
  upload_operands();
  choose_sample();
  for (const Sample &sample : sample_) {
    sample_places_.push_back(static_cast<float *>(call_.c) + sample.item * call_.stride_c + sample.row +
                             sample.column * call_.ldc);
  }
}

size_t Workload::bytes_of_b() const {
  return traits_.in_place ? c_.size() * sizeof(float) : b_.size() * element_bytes(traits_.element);
}

size_t Workload::bytes() const {
  return (a_.size() + b_.size()) * element_bytes(traits_.element) + c_.size() * sizeof(float);
}

void Workload::add_sets(size_t count) {
  const auto aligned = [](size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; };
  const size_t a_bytes = a_.size() * element_bytes(traits_.element), b_bytes = bytes_of_b();
  const size_t set_bytes = aligned(a_bytes) + aligned(b_bytes) + aligned(c_.size() * sizeof(float));
  for (size_t more = count - std::min(count, calls_.size()); more > 0; more /= 2) {
    try {
      more_sets_ = std::make_unique<Buffer>(memory_, more * set_bytes);
    } catch (const std::bad_alloc &) {
      continue;
    }
    for (size_t i = 0; i < more; ++i) {
      char *place = static_cast<char *>(more_sets_->data()) + i * set_bytes;
      Call call = call_;
      call.a = place;
      call.b = place + aligned(a_bytes);
      call.c = reinterpret_cast<float *>(place + aligned(a_bytes) + aligned(b_bytes));
      memory_->copy(place, call_.a, a_bytes);
      if (b_bytes > 0) memory_->copy(place + aligned(a_bytes), call_.b, b_bytes);
      calls_.push_back(call);
    }
    return;
  }
}

// A triangular matrix is well conditioned: diagonal in [1, 2), small elements elsewhere.
void Workload::fill(std::vector<float> *matrix, Extent extent, int64_t ld, bool triangular) {
  const int64_t steps = steps_of(traits_.element);
  const float beside = triangular ? 1.0f / static_cast<float>(extent.rows) : 1.0f;
  const uint64_t seed = next_random(&random_);
  for_ranges(extent.columns * call_.batch, ld, [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      uint64_t random = seed + static_cast<uint64_t>(j) * kColumnStep;
      float *column = matrix->data() + j * ld;
      for (int64_t i = 0; i < extent.rows; ++i) column[i] = uniform(&random, steps) * beside;
      if (triangular) column[j % extent.columns] = 1 + std::fabs(uniform(&random, steps));
      std::fill(column + extent.rows, column + ld, kNan);
    }
  });
}

// Outside of its triangle the output stays NaN.
void Workload::fill_output() {
  fill(&c_, output_, call_.ldc, false);
  for (int64_t j = 0; j < output_.columns * call_.batch; ++j) {
    float *column = c_.data() + j * call_.ldc;
    const auto [first, end] = rows_of_output(j % output_.columns);
    std::fill(column, column + first, kNan);
    std::fill(column + end, column + output_.rows, kNan);
  }
}

void Workload::upload_operands() {
  const auto upload = [this](const std::vector<float> &values, const Buffer &buffer) {
    if (traits_.element == Element::kFloat32) {
      memory_->upload(buffer.data(), values.data(), values.size() * sizeof(float));
      return;
    }
    std::vector<uint16_t> encoded(values.size());
    std::transform(values.begin(), values.end(), encoded.begin(),
                   [this](float x) { return encode(x, traits_.element); });
    memory_->upload(buffer.data(), encoded.data(), encoded.size() * sizeof(uint16_t));
  };
  upload(a_, buffer_a_);
  if (traits_.has_b) upload(b_, buffer_b_);
  if (traits_.in_place) upload(c_, buffer_b_);
  if (call_.beta != 0) memory_->upload(buffer_before_.data(), c_.data(), c_.size() * sizeof(float));
  call_.a = buffer_a_.data();
  call_.b = buffer_b_.data();
  call_.c = buffer_c_.data();
  calls_ = {call_};
}

double Workload::a(int64_t item, int64_t i, int64_t j) const {
  if (!traits_.symmetric_a && call_.transa != LIBSGEMM_NO_TRANS) std::swap(i, j);
  const bool outside = call_.uplo == LIBSGEMM_UPPER ? i > j : i < j;
  if (traits_.triangular_a && outside) return 0;
  if (traits_.symmetric_a && outside) std::swap(i, j);
  return static_cast<double>(a_[static_cast<size_t>(item * call_.stride_a + i + j * call_.lda)]);
}

double Workload::b(int64_t item, int64_t i, int64_t j) const {
  if (traits_.base == libsgemm::Routine::syrk) return a(item, j, i);
  if (traits_.in_place) return static_cast<double>(c_[static_cast<size_t>(item * call_.stride_c + i + j * call_.ldc)]);
  // SSYR2K multiplies by op(B)^T, where op is that of A.
  const bool transposed =
      call_.routine == Routine::kSsyr2k ? call_.transa == LIBSGEMM_NO_TRANS : call_.transb != LIBSGEMM_NO_TRANS;
  if (transposed) std::swap(i, j);
  return static_cast<double>(b_[static_cast<size_t>(item * call_.stride_b + i + j * call_.ldb)]);
}

int64_t Workload::inner_size() const { return outline(call_).k; }

std::pair<int64_t, int64_t> Workload::rows_of_output(int64_t column) const {
  if (!traits_.triangular_output) return {0, output_.rows};
  return call_.uplo == LIBSGEMM_UPPER ? std::pair(int64_t{0}, column + 1) : std::pair(column, output_.rows);
}

// A group is part of a column of a matrix, or of a row if A is on the right, which solve_sample() solves for.
void Workload::choose_sample() {
  std::vector<int64_t> within = choose_indices(output_.rows, &random_);
  std::vector<int64_t> lines = choose_indices(output_.columns, &random_);
  if (on_right()) std::swap(within, lines);
  const std::vector<int64_t> items = choose_indices(call_.batch, &random_);
  for (size_t group = 0; group < lines.size(); ++group) {
    for (const int64_t place : within) {
      Sample sample{items[group], on_right() ? lines[group] : place, on_right() ? place : lines[group], 0, 0};
      const auto [first, end] = rows_of_output(sample.column);
      if (sample.row < first || sample.row >= end) std::swap(sample.row, sample.column);
      if (call_.routine != Routine::kStrsm) compute(&sample);
      sample_.push_back(sample);
    }
  }
  if (call_.routine == Routine::kStrsm) solve_sample();
}

void Workload::compute(Sample *sample) const {
  const int64_t item = sample->item, row = sample->row, column = sample->column;
  const auto add = [sample](double product) {
    sample->value += product;
    sample->magnitude += std::fabs(product);
  };
  const int64_t count = inner_size();
  for (int64_t l = 0; l < count; ++l) {
    add(on_right() ? b(item, row, l) * a(item, l, column) : a(item, row, l) * b(item, l, column));
    if (call_.routine == Routine::kSsyr2k) add(a(item, column, l) * b(item, l, row));
  }
  if (call_.beta == 0) return;
  const auto at = static_cast<size_t>(item * call_.stride_c + row + column * call_.ldc);
  add(static_cast<double>(call_.beta) * static_cast<double>(c_[at]));
}

// Solves op(A) X = B for sampled columns of X by substitution, or op(A)^T X^T = B^T for sampled rows. An element's
// error is at most the residual's bound, |A| |X| + |B|, times the norm of A's inverse, which is near 2.
void Workload::solve_sample() {
  const bool right = on_right();
  const bool upper =
      (call_.uplo == LIBSGEMM_UPPER) == ((call_.transa == LIBSGEMM_NO_TRANS) == (call_.side == LIBSGEMM_LEFT));
  const int64_t size = inner_size();
  std::vector<double> x(static_cast<size_t>(size));
  for (size_t first = 0; first < sample_.size(); first += kSampleSide) {
    const int64_t item = sample_[first].item, line = right ? sample_[first].row : sample_[first].column;
    const auto matrix = [&](int64_t i, int64_t j) { return right ? a(item, j, i) : a(item, i, j); };
    double magnitude = 0;
    for (int64_t step = 0; step < size; ++step) {
      const int64_t i = upper ? size - 1 - step : step;
      double sum = right ? b(item, line, i) : b(item, i, line), absolute = std::fabs(sum);
      for (int64_t l = upper ? i + 1 : 0; l < (upper ? size : i); ++l) {
        const double product = matrix(i, l) * x[static_cast<size_t>(l)];
        sum -= product;
        absolute += std::fabs(product);
      }
      x[static_cast<size_t>(i)] = sum / matrix(i, i);
      magnitude = std::max(magnitude, absolute + std::fabs(sum));
    }
    for (size_t s = first; s < first + kSampleSide; ++s) {
      sample_[s].value = x[static_cast<size_t>(right ? sample_[s].column : sample_[s].row)];
      sample_[s].magnitude = 2 * magnitude;
    }
  }
}

void Workload::reset() { memory_->upload(call_.c, c_.data(), c_.size() * sizeof(float)); }

void Workload::prepare() {
  if (reads_output()) {
    for (const Call &call : calls_) {
      memory_->copy(call.c, traits_.in_place ? call.b : buffer_before_.data(), c_.size() * sizeof(float));
    }
    return;
  }
  memory_->scatter(kNan, sample_places_.data(), sample_places_.size());
}

// A triangular row has at most 2 on the diagonal and a sum of at most 1 elsewhere. So solutions and the inverse's norm
// are at most e, and |A| |X| + |B| times that norm is below 32.
double Workload::largest_magnitude() const {
  if (call_.routine == Routine::kStrmm) return 3;
  if (call_.routine == Routine::kStrsm) return 32;
  const int times = call_.routine == Routine::kSsyr2k ? 2 : 1;
  return static_cast<double>(inner_size()) * times + static_cast<double>(std::fabs(call_.beta));
}

double Workload::error_factor(Precision precision) const {
  if (traits_.element != Element::kFloat32) precision.truncates = true;
  return command::error_factor(precision, inner_size());
}

double Workload::check_sample(const Precision &precision) {
  const double factor = error_factor(precision);
  std::vector<float> values(sample_.size());
  memory_->gather(values.data(), sample_places_.data(), values.size());
  double worst = 0;
  for (size_t i = 0; i < sample_.size(); ++i) {
    const double error = std::fabs(static_cast<double>(values[i]) - sample_[i].value);
    const double bound = factor * sample_[i].magnitude;
    // NaN must be the worst.
    if (!(error <= worst * bound)) worst = error >= 0 && bound > 0 ? error / bound : HUGE_VAL;
  }
  return worst;
}

std::vector<float> Workload::output() {
  std::vector<float> result(c_.size());
  memory_->download(result.data(), call_.c, result.size() * sizeof(float));
  return result;
}

// `column` counts through the whole batch.
std::string Workload::place_text(int64_t row, int64_t column) const {
  const std::string text = fmt::format("element ({}, {})", row, column % output_.columns);
  return call_.batch == 1 ? text : fmt::format("{} of matrix {}", text, column / output_.columns);
}

std::string Workload::check_written(const std::vector<float> &result, bool fills) const {
  FirstProblem problem;
  for_ranges(output_.columns * call_.batch, call_.ldc, [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      const auto [top, bottom] = rows_of_output(j % output_.columns);
      for (int64_t i = 0; i < call_.ldc; ++i) {
        const float value = result[static_cast<size_t>(i + j * call_.ldc)];
        const bool filled = fills && i < output_.rows, belongs = filled || (i >= top && i < bottom);
        // With beta, such a call adds to the NaN outside of the triangle.
        if (filled && call_.beta != 0 && (i < top || i >= bottom)) continue;
        if (std::isnan(value) != belongs) continue;
        return problem.set(j, place_text(i, j) + (belongs ? " was not written" : ", outside the output, was written"));
      }
    }
  });
  return problem.text();
}

std::string Workload::compare(const std::vector<float> &result, const Precision &precision,
                              const std::vector<float> &other, const Precision &other_precision) const {
  const double bound = (error_factor(precision) + error_factor(other_precision)) * largest_magnitude();
  FirstProblem problem;
  for_ranges(output_.columns * call_.batch, call_.ldc, [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      const auto [top, bottom] = rows_of_output(j % output_.columns);
      for (int64_t i = top; i < bottom; ++i) {
        const size_t at = static_cast<size_t>(i + j * call_.ldc);
        const double difference = static_cast<double>(result[at]) - static_cast<double>(other[at]);
        if (std::fabs(difference) <= bound) continue;
        return problem.set(j, fmt::format("{} is {} and {}", place_text(i, j), result[at], other[at]));
      }
    }
  });
  return problem.text();
}

}  // namespace command
