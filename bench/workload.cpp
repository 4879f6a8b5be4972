#include "workload.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>

#include "parallel.h"
#include "random.h"

namespace command {
namespace {

constexpr int kSampleSide = 8;
constexpr size_t kAlignment = 256;
constexpr uint64_t kColumnStep = 0xd1342543de82ef95u;  // between the random states of columns
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Uniform in [-1, 1), a multiple of 1 / steps, a power of two.
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

// `value` is zero, NaN, or exact in the 16-bit type and normal there.
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

// The first, the last, and others between; repeated where there are fewer.
std::vector<int64_t> choose_indices(int64_t count, uint64_t *random) {
  std::vector<int64_t> indices = {0, count - 1};
  while (indices.size() < kSampleSide) indices.push_back(static_cast<int64_t>(next_random(random) >> 1) % count);
  return indices;
}

// What is wrong in the first column where something is, found by several threads.
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

size_t elements(Extent extent, int64_t ld) { return static_cast<size_t>(ld * extent.columns); }

}  // namespace

Workload::Workload(Routine routine, const Shape &shape, libsgemm_op_t transa, libsgemm_op_t transb, Memory *memory)
    : memory_(memory),
      call_(make_call(routine, shape, transa, transb)),
      traits_(traits(routine)),
      output_(extent_of_c(call_)),
      a_(elements(extent_of_a(call_), call_.lda)),
      b_(traits_.has_b ? elements(extent_of_b(call_), call_.ldb) : 0),
      c_(elements(output_, call_.ldc), kNan),
      buffer_a_(memory, a_.size() * element_bytes(traits_.element)),
      buffer_b_(memory, b_.size() * element_bytes(traits_.element)),
      buffer_c_(memory, c_.size() * sizeof(float)) {
  fill(&a_, extent_of_a(call_), call_.lda, traits_.triangular_a);
  if (traits_.has_b) fill(&b_, extent_of_b(call_), call_.ldb, false);
  if (traits_.in_place) fill(&c_, output_, call_.ldc, false);
  upload_operands();
  choose_sample();
  for (const Sample &sample : sample_) {
    sample_places_.push_back(static_cast<float *>(call_.c) + sample.row + sample.column * call_.ldc);
  }
}

size_t Workload::bytes() const {
  return (a_.size() + b_.size()) * element_bytes(traits_.element) + c_.size() * sizeof(float);
}

void Workload::add_sets(size_t count) {
  // On boundaries that suit every kernel, as an allocator has them.
  const auto aligned = [](size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; };
  const size_t a_bytes = a_.size() * element_bytes(traits_.element),
               b_bytes = b_.size() * element_bytes(traits_.element);
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
      if (traits_.has_b) memory_->copy(place + aligned(a_bytes), call_.b, b_bytes);
      calls_.push_back(call);
    }
    return;
  }
}

// A triangular matrix has a diagonal in [1, 2) and little beside it, so that systems with it are well conditioned.
void Workload::fill(std::vector<float> *matrix, Extent extent, int64_t ld, bool triangular) {
  const int64_t steps = steps_of(traits_.element);
  const float beside = triangular ? 1.0f / static_cast<float>(extent.rows) : 1.0f;
  const uint64_t seed = next_random(&random_);
  for_ranges(extent.columns, ld, [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      uint64_t random = seed + static_cast<uint64_t>(j) * kColumnStep;
      float *column = matrix->data() + j * ld;
      for (int64_t i = 0; i < extent.rows; ++i) column[i] = uniform(&random, steps) * beside;
      if (triangular) column[j] = 1 + std::fabs(uniform(&random, steps));
      std::fill(column + extent.rows, column + ld, kNan);
    }
  });
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
  call_.a = buffer_a_.data();
  call_.b = buffer_b_.data();
  call_.c = buffer_c_.data();
  calls_ = {call_};
}

double Workload::a(int64_t row, int64_t inner) const {
  int64_t i = row, j = inner;
  if (traits_.symmetric_a ? i > j : call_.transa != LIBSGEMM_NO_TRANS) std::swap(i, j);
  if (traits_.triangular_a && i > j) return 0;
  return static_cast<double>(a_[static_cast<size_t>(i + j * call_.lda)]);
}

double Workload::b(int64_t inner, int64_t column) const {
  if (call_.routine == Routine::kSsyrk) return a(column, inner);
  if (traits_.in_place) return static_cast<double>(c_[static_cast<size_t>(inner + column * call_.ldc)]);
  int64_t i = inner, j = column;
  // SSYR2K multiplies by the transpose of op(B), which has A's operation.
  const bool transposed =
      call_.routine == Routine::kSsyr2k ? call_.transa == LIBSGEMM_NO_TRANS : call_.transb != LIBSGEMM_NO_TRANS;
  if (transposed) std::swap(i, j);
  return static_cast<double>(b_[static_cast<size_t>(i + j * call_.ldb)]);
}

