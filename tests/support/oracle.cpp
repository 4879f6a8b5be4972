// The FP64 reference. A routine is a sum of products of factors: op(A) in full, a symmetric matrix completed from its
// triangle, or a triangle, whose absent elements take no part in sums (they cannot turn Inf into NaN).
#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "numbers.h"

namespace sgemm_test {
namespace {

// Row i has columns begin[i] <= j < end[i].
struct Factor {
  int64_t rows, columns;
  std::vector<double> values;
  std::vector<int64_t> begin, end;

  Factor(int64_t r, int64_t c)
      : rows(r),
        columns(c),
        values(static_cast<size_t>(r * c)),
        begin(static_cast<size_t>(r), 0),
        end(static_cast<size_t>(r), c) {}
  double &at(int64_t i, int64_t j) { return values[static_cast<size_t>(i * columns + j)]; }
  double at(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * columns + j)]; }
};

Factor transpose(const Factor &x) {
  Factor y(x.columns, x.rows);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = 0; j < x.columns; ++j) y.at(j, i) = x.at(i, j);
  }
  return y;
}

Factor general(const Matrix &x, libsgemm_op_t op = LIBSGEMM_NO_TRANS) {
  Factor y(x.rows, x.columns);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = 0; j < x.columns; ++j) y.at(i, j) = x.at(i, j);
  }
  return op == LIBSGEMM_NO_TRANS ? y : transpose(y);
}

Factor symmetric(const Matrix &x) {
  Factor y(x.rows, x.columns);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t j = 0; j < x.columns; ++j) y.at(i, j) = contains(x.region, i, j) ? x.at(i, j) : x.at(j, i);
  }
  return y;
}

Factor triangle(const Matrix &x, const Case &test) {
  Factor y = general(x, test.transa);
  const bool upper = (test.uplo == LIBSGEMM_UPPER) == (test.transa == LIBSGEMM_NO_TRANS);
  for (int64_t i = 0; i < y.rows; ++i) {
    if (test.diag == LIBSGEMM_UNIT) y.at(i, i) = 1;
    y.begin[static_cast<size_t>(i)] = upper ? i : 0;
    y.end[static_cast<size_t>(i)] = upper ? y.columns : i + 1;
  }
  return y;
}

void add_line(const Factor &x, int64_t i, double *sum, double *largest) {
  for (int64_t j = x.begin[static_cast<size_t>(i)]; j < x.end[static_cast<size_t>(i)]; ++j) {
    const double magnitude = std::fabs(x.at(i, j));
    *sum += magnitude;
    *largest = std::max(*largest, magnitude);
  }
}

void add_lines(const Factor &left, const Factor &right, Sums *sums) {
  for (std::vector<double> *x : {&sums->left_sum, &sums->left_largest}) x->resize(static_cast<size_t>(left.rows));
  for (std::vector<double> *x : {&sums->right_sum, &sums->right_largest}) x->resize(static_cast<size_t>(right.columns));
  for (int64_t i = 0; i < left.rows; ++i)
    add_line(left, i, &sums->left_sum[static_cast<size_t>(i)], &sums->left_largest[static_cast<size_t>(i)]);
  for (int64_t l = 0; l < right.rows; ++l) {
    for (int64_t j = right.begin[static_cast<size_t>(l)]; j < right.end[static_cast<size_t>(l)]; ++j) {
      const double magnitude = std::fabs(right.at(l, j));
      sums->right_sum[static_cast<size_t>(j)] += magnitude;
      double &largest = sums->right_largest[static_cast<size_t>(j)];
      largest = std::max(largest, magnitude);
    }
  }
}

SGEMM_TEST_VECTORS void add_product(const Factor &left, const Factor &right, const Rows &rows, Sums *sums) {
  add_lines(left, right, sums);
  sums->rows = left.rows;
  sums->columns = right.columns;
  sums->sum.resize(static_cast<size_t>(left.rows * right.columns), 0.0);
  sums->magnitude.resize(static_cast<size_t>(left.rows * right.columns), 0.0);
  for (int64_t i = 0; i < left.rows; ++i) {
    if (!rows.empty() && rows[static_cast<size_t>(i)] == 0) continue;
    double *sum = sums->sum.data() + i * right.columns;
    double *magnitude = sums->magnitude.data() + i * right.columns;
    for (int64_t l = left.begin[static_cast<size_t>(i)]; l < left.end[static_cast<size_t>(i)]; ++l) {
      const double x = left.at(i, l);
      const double *row = right.values.data() + l * right.columns;
      const int64_t end = right.end[static_cast<size_t>(l)];
      for (int64_t j = right.begin[static_cast<size_t>(l)]; j < end; ++j) {
        const double term = x * row[j];
        sum[j] += term;
        magnitude[j] += std::fabs(term);
      }
    }
  }
}

