#include "check.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "numbers.h"

namespace sgemm_test {
namespace {

bool same(float result, double value, double limit, bool leaves_range) {
  if (leaves_range && !std::isfinite(result)) return true;
  if (std::isnan(value)) return std::isnan(result);
  if (std::isinf(value)) return static_cast<double>(result) == value;
  if (!std::isfinite(result)) return false;
  if (limit == 0) return result == static_cast<float>(value);
  return std::fabs(static_cast<double>(result) - value) <= limit;
}

std::string wrong_element(int64_t i, int64_t j, double result, double value, double limit) {
  std::ostringstream text;
  text.precision(9);
  text << "element (" << i << ", " << j << ") is " << result << ", expected " << value;
  if (limit != 0) text << " within " << limit;
  return text.str();
}

// A computed solution of a triangular system satisfies |op(A) X - alpha B| <= gamma_n |op(A)| |X|, gamma_n = n u / (1 -
// n u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 8.5, substitution in any order). The
// bound allows two more roundings for alpha * B and one for the reciprocal of the diagonal. Below the normal range an
// element may lose 2^-149 times its factor. `x`: the computed X.
std::string check_residual(const Problem &problem, const Matrix &x, const Rows &rows = {}, double *worst = nullptr) {
  const Sums left_side = apply_triangle(problem, x, rows);
  const double count = static_cast<double>(terms(problem.test)) + 3;
  const double gamma = count * kUnitRoundoff / (1 - count * kUnitRoundoff);
  const double alpha = static_cast<double>(problem.test.alpha);
  const bool left = problem.test.side == LIBSGEMM_LEFT;
  for (size_t i = 0; i < x.values.size(); ++i) {
    const size_t row = i / static_cast<size_t>(x.columns), column = i % static_cast<size_t>(x.columns);
    if (!rows.empty() && rows[row] == 0) continue;
    const double right_side = alpha * static_cast<double>(problem.c.values[i]);
    const double floor = (count + (left ? left_side.left_sum[row] : left_side.right_sum[column])) * kSmallest;
    const double limit =
        gamma * (left_side.magnitude[i] + std::fabs(right_side)) + floor * std::max(1.0, std::fabs(alpha));
    const double error = std::fabs(left_side.sum[i] - right_side);
    if (!(error <= limit)) {
      const auto at = static_cast<int64_t>(i);
      return "solution " + wrong_element(at / x.columns, at % x.columns, x.values[i], NAN, 0) + "; its left-hand " +
             wrong_element(at / x.columns, at % x.columns, left_side.sum[i], right_side, limit);
    }
    if (worst != nullptr) *worst = std::max(*worst, error / limit);
  }
  return "";
}

void store(Element element, float value, int64_t index, Buffer *buffer) {
  if (element == Element::kFloat) {
    buffer->as<float>()[index] = value;
  } else {
    buffer->as<uint16_t>()[index] = element == Element::kHalf ? half_from_float(value) : bfloat16_from_float(value);
  }
}

}  // namespace

int64_t extent_of(libsgemm_layout_t layout, int64_t ld, int64_t rows, int64_t columns) {
  if (rows == 0 || columns == 0) return 0;
  return index_of(layout, ld, rows - 1, columns - 1) + 1;
}

std::string compare(const Matrix &result, const std::vector<double> &value, const std::vector<double> &limit,
                    const std::vector<bool> &leaves_range, const Rows &rows) {
  for (int64_t i = 0; i < result.rows; ++i) {
    if (!rows.empty() && rows[static_cast<size_t>(i)] == 0) continue;
    for (int64_t j = 0; j < result.columns; ++j) {
      const auto at = static_cast<size_t>(i * result.columns + j);
      const bool leaves = !leaves_range.empty() && leaves_range[at];
      if (contains(result.region, i, j) && !same(result.values[at], value[at], limit[at], leaves)) {
        return wrong_element(i, j, result.values[at], value[at], limit[at]);
      }
    }
  }
  return "";
}

std::string compare_bits(const Matrix &result, const Matrix &wanted) {
  for (int64_t i = 0; i < result.rows; ++i) {
    for (int64_t j = 0; j < result.columns; ++j) {
      const float is = result.at(i, j), should = wanted.at(i, j);
      const bool same_bits = bits_of(is) == bits_of(should) || (std::isnan(is) && std::isnan(should));
      if (!contains(result.region, i, j) || same_bits) continue;
      std::ostringstream text;
      text << std::hexfloat << "element (" << i << ", " << j << ") is " << is << ", not the chain's " << should;
      return text.str();
    }
  }
  return "";
}

Placement::Placement(const Problem &problem, libsgemm_layout_t layout) : Placement({&problem}, layout, Strides()) {}

Placement::Placement(std::vector<const Problem *> problems, libsgemm_layout_t layout, const Strides &strides)
    : problems_(std::move(problems)) {
  const Problem &problem = *problems_.front();
  const Case &test = problem.test;
  const auto ld = [layout](const Matrix &x, int padding) {
    return std::max<int64_t>(1, layout == LIBSGEMM_COL_MAJOR ? x.rows : x.columns) + padding;
  };
  args_.layout = layout;
  args_.transa = test.transa;
  args_.transb = test.transb;
  args_.side = test.side;
  args_.uplo = test.uplo;
  args_.diag = test.diag;
  args_.m = test.m;
  args_.n = test.n;
  args_.k = test.k;
  args_.alpha = test.alpha;
  args_.beta = test.beta;
  args_.lda = ld(problem.a, test.padding.a);
  args_.ldb = ld(problem.b, test.padding.b);
  args_.ldc = ld(problem.c, test.padding.c);
  args_.stride_a = strides.a;
  args_.stride_b = strides.b;
  args_.stride_c = strides.c;
  args_.batch_count = static_cast<int64_t>(problems_.size());
  const bool in_place = is_in_place(test.routine);
  const bool unread = test.alpha == 0 || test.k == 0;
  a_ = place(&Problem::a, args_.lda, strides.a, unread);
  b_ = place(&Problem::b, args_.ldb, strides.b, unread);
  c_ = place(&Problem::c, args_.ldc, strides.c, in_place ? unread : test.beta == 0);
  args_.a = a_->data();
  args_.b = b_->data();
  args_.c = c_->as<float>();
}

std::unique_ptr<Buffer> Placement::place(Matrix Problem::*operand, int64_t ld, int64_t stride, bool poisoned) {
  const Case &test = problems_.front()->test;
  const Matrix &first = problems_.front()->*operand;
  const Element element = operand == &Problem::c ? Element::kFloat : element_of(test.routine);
  const int64_t last = static_cast<int64_t>(problems_.size() - 1) * stride;
  auto buffer = std::make_unique<Buffer>(last + extent_of(args_.layout, ld, first.rows, first.columns),
                                         element == Element::kFloat ? 4 : 2, test.offset);
  for (size_t product = 0; product < problems_.size() && !poisoned; ++product) {
    const Matrix &x = problems_[product]->*operand;
    const int64_t start = static_cast<int64_t>(product) * stride;
    for (int64_t i = 0; i < x.rows; ++i) {
      for (int64_t j = 0; j < x.columns; ++j) {
        const int64_t index = start + index_of(args_.layout, ld, i, j);
        if (contains(x.region, i, j)) store(element, x.at(i, j), index, buffer.get());
      }
    }
  }
  buffer->seal();
  return buffer;
}

const Answer &Placement::answer_of(size_t product, const Arithmetic &how) {
  std::vector<Answer> &answers = answers_[{how.mode, how.truncated}];
  if (answers.empty()) {
    for (const Problem *problem : problems_) answers.push_back(answer(*problem, how));
  }
  return answers[product];
}

Matrix Placement::result_of(size_t product) {
  const float *c = this->c() + static_cast<int64_t>(product) * args_.stride_c;
  Matrix result = problems_[product]->c;
  for (int64_t i = 0; i < result.rows; ++i) {
    for (int64_t j = 0; j < result.columns; ++j) result.at(i, j) = c[index_in_c(i, j)];
  }
  return result;
}

std::string Placement::check_result(size_t product, const Arithmetic &how) {
  const Problem &problem = *problems_[product];
  const Matrix result = result_of(product);
  if (how.chain) return compare_bits(result, chain(problem, args_.layout, how.mode));
  if (problem.value.empty() && !problem.c.values.empty()) return check_residual(problem, result);
  // An exact strsm has a drawn solution, the same in every mode.
  const bool solved = problem.test.routine == Routine::kStrsm && problem.test.alpha != 0;
  if (solved || (how.mode == LIBSGEMM_MATH_FP32 && !how.truncated)) {
    return compare(result, problem.value, problem.limit, problem.leaves_range);
  }
  const Answer &wanted = answer_of(product, how);
  return compare(result, wanted.value, wanted.limit, wanted.leaves_range);
}

// Selects every `step`-th row and the last, about `most_terms` terms; empty: all rows.
static Rows rows_to_check(const Problem &p, double most_terms) {
  const double terms_of_row =
      static_cast<double>(p.c.columns) * static_cast<double>(std::max<int64_t>(1, terms(p.test)));
  const double step = std::ceil(terms_of_row * static_cast<double>(p.c.rows) / most_terms);
  if (step <= 1) return {};
  Rows rows(static_cast<size_t>(p.c.rows));
  for (size_t i = 0; i < rows.size(); i += static_cast<size_t>(step)) rows[i] = 1;
  rows.back() = 1;
  return rows;
}

std::string Placement::check(const Arithmetic &how, Bound bound, double most_terms, double *worst) {
  const std::string damage = check_memory();
  if (!damage.empty()) return damage;
  for (size_t product = 0; product < problems_.size(); ++product) {
    const Problem &problem = *problems_[product];
    if (problem.c.values.empty()) continue;
    const Matrix result = result_of(product);
    const Rows rows = rows_to_check(problem, most_terms);
    const bool solved = problem.test.routine == Routine::kStrsm && problem.test.alpha != 0;
    std::string fault;
    if (solved && problem.value.empty()) {
      fault = check_residual(problem, result, rows, worst);
    } else if (solved) {
      fault = compare(result, problem.value, problem.limit, {}, rows);
    } else {
      const Answer wanted = answer(problem, how, bound, rows);
      fault = compare(result, wanted.value, wanted.limit, wanted.leaves_range, rows);
      for (int64_t i = 0; i < result.rows; ++i) {
        if (!rows.empty() && rows[static_cast<size_t>(i)] == 0) continue;
        for (int64_t j = 0; j < result.columns; ++j) {
          const auto at = static_cast<size_t>(i * result.columns + j);
          if (!contains(result.region, i, j) || wanted.limit[at] == 0) continue;
          const double ratio = std::fabs(static_cast<double>(result.values[at]) - wanted.value[at]) / wanted.limit[at];
          if (std::isfinite(ratio)) *worst = std::max(*worst, ratio);
        }
      }
    }
    if (!fault.empty()) return problems_.size() == 1 ? fault : "product " + std::to_string(product) + ": " + fault;
  }
  return "";
}

void Placement::mark_writable() {
  const Matrix &c = problems_.front()->c;
  const int64_t last = static_cast<int64_t>(problems_.size() - 1) * args_.stride_c;
  writable_.assign(static_cast<size_t>(last + extent_of(args_.layout, args_.ldc, c.rows, c.columns)), false);
  for (int64_t start = 0; start <= last; start += std::max<int64_t>(1, args_.stride_c)) {
    for (int64_t i = 0; i < c.rows; ++i) {
      for (int64_t j = 0; j < c.columns; ++j) {
        if (contains(c.region, i, j)) writable_[static_cast<size_t>(start + index_in_c(i, j))] = true;
      }
    }
  }
}

void Placement::restore() { c_->restore(); }

std::string Placement::check_memory() {
  if (writable_.empty()) mark_writable();
  const std::string output = c_->damage(writable_);
  if (!output.empty()) return "output: " + output;
  const std::string a = a_->damage();
  if (!a.empty()) return "A: " + a;
  const std::string b = b_->damage();
  return b.empty() ? "" : "B: " + b;
}

std::string Placement::check(const Arithmetic &how) {
  const std::string damage = check_memory();
  if (!damage.empty()) return damage;
  for (size_t product = 0; product < problems_.size(); ++product) {
    const std::string fault = check_result(product, how);
    if (!fault.empty()) return problems_.size() == 1 ? fault : "product " + std::to_string(product) + ": " + fault;
  }
  return "";
}

std::string Placement::check_untouched() {
  for (const Buffer *buffer : {a_.get(), b_.get(), c_.get()}) {
    const std::string damage = buffer->damage();
    if (!damage.empty()) return damage;
  }
  return "";
}

}  // namespace sgemm_test
