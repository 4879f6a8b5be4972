#include <algorithm>
#include <cmath>

#include "numbers.h"
#include "oracle.h"

namespace sgemm_test {
namespace {

Matrix shaped(int64_t rows, int64_t columns, Region region = Region::kAll) {
  Matrix x;
  x.rows = rows;
  x.columns = columns;
  x.region = region;
  x.values.resize(static_cast<size_t>(rows * columns));
  return x;
}

Matrix op_shaped(libsgemm_op_t op, int64_t rows, int64_t columns) {
  return op == LIBSGEMM_NO_TRANS ? shaped(rows, columns) : shaped(columns, rows);
}

void shape(Problem *p) {
  const Case &t = p->test;
  const Region half = t.uplo == LIBSGEMM_UPPER ? Region::kUpper : Region::kLower;
  const Region strict = t.uplo == LIBSGEMM_UPPER ? Region::kStrictUpper : Region::kStrictLower;
  const int64_t order = t.side == LIBSGEMM_LEFT ? t.m : t.n;
  switch (of_floats(t.routine)) {
    case Routine::kSsymm:
      p->a = shaped(order, order, half);
      p->b = shaped(t.m, t.n);
      p->c = shaped(t.m, t.n);
      break;
    case Routine::kSsyrk:
    case Routine::kSsyr2k:
      p->a = op_shaped(t.transa, t.n, t.k);
      if (t.routine == Routine::kSsyr2k) p->b = p->a;
      p->c = shaped(t.n, t.n, half);
      break;
    case Routine::kStrmm:
    case Routine::kStrsm:
      p->a = shaped(order, order, t.diag == LIBSGEMM_UNIT ? strict : half);
      p->c = shaped(t.m, t.n);
      break;
    default: {
      const bool triangle = writes_triangle(t.routine);
      const int64_t rows = triangle ? t.n : t.m;
      p->a = op_shaped(t.transa, rows, t.k);
      p->b = op_shaped(t.transb, t.k, t.n);
      p->c = shaped(rows, t.n, triangle ? half : Region::kAll);
    }
  }
}

// Rounds to the 16-bit inputs that the library gets.
float as_element(Element element, float value) {
  if (element == Element::kHalf) return float_from_half(half_from_float(value));
  if (element == Element::kBfloat16) return float_from_bfloat16(bfloat16_from_float(value));
  return value;
}

void fill(const Case &test, Random *random, Element element, Matrix *x) {
  for (float &value : x->values) {
    value = test.inputs == Inputs::kExact ? static_cast<float>(random->integer(-4, 4)) : random->uniform();
    value = as_element(element, value);
  }
}

// The inverse of the triangle stays small: solutions do not overflow and, in exact cases, stay integers. Exact: about
// two elements of -1 or 1 a row off the diagonal, powers of two on it. Random: about order^(-1/2) off it, 1 to 2 on it.
void fill_triangle(const Case &test, Random *random, Matrix *x) {
  const auto order = static_cast<int>(x->rows);
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < order; ++j) {
      if (test.inputs == Inputs::kRandom) {
        const float value = random->uniform();
        x->at(i, j) = i == j ? value + std::copysign(1.0f, value) : value / std::sqrt(static_cast<float>(order));
      } else if (i == j) {
        const float powers[] = {1, -1, 2, -0.5f};
        x->at(i, j) = powers[random->integer(0, 3)];
      } else {
        const bool zero = random->integer(0, std::max(order, 4)) > 4;
        x->at(i, j) = zero ? 0.0f : static_cast<float>(2 * random->integer(0, 1) - 1);
      }
    }
  }
}

// Takes C as the solution of an exact strsm, and replaces it by the right-hand side.
void plant_solution(Problem *p) {
  const Sums right_side = apply_triangle(*p, p->c);
  p->value.assign(p->c.values.begin(), p->c.values.end());
  p->limit.assign(p->value.size(), 0.0);
  for (size_t i = 0; i < p->value.size(); ++i) {
    p->c.values[i] = static_cast<float>(right_side.sum[i] / static_cast<double>(p->test.alpha));
  }
}

}  // namespace

void solve(Problem *p) {
  const Answer in_fp32 = answer(*p, {});
  p->value = in_fp32.value;
  p->limit = in_fp32.limit;
  p->leaves_range = in_fp32.leaves_range;
}

Problem draw_problem(const Case &test, uint64_t seed, const Fill &fill_a, const Fill &fill_b, const Fill &fill_c) {
  Problem p;
  p.test = test;
  shape(&p);
  Random random(seed);
  const auto filled = [&](const Fill &with, Element element, Matrix *x) {
    if (!with) return fill(test, &random, element, x);
    with(x);
    for (float &value : x->values) value = as_element(element, value);
  };
  if (is_in_place(test.routine) && !fill_a) {
    fill_triangle(test, &random, &p.a);
  } else {
    filled(fill_a, element_of(test.routine), &p.a);
  }
  filled(fill_b, element_of(test.routine), &p.b);
  filled(fill_c, Element::kFloat, &p.c);
  if (test.routine == Routine::kStrsm && test.alpha != 0 && test.inputs == Inputs::kExact) plant_solution(&p);
  return p;
}

Problem make_problem(const Case &test, uint64_t seed) {
  Problem p = draw_problem(test, seed);
  if (test.routine != Routine::kStrsm || test.alpha == 0) solve(&p);
  return p;
}

void replace_a(Problem *p, const Matrix &a) {
  p->a = a;
  if (p->value.empty()) return;
  if (p->test.routine != Routine::kStrsm || p->test.alpha == 0) {
    solve(p);
    return;
  }
  for (size_t i = 0; i < p->value.size(); ++i) p->c.values[i] = static_cast<float>(p->value[i]);
  plant_solution(p);
}

std::vector<Problem> make_batch(const Case &test, int count, Sharing sharing) {
  std::vector<Problem> problems;
  for (int i = 0; i < count; ++i) {
    problems.push_back(make_problem(test, static_cast<uint64_t>(i) + 1));
    Problem &problem = problems.back();
    if (sharing.b && i > 0) problem.b = problems.front().b;
    if ((sharing.a || sharing.b) && i > 0) replace_a(&problem, sharing.a ? problems.front().a : problem.a);
  }
  return problems;
}

}  // namespace sgemm_test
