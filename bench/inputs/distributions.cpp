#include "distributions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "base/parallel.h"

namespace command {
namespace {

using Kind = Distribution::Kind;

constexpr int64_t kMostLines = 128;  // most rows, and most columns, that are checked
constexpr double kWideDeviation = 4;
constexpr double kLeft = 0x1p-20;  // share of a product that cancellation leaves
constexpr double kTwoPi = 6.283185307179586;

// Last step of splitmix64.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The number depends on the place only: threads may draw in any order.
uint64_t draw(uint64_t stream, int64_t line, int64_t inner) {
  const uint64_t start = mix(stream * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(line));
  return mix(start + (static_cast<uint64_t>(inner) + 1) * 0x9e3779b97f4a7c15u);
}

double uniform(uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// Box-Muller transform.
double normal(uint64_t bits) {
  return std::sqrt(-2 * std::log(uniform(bits))) * std::cos(kTwoPi * uniform(mix(bits + 0x9e3779b97f4a7c15u)));
}

enum : uint64_t { kOfA = 1, kOfB, kOfRest, kOfLines };

// e^-30 to e^30.
double scale(uint64_t bits) { return std::exp(60 * (uniform(bits) - 0.5)); }

// Element `inner` of a row of op(A) or column of op(B).
double value_of(Kind kind, uint64_t stream, int64_t line, int64_t inner, int64_t k) {
  const int64_t half = k / 2;
  const bool repeats = kind == Kind::kCancellation && inner >= half && inner < 2 * half;
  const uint64_t bits = draw(stream, line, repeats ? inner - half : inner);
  switch (kind) {
    case Kind::kPositive:
      return uniform(bits);
    case Kind::kWide:
      return std::exp(kWideDeviation * normal(bits)) * ((mix(bits) & 1) != 0 ? -1 : 1);
    case Kind::kCancellation:
      if (!repeats || stream == kOfA) return normal(bits);
      return -normal(bits) * (1 + kLeft * normal(draw(kOfRest, line, inner)));
    case Kind::kRows:
      return normal(bits) * scale(draw(kOfLines + stream, line, 0));
    case Kind::kDepth: {
      const double by = scale(draw(kOfRest, 0, inner));
      return stream == kOfA ? normal(bits) * by : normal(bits) / by;
    }
    case Kind::kOutliers:
      return normal(bits) * (mix(bits) % 50 == 0 ? 1e6 : 1);
    case Kind::kCauchy:
      return std::tan(kTwoPi / 2 * (uniform(bits) - 0.5));
    case Kind::kDenormal:
      return normal(bits) * (stream == kOfA ? 0x1p-134 : 0x1p100);
    case Kind::kHuge:
      return stream == kOfA && line == 0 && inner == half ? 1e30 : normal(bits);
    case Kind::kZeros:
      return std::max(normal(bits), 0.0);
    case Kind::kTiny:
      return inner == static_cast<int64_t>(draw(kOfLines + stream, line, 0) % static_cast<uint64_t>(k))
                 ? normal(bits) * 0x1p-40
                 : normal(bits);
    case Kind::kNormal:
      break;
  }
  return normal(bits);
}

// Padding is NaN. `value` takes (row, column) as stored.
std::vector<float> make_matrix(Extent extent, int64_t ld, const std::function<double(int64_t, int64_t)> &value) {
  std::vector<float> matrix(static_cast<size_t>(ld * extent.columns), std::numeric_limits<float>::quiet_NaN());
  constexpr int64_t kCost = 64;
  for_ranges(extent.columns, kCost * extent.rows, [&](int64_t first, int64_t end) {
    for (int64_t j = first; j < end; ++j) {
      for (int64_t i = 0; i < extent.rows; ++i) {
        matrix[static_cast<size_t>(i + j * ld)] = static_cast<float>(value(i, j));
      }
    }
  });
  return matrix;
}

// Returns all indices, or kMostLines spread evenly from first to last.
std::vector<int64_t> choose_lines(int64_t count) {
  const int64_t chosen = std::min(count, kMostLines);
  std::vector<int64_t> lines;
  for (int64_t i = 0; i < chosen; ++i) lines.push_back(chosen > 1 ? i * (count - 1) / (chosen - 1) : 0);
  return lines;
}

}  // namespace

const std::vector<Distribution> &distributions() {
  static const std::vector<Distribution> rows = {
      {Kind::kNormal, "normal", "standard normal"},
      {Kind::kPositive, "positive", "uniform in (0, 1)"},
      {Kind::kWide, "wide", "log-normal, sigma 4, of both signs"},
      {Kind::kCancellation, "cancellation",
       "standard normal; the second half of k cancels the first up to a part of 2^-20"},
      {Kind::kRows, "rows", "standard normal, each row of op(A) and column of op(B) times e^-30 to e^30"},
      {Kind::kDepth, "depth", "standard normal, columns of op(A) times e^-30 to e^30, rows of op(B) divided by these"},
      {Kind::kOutliers, "outliers", "standard normal, one in 50 times 10^6"},
      {Kind::kCauchy, "cauchy", "Cauchy"},
      {Kind::kDenormal, "denormal", "standard normal, times 2^-134 in A, 2^100 in B"},
      {Kind::kHuge, "huge", "standard normal, and one 10^30 in A"},
      {Kind::kZeros, "zeros", "standard normal, zero for what is negative"},
      {Kind::kTiny, "tiny", "standard normal, one of each row of op(A) and column of op(B) times 2^-40"},
  };
  return rows;
}

std::vector<std::string> distribution_names() {
  std::vector<std::string> names;
  for (const Distribution &distribution : distributions()) names.emplace_back(distribution.name);
  names.emplace_back("all");
  return names;
}

std::vector<Distribution> choose_distributions(const std::vector<std::string> &names) {
  constexpr int kDefault = 4;
  const std::vector<Distribution> &all = distributions();
  if (names.empty()) return {all.begin(), all.begin() + kDefault};
  std::vector<Distribution> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), [&](const Distribution &distribution) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string &name) { return name == distribution.name || name == "all"; });
  });
  return chosen;
}