int64_t Workload::inner_size() const { return traits_.symmetric_a || traits_.triangular_a ? call_.m : call_.k; }

void Workload::choose_sample() {
  const std::vector<int64_t> rows = choose_indices(output_.rows, &random_);
  const std::vector<int64_t> columns = choose_indices(output_.columns, &random_);
  for (const int64_t column : columns) {
    for (const int64_t row : rows) {
      const bool mirrored = traits_.triangular_output && row > column;
      Sample sample{mirrored ? column : row, mirrored ? row : column, 0, 0};
      if (call_.routine != Routine::kStrsm) compute(&sample);
      sample_.push_back(sample);
    }
  }
  if (call_.routine == Routine::kStrsm) solve_sample();
}

void Workload::compute(Sample *sample) const {
  const auto add = [sample](double product) {
    sample->value += product;
    sample->magnitude += std::fabs(product);
  };
  const int64_t count = inner_size();
  for (int64_t l = 0; l < count; ++l) {
    add(a(sample->row, l) * b(l, sample->column));
    if (call_.routine == Routine::kSsyr2k) add(a(sample->column, l) * b(l, sample->row));
  }
}

// The sampled columns of X in op(A) X = B by substitution. The error of an element is bounded by that of the residual
// of its column, |A| |X| + |B|, times the norm of the inverse of A, which fill() keeps near 2.
void Workload::solve_sample() {
  const bool upper = call_.transa == LIBSGEMM_NO_TRANS;
  std::vector<double> x(static_cast<size_t>(call_.m));
  for (size_t first = 0; first < sample_.size(); first += kSampleSide) {
    const int64_t column = sample_[first].column;
    double magnitude = 0;
    for (int64_t step = 0; step < call_.m; ++step) {
      const int64_t i = upper ? call_.m - 1 - step : step;
      double sum = b(i, column), absolute = std::fabs(sum);
      for (int64_t l = upper ? i + 1 : 0; l < (upper ? call_.m : i); ++l) {
        const double product = a(i, l) * x[static_cast<size_t>(l)];
        sum -= product;
        absolute += std::fabs(product);
      }
      x[static_cast<size_t>(i)] = sum / a(i, i);
      magnitude = std::max(magnitude, absolute + std::fabs(sum));
    }
    for (size_t s = first; s < first + kSampleSide; ++s) {
      sample_[s].value = x[static_cast<size_t>(sample_[s].row)];
      sample_[s].magnitude = 2 * magnitude;
    }
  }
}

void Workload::reset() { memory_->upload(call_.c, c_.data(), c_.size() * sizeof(float)); }

void Workload::prepare() {
  if (traits_.in_place) return reset();
  memory_->scatter(kNan, sample_places_.data(), sample_places_.size());
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
    // Written so that NaN is the worst of all.
    if (!(error <= worst * bound)) worst = error >= 0 && bound > 0 ? error / bound : HUGE_VAL;
  }
  return worst;
}

std::vector<float> Workload::output() {
  std::vector<float> result(c_.size());
  memory_->download(result.data(), call_.c, result.size() * sizeof(float));
  return result;
}

std::string Workload::check_written(const std::vector<float> &result) const {
  FirstProblem problem;
  for_ranges(output_.columns, call_.ldc, [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      const int64_t rows = traits_.triangular_output ? j + 1 : output_.rows;
      for (int64_t i = 0; i < call_.ldc; ++i) {
        const float value = result[static_cast<size_t>(i + j * call_.ldc)];
        if (std::isnan(value) == (i >= rows)) continue;
        return problem.set(j, fmt::format("element ({}, {}){}", i, j,
                                          i < rows ? " was not written" : ", outside the output, was written"));
      }
    }
  });
  return problem.text();
}

std::string Workload::compare(const std::vector<float> &result, const Precision &precision,
                              const std::vector<float> &other, const Precision &other_precision) const {
  const double products = static_cast<double>(inner_size()) * (call_.routine == Routine::kSsyr2k ? 2 : 1);
  const double bound = (error_factor(precision) + error_factor(other_precision)) * products;
  FirstProblem problem;
  for_ranges(output_.columns, call_.ldc, [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      const int64_t rows = traits_.triangular_output ? j + 1 : output_.rows;
      for (int64_t i = 0; i < rows; ++i) {
        const size_t at = static_cast<size_t>(i + j * call_.ldc);
        const double difference = static_cast<double>(result[at]) - static_cast<double>(other[at]);
        if (std::fabs(difference) <= bound) continue;
        return problem.set(j, fmt::format("element ({}, {}) is {} and {}", i, j, result[at], other[at]));
      }
    }
  });
  return problem.text();
}

}  // namespace command