struct Term {
  Factor left, right;
};

Term triangular_term(const Problem &p, const Matrix &x) {
  const Factor a = triangle(p.a, p.test);
  return p.test.side == LIBSGEMM_LEFT ? Term{a, general(x)} : Term{general(x), a};
}

// The products that alpha scales.
std::vector<Term> terms_of(const Problem &p) {
  const Case &test = p.test;
  switch (of_floats(test.routine)) {
    case Routine::kSsymm:
      if (test.side == LIBSGEMM_LEFT) return {{symmetric(p.a), general(p.b)}};
      return {{general(p.b), symmetric(p.a)}};
    case Routine::kSsyrk: {
      const Factor a = general(p.a, test.transa);
      return {{a, transpose(a)}};
    }
    case Routine::kSsyr2k: {
      const Factor a = general(p.a, test.transa);
      const Factor b = general(p.b, test.transa);
      return {{a, transpose(b)}, {b, transpose(a)}};
    }
    case Routine::kStrmm:
    case Routine::kStrsm:
      return {triangular_term(p, p.c)};
    default:
      return {{general(p.a, test.transa), general(p.b, test.transb)}};
  }
}

Sums products(const Problem &p, const Rows &rows) {
  Sums sums;
  for (const Term &term : terms_of(p)) add_product(term.left, term.right, rows, &sums);
  return sums;
}

// Returns an element's error bound per unit of its terms' magnitude: FP32's bound, and what tensor cores truncate with
// each instruction (every 16 of k, for TF32 8), the omitted products of splits, and bits that the splits do not hold.
double error_factor(const Case &test, const Arithmetic &how, Bound bound) {
  const double k = static_cast<double>(terms(test)) + 2;
  // 16-bit products and modes may run on tensor cores.
  const bool rounds_all = keeps_bound_of_fp32(how.mode) && element_of(test.routine) == Element::kFloat;
  const double any = k / (1 - k * kUnitRoundoff), safe = 4 * std::sqrt(k);
  double factor = 2 * std::sqrt(k);
  if (bound == Bound::kSafe) factor = rounds_all ? std::min(any, safe) : safe;
  if (bound == Bound::kAny) factor = rounds_all ? any : std::max(any, safe);
  if (how.truncated) factor += 2 * (static_cast<double>(test.k) / (how.mode == LIBSGEMM_MATH_TF32 ? 8 : 16) + 1);
  if (how.mode == LIBSGEMM_MATH_BF16X6) factor += 4;
  if (how.mode == LIBSGEMM_MATH_FP16X3) factor += 8;
  return factor * kUnitRoundoff;
}

// Bits of op(A) and op(B) may be lost: below 2^-133 or 2^-148 of the largest in the row of op(A) or column of op(B)
// (bf16x6), or below 2^-49 of it (fp16x3). Tensor cores truncate more for inputs below their normal range.
void add_lost_parts(const Problem &p, const Arithmetic &how, std::vector<double> *limit) {
  struct Line {
    double sum = 0, largest = 0;
  };
  const auto lines = [](const Factor &x) {
    std::vector<Line> rows(static_cast<size_t>(x.rows));
    for (int64_t i = 0; i < x.rows; ++i) {
      Line &row = rows[static_cast<size_t>(i)];
      for (int64_t j = 0; j < x.columns; ++j) {
        row.sum += std::fabs(x.at(i, j));
        row.largest = std::max(row.largest, std::fabs(x.at(i, j)));
      }
    }
    return rows;
  };
  // Truncating kernels align products by exponents of at least the smallest normal input's.
  const bool halves = how.mode == LIBSGEMM_MATH_FP16 || element_of(p.test.routine) == Element::kHalf;
  const double least = halves ? 0x1p-14 : 0x1p-126, k = static_cast<double>(p.test.k);
  const double cut = (k / (how.mode == LIBSGEMM_MATH_TF32 ? 8 : 16) + 1) * 2 * kUnitRoundoff;
  const auto lost = [&how](const Line &line) {
    return how.mode == LIBSGEMM_MATH_BF16X6 ? std::max(0x1p-133, 0x1p-148 * line.largest) : 0x1p-49 * line.largest;
  };
  const Term product = terms_of(p).front();  // only products and syrk lose bits
  const std::vector<Line> a = lines(product.left), b = lines(transpose(product.right));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      const double both = how.truncated ? cut * least * (a[i].sum + b[j].sum + least * k)
                                        : lost(a[i]) * b[j].sum + a[i].sum * lost(b[j]);
      (*limit)[i * b.size() + j] += std::fabs(static_cast<double>(p.test.alpha)) * both;
    }
  }
}

}  // namespace