Operands::Operands(const Distribution &distribution, const Call &call) : call_(call) {
  const Kind kind = distribution.kind;
  const int64_t k = call.k;
  const bool transa = call.transa != LIBSGEMM_NO_TRANS, transb = call.transb != LIBSGEMM_NO_TRANS;
  a_ = make_matrix(extent_of_a(call), call.lda,
                   [=](int64_t i, int64_t j) { return value_of(kind, kOfA, transa ? j : i, transa ? i : j, k); });
  b_ = make_matrix(extent_of_b(call), call.ldb,
                   [=](int64_t i, int64_t j) { return value_of(kind, kOfB, transb ? i : j, transb ? j : i, k); });
  const auto take = [k](const std::vector<float> &matrix, int64_t line, int64_t line_step, int64_t inner_step) {
    Line result{line, std::vector<double>(static_cast<size_t>(k))};
    for (int64_t l = 0; l < k; ++l) {
      const double value = static_cast<double>(matrix[static_cast<size_t>(line * line_step + l * inner_step)]);
      result.values[static_cast<size_t>(l)] = value;
      result.sum += std::fabs(value);
      result.largest = std::max(result.largest, std::fabs(value));
    }
    return result;
  };
  for (const int64_t i : choose_lines(call.m)) {
    rows_.push_back(take(a_, i, transa ? call.lda : 1, transa ? 1 : call.lda));
  }
  for (const int64_t j : choose_lines(call.n)) {
    columns_.push_back(take(b_, j, transb ? 1 : call.ldb, transb ? call.ldb : 1));
  }
  compute();
}

void Operands::compute() {
  const size_t width = columns_.size();
  elements_.resize(rows_.size() * width);
  for_ranges(static_cast<int64_t>(rows_.size()), static_cast<int64_t>(width) * call_.k,
             [&](int64_t first, int64_t end) {
               for (size_t i = static_cast<size_t>(first); i < static_cast<size_t>(end); ++i) {
                 for (size_t j = 0; j < width; ++j) {
                   Element element{0, 0};
                   for (size_t l = 0; l < rows_[i].values.size(); ++l) {
                     const double product = rows_[i].values[l] * columns_[j].values[l];
                     element.value += product;
                     element.magnitude += std::fabs(product);
                   }
                   elements_[i * width + j] = element;
                 }
               }
             });
}

Errors Operands::errors(const std::vector<float> &c, const Precision &precision) const {
  const double factor = error_factor(precision, call_.k);
  Errors errors;
  double squares = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    for (size_t j = 0; j < columns_.size(); ++j) {
      const Line &row = rows_[i], &column = columns_[j];
      const Element &wanted = elements_[i * columns_.size() + j];
      const double value = static_cast<double>(c[static_cast<size_t>(row.index + column.index * call_.ldc)]);
      const bool overflows = std::max(row.largest, column.largest) >= precision.overflows_from;
      ++errors.elements;
      if (wanted.magnitude == 0) {
        if (value != 0) errors.over_bound = HUGE_VAL;
        continue;
      }
      errors.left += std::fabs(wanted.value) / wanted.magnitude;
      if (std::isfinite(value) == overflows) errors.over_bound = HUGE_VAL;
      if (!std::isfinite(value)) {
        ++errors.not_finite;
        continue;
      }
      const double error = std::fabs(value - wanted.value), relative = error / wanted.magnitude * 0x1p24;
      errors.worst = std::max(errors.worst, relative);
      squares += relative * relative;
      if (overflows) continue;
      const double bound = factor * wanted.magnitude + precision.smallest * (row.sum + column.sum) +
                           precision.of_row * (row.largest * column.sum + column.largest * row.sum);
      errors.over_bound = std::max(errors.over_bound, error / bound);
    }
  }
  errors.left /= static_cast<double>(errors.elements);
  const int64_t finite = errors.elements - errors.not_finite;
  if (finite > 0) errors.rms = std::sqrt(squares / static_cast<double>(finite));
  return errors;
}

}  // namespace command