bool contains(Region region, int64_t row, int64_t column) {
  switch (region) {
    case Region::kAll:
      return true;
    case Region::kUpper:
      return row <= column;
    case Region::kLower:
      return row >= column;
    case Region::kStrictUpper:
      return row < column;
    case Region::kStrictLower:
      return row > column;
    default:
      return false;
  }
}

int64_t terms(const Case &test) { return test.routine == Routine::kSsyr2k ? 2 * test.k : test.k; }

Sums apply_triangle(const Problem &problem, const Matrix &x, const Rows &rows) {
  Sums sums;
  const Term term = triangular_term(problem, x);
  add_product(term.left, term.right, rows, &sums);
  return sums;
}

namespace {

float fused(float a, float b, float c) { return std::fmaf(a, b, c); }
double fused(double a, double b, double c) { return std::fma(a, b, c); }

// The sums of libsgemm.h: one chain in FP32; in FP64 chains of 1024 terms.
template <typename Real>
class ChainSum {
 public:
  // Terms come in ascending order of `l`.
  void add(int64_t l, float a, float b) {
    if (std::is_same_v<Real, double> && l / kChain != chain_) end();
    chain_ = l / kChain;
    sum_ = fused(Real{a}, Real{b}, sum_);
  }
  void end() {
    if (!std::is_same_v<Real, double>) return;
    total_ += sum_;
    sum_ = 0;
  }
  Real value() {
    end();
    return std::is_same_v<Real, double> ? total_ : sum_;
  }

 private:
  static constexpr int64_t kChain = 1024;

  int64_t chain_ = 0;
  Real sum_ = 0, total_ = 0;
};

template <typename Real>
void add_chain(const Factor &left, const Factor &right, int64_t i, int64_t j, ChainSum<Real> *sum) {
  for (int64_t l = left.begin[static_cast<size_t>(i)]; l < left.end[static_cast<size_t>(i)]; ++l) {
    const auto row = static_cast<size_t>(l);
    if (j < right.begin[row] || j >= right.end[row]) continue;
    sum->add(l, static_cast<float>(left.at(i, l)), static_cast<float>(right.at(l, j)));
  }
}

template <typename Real>
Matrix solve_chain(const Problem &p) {
  const Case &test = p.test;
  const bool left = test.side == LIBSGEMM_LEFT;
  const Factor a = left ? triangle(p.a, test) : transpose(triangle(p.a, test));
  const bool upper = ((test.uplo == LIBSGEMM_UPPER) == (test.transa == LIBSGEMM_NO_TRANS)) == left;
  Matrix x = p.c;
  const auto unknown = [&](int64_t i, int64_t j) -> float & { return left ? x.at(i, j) : x.at(j, i); };
  for (int64_t j = 0; j < (left ? x.columns : x.rows); ++j) {
    for (int64_t step = 0; step < a.rows; ++step) {
      const int64_t i = upper ? a.rows - 1 - step : step;
      ChainSum<Real> sum;
      for (int64_t before = 0; before < step; ++before) {
        const int64_t l = upper ? a.rows - 1 - before : before;
        sum.add(before, static_cast<float>(a.at(i, l)), unknown(l, j));
      }
      const Real rest = fused(Real{test.alpha}, Real{unknown(i, j)}, -sum.value());
      const Real divisor = test.diag == LIBSGEMM_UNIT ? Real{1} : Real{static_cast<float>(a.at(i, i))};
      unknown(i, j) = static_cast<float>(rest / divisor);
    }
  }
  return x;
}

float finish_chain(float alpha, float sum, float beta, float c) {
  const float x = std::fmaf(alpha, sum, 0.0f);
  return beta == 0 ? x : std::fmaf(beta, c, x);
}
float finish_chain(float alpha, double sum, float beta, float c) {
  const double a = alpha, b = beta;
  return static_cast<float>(beta == 0 ? a * sum : std::fma(a, sum, b * c));
}

template <typename Real>
Matrix chain(const Problem &p, libsgemm_layout_t layout) {
  const Case &test = p.test;
  const bool multiplies = test.alpha != 0 && test.k != 0;
  if (test.routine == Routine::kStrsm && multiplies) return solve_chain<Real>(p);
  std::vector<Term> terms = terms_of(p);
  if (layout == LIBSGEMM_ROW_MAJOR) std::reverse(terms.begin(), terms.end());  // transposed problem
  Matrix c = p.c;
  for (int64_t i = 0; i < c.rows; ++i) {
    for (int64_t j = 0; j < c.columns; ++j) {
      const float beta = test.beta;
      float &to = c.at(i, j);
      if (!multiplies) {
        to = beta == 0 ? 0.0f : beta * to;
        continue;
      }
      ChainSum<Real> sum;
      for (const Term &term : terms) {
        add_chain(term.left, term.right, i, j, &sum);
        sum.end();
      }
      to = finish_chain(test.alpha, sum.value(), beta, to);
    }
  }
  return c;
}

}  // namespace

const Matrix &chain(const Problem &p, libsgemm_layout_t layout, libsgemm_math_mode_t mode) {
  const auto [place, is_new] = p.chains.try_emplace({layout, mode});
  if (is_new) place->second = mode == LIBSGEMM_MATH_FP64 ? chain<double>(p, layout) : chain<float>(p, layout);
  return place->second;
}

Arithmetic arithmetic_of(const libsgemm_info_t &info) {
  for (int mode = LIBSGEMM_MATH_FP32; mode <= kOtherModeCount; ++mode) {
    const auto each = static_cast<libsgemm_math_mode_t>(mode);
    if (std::string(name_of(each)) == info.math_mode) return {each, info.truncated != 0};
  }
  throw std::runtime_error("the arithmetic is \"" + std::string(info.math_mode) + "\"");
}

namespace {

// Adds what a correct kernel may lose at the ends of the range. The loss depends on where it applies alpha: to A, to B,
// or last.
void allow_for_range(const Problem &p, const Sums &sums, const Arithmetic &how, const std::vector<double> &magnitude,
                     Answer *result) {
  const double alpha = std::fabs(static_cast<double>(p.test.alpha));
  const double products = how.mode == LIBSGEMM_MATH_BF16X6 ? 6 : 1;
  const double floor = kSmallest * (products * static_cast<double>(terms(p.test)) + 2) * std::max(1.0, alpha);
  const double highest = kLargest * (1 - 0x1p-10);
  result->leaves_range.assign(magnitude.size(), false);
  for (size_t i = 0; i < magnitude.size(); ++i) {
    const size_t row = i / static_cast<size_t>(p.c.columns), column = i % static_cast<size_t>(p.c.columns);
    result->limit[i] += floor;
    bool leaves = magnitude[i] > highest;
    if (!sums.magnitude.empty()) {
      leaves = leaves || sums.magnitude[i] > highest;
      if (alpha != 1) {
        result->limit[i] += kSmallest * (sums.left_sum[row] + sums.right_sum[column]);
        leaves = leaves || alpha * std::max(sums.left_largest[row], sums.right_largest[column]) > kLargest;
      }
    }
    result->leaves_range[i] = leaves;
  }
}

// Takes twice the bound of FP64 sums, since the answer has the same error. Results are within half a unit in the last
// place except in near ties. No intermediate value leaves the range.
void round_once(const Case &test, const std::vector<double> &magnitude, Answer *result) {
  const double of_sums = 2 * (static_cast<double>(terms(test)) + 2) * 0x1p-53;
  result->leaves_range.assign(magnitude.size(), false);
  for (size_t i = 0; i < magnitude.size(); ++i) {
    const double size = std::fabs(result->value[i]);
    result->limit[i] = kUnitRoundoff * size + of_sums * magnitude[i] + kSmallest / 2;
    result->leaves_range[i] = size > kLargest * (1 - 0x1p-20);
  }
}

}  // namespace

Answer answer(const Problem &problem, const Arithmetic &how, Bound bound, const Rows &rows) {
  Problem p = problem;
  for (Matrix *x : {&p.a, &p.b}) {
    for (float &value : x->values) value = as_input(how.mode, value);
  }
  const Case &test = p.test;
  const size_t count = p.c.values.size();
  Answer result = {std::vector<double>(count, 0.0), std::vector<double>(count, 0.0), {}};
  const double alpha = test.alpha;
  const double beta = test.beta;
  std::vector<double> magnitude(count, 0.0);
  const bool multiplies = alpha != 0 && test.k != 0;
  Sums sums;
  if (multiplies) {
    sums = products(p, rows);
    for (size_t i = 0; i < count; ++i) {
      result.value[i] = alpha * sums.sum[i];
      magnitude[i] = std::fabs(alpha) * sums.magnitude[i];
    }
  }
  if (beta != 0) {
    for (size_t i = 0; i < count; ++i) {
      result.value[i] += beta * static_cast<double>(p.c.values[i]);
      magnitude[i] += std::fabs(beta * static_cast<double>(p.c.values[i]));
    }
  }
  if (test.inputs == Inputs::kExact) return result;
  if (how.mode == LIBSGEMM_MATH_FP64) {
    round_once(test, magnitude, &result);
    return result;
  }
  const double factor = error_factor(test, how, bound);
  for (size_t i = 0; i < count; ++i) result.limit[i] = factor * magnitude[i];
  allow_for_range(p, sums, how, magnitude, &result);
  const bool splits = !keeps_bound_of_fp32(how.mode) && !rounds(how.mode);
  if (multiplies && (splits || how.truncated)) add_lost_parts(p, how, &result.limit);
  return result;
}

}  // namespace sgemm_test
