// The calls are mostly small: thousands in minutes.
#include "random_calls_draw.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace random_calls {
namespace {

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  int below(int count) { return random_.integer(0, count - 1); }
  bool percent(int part) { return below(100) < part; }
  template <typename T, size_t N>
  T pick(const T (&choices)[N]) {
    return choices[below(static_cast<int>(N))];
  }
  double part() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }
  int64_t log_uniform(double low, double high) {
    return static_cast<int64_t>(low * std::pow(high / low, part()) + 0.5);
  }
  double normal() { return std::sqrt(-2 * std::log(1 - part())) * std::cos(2 * 3.14159265358979 * part()); }
  float uniform() { return random_.uniform(); }

  int64_t size() {
    const int kind = below(100);
    if (kind < 3) return 0;
    if (kind < 10) return 1;
    if (kind < 22) return pick({2, 3, 5, 7, 11, 13, 17, 31, 61, 67, 97, 101, 127, 131, 251, 257});
    if (kind < 50) return 8 * (1 + below(below(3) == 0 ? 16 : 8)) + below(3) - 1;
    return log_uniform(2, kind < 95 ? 70 : 300);
  }

 private:
  Random random_;
};

uint64_t seed_of(uint64_t seed, uint64_t number, uint64_t part) {
  Random random(seed * 0x2545f4914f6cdd1du + number * 0x9e3779b97f4a7c15u + part);
  random.next();
  return random.next();
}

void draw_sizes(Draw *draw, bool small, Case *test) {
  test->m = draw->size(), test->n = draw->size(), test->k = draw->size();
  const int shape = small ? 0 : draw->below(1000);
  if (shape >= 900 && shape < 940) {  // deep
    test->m = draw->log_uniform(1, 40), test->n = draw->log_uniform(1, 40), test->k = draw->log_uniform(500, 20000);
  } else if (shape >= 940 && shape < 970) {  // skinny
    test->m = draw->log_uniform(500, 5000), test->n = draw->log_uniform(1, 16), test->k = draw->log_uniform(1, 60);
    if (draw->percent(50)) std::swap(test->m, test->n);
  } else if (shape >= 970) {
    const double most = shape >= 997 ? 1500 : 500;
    for (int64_t *size : {&test->m, &test->n, &test->k}) *size = draw->log_uniform(60, most);
  }
  if (writes_triangle(test->routine)) test->m = std::min<int64_t>(test->m, 1500);
  if (has_parameter(test->routine, "side")) {  // the triangle is dense
    int64_t &order = test->side == LIBSGEMM_LEFT ? test->m : test->n;
    order = std::min<int64_t>(order, 1500);
  }
  fit_sizes(test);
}

int padding(Draw *draw) {
  const int kind = draw->below(3);
  return kind == 0 ? 0 : kind == 1 ? 1 + 2 * draw->below(8) : 4 * (1 + draw->below(8));
}

void draw_scalars(Draw *draw, Data data, Case *test) {
  if (data == Data::exact) {
    test->alpha = draw->percent(5) ? 0.0f : draw->pick({1.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f});
    test->beta = draw->pick({0.0f, 0.0f, 1.0f, -1.0f, 3.0f, 0.5f});
  } else {
    test->alpha = draw->percent(4) ? 0.0f : draw->pick({1.0f, 1.0f, 1.0f, -1.0f, 0.7f, -3.0f, 1e-6f, 1e6f, 1e-20f});
    if (draw->percent(20)) test->alpha = draw->uniform();
    test->beta = draw->pick({0.0f, 0.0f, 0.0f, 1.0f, 1.0f, -1.0f, -1.3f, 1e-6f, 1e6f, 0.3f});
  }
  if (is_in_place(test->routine)) test->beta = 0;
}

void draw_exponents(Draw *draw, RandomCall *call) {
  const bool half = element_of(call->groups[0].routine) == Element::kHalf;
  if (call->routine == Routine::kStrsm) {
    call->exponent_a = draw->below(81) - 40;
    if (call->groups[0].diag == LIBSGEMM_UNIT) call->exponent_a = std::min(call->exponent_a, 0);  // else solutions grow
    call->exponent_c = draw->below(121) - 60;
    for (Case &test : call->groups) test.alpha = std::ldexp(1 + draw->uniform() / 2, draw->below(21) - 10);
    return;
  }
  call->exponent_a = half ? draw->below(30) - 20 : draw->below(261) - 140;
  call->exponent_b = half ? draw->below(30) - 20 : draw->below(261) - 140;
  if (of_floats(call->routine) == Routine::kSsyrk) call->exponent_b = call->exponent_a;
  const int total = draw->below(121) - 60;
  const int alpha = std::clamp(total - call->exponent_a - call->exponent_b, -145, 125);
  for (Case &test : call->groups) test.alpha = std::ldexp(1 + draw->uniform() / 2, alpha);
  call->exponent_c = call->routine == Routine::kStrmm ? call->exponent_b : total;
}

Data draw_data(Draw *draw, Routine routine) {
  const int kind = draw->below(100);
  if (kind < 30) return Data::exact;
  if (kind < 55) return Data::normal;
  if (kind < 65) return Data::positive;
  if (kind < 73) return Data::log_normal;
  if (kind < 80) return Data::outlier;
  if (kind < 85) return Data::constant;
  if (kind < 92) return is_in_place(routine) ? Data::normal : Data::special;
  return Data::scaled;
}

void draw_kind(Draw *draw, RandomCall *call) {
  const int kind = draw->below(100);
  const Routine products[] = {Routine::kSgemm, Routine::kSgemm, Routine::kShgemm, Routine::kSbgemm};
  if (kind < 30) {
    call->routine = Routine::kSgemm;
  } else if (kind < 80) {
    call->routine = kSingleRoutines[static_cast<size_t>(draw->below(static_cast<int>(kSingleRoutines.size())))];
  } else {
    call->kind = kind < 90 ? Kind::strided : Kind::groups;
    const bool other = call->kind == Kind::strided && draw->percent(50);
    call->routine =
        other ? draw->pick({Routine::kSsyrk, Routine::kShsyrk, Routine::kSbsyrk, Routine::kStrmm, Routine::kStrsm})
              : draw->pick(products);
  }
}

void draw_way(Draw *draw, bool gpu, RandomCall *call) {
  if (draw->percent(70)) call->handle = draw->below(kHandles);
  const bool product = call->routine == Routine::kSgemm;
  if (call->handle >= 0 && product && draw->percent(30)) {
    call->mode = static_cast<libsgemm_math_mode_t>(1 + draw->below(LIBSGEMM_MATH_FP32_FAST));
  }
  if (!gpu) return;
  const int where = draw->below(100);
  call->where = where < 60 ? Where::device : where < 75 ? Where::pageable : where < 90 ? Where::pinned : Where::managed;
  if (call->handle >= 0 && draw->percent(25)) call->stream = draw->below(kStreams);
  if (call->handle >= 0 && call->where == Where::device && draw->percent(12)) call->replays = 2 + draw->below(2);
}

// Off-diagonal elements are about order^(-1/2) of the diagonal, so that solutions do not grow.
void shape_triangle(Matrix *x) {
  const auto order = std::sqrt(static_cast<float>(x->rows));
  for (int64_t i = 0; i < x->rows; ++i) {
    for (int64_t j = 0; j < x->columns; ++j) {
      const float value = std::fmod(x->at(i, j), 1.0f);
      x->at(i, j) = i == j ? value + std::copysign(1.0f, value) : value / order;
    }
  }
}

void fill(const RandomCall &call, Draw *draw, Element element, int exponent, Matrix *x) {
  const double spread = element == Element::kHalf ? 1.5 : 3;
  const float constant = draw->uniform();
  for (float &value : x->values) {
    switch (call.data) {
      case Data::positive:
        value = std::fabs(draw->uniform());
        break;
      case Data::log_normal:
        value = static_cast<float>(std::exp(spread * draw->normal())) * (draw->percent(50) ? 1.0f : -1.0f);
        break;
      case Data::constant:
        value = constant;
        break;
      case Data::scaled:
        value = std::ldexp(draw->uniform(), exponent);
        break;
      default:
        value = static_cast<float>(draw->normal());
    }
  }
  if (x->values.empty()) return;
  const auto any = [&]() -> float & { return x->values[draw->below(static_cast<int>(x->values.size()))]; };
  if (call.data == Data::outlier) any() = element == Element::kHalf ? 3e4f : 3e6f;
  if (call.data != Data::special) return;
  for (int i = draw->below(4); i > 0; --i) any() = draw->pick({NAN, INFINITY, -INFINITY, -0.0f, 1e-40f});
}

}  // namespace

std::string RandomCall::entry() const {
  if (kind == Kind::single) return entry_name(routine);
  return entry_name(routine) + (kind == Kind::strided ? "_batch_strided" : "_batch");
}

RandomCall draw_call(uint64_t seed, uint64_t number, bool gpu) {
  Draw draw(seed_of(seed, number, 0));
  RandomCall call;
  call.seed = seed, call.number = number;
  draw_kind(&draw, &call);
  call.layout = draw.percent(50) ? LIBSGEMM_COL_MAJOR : LIBSGEMM_ROW_MAJOR;
  call.data = draw_data(&draw, call.routine);
  const int groups = call.kind == Kind::groups ? 1 + draw.below(4) : 1;
  for (int g = 0; g < groups; ++g) {
    Case test;
    test.routine = call.routine;
    test.transa = draw.pick({LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS, LIBSGEMM_CONJ_TRANS});
    test.transb = draw.pick({LIBSGEMM_NO_TRANS, LIBSGEMM_TRANS, LIBSGEMM_CONJ_TRANS});
    test.side = draw.percent(50) ? LIBSGEMM_LEFT : LIBSGEMM_RIGHT;
    test.uplo = draw.percent(50) ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
    test.diag = draw.percent(50) ? LIBSGEMM_UNIT : LIBSGEMM_NON_UNIT;
    test.inputs = call.data == Data::exact ? Inputs::kExact : Inputs::kRandom;
    draw_sizes(&draw, call.kind != Kind::single, &test);
    draw_scalars(&draw, call.data, &test);
    test.padding = {padding(&draw), padding(&draw), padding(&draw)};
    test.offset = draw.percent(60) ? 0 : 1 + draw.below(7);
    call.groups.push_back(test);
    call.sizes.push_back(call.kind == Kind::single ? 1 : 1 + draw.below(5));
  }
  if (call.data == Data::scaled) draw_exponents(&draw, &call);
  call.shares_a = call.kind == Kind::strided && draw.percent(20);
  call.shares_b = call.kind == Kind::strided && draw.percent(20);
  call.apart = draw.below(3) == 0 ? 0 : draw.below(40);
  draw_way(&draw, gpu, &call);
  return call;
}

Problem problem_of(const RandomCall &call, size_t group, size_t product, int replay) {
  const Case &test = call.groups[group];
  const uint64_t part = 1 + 3 * ((static_cast<uint64_t>(replay) * 64 + group) * 64 + product);
  const uint64_t shared = 1 + 3 * (static_cast<uint64_t>(replay) * 64 + group) * 64;
  const uint64_t seed = seed_of(call.seed, call.number, part);
  if (call.data == Data::exact) {
    Problem p = draw_problem(test, seed);
    if (call.shares_a) replace_a(&p, draw_problem(test, seed_of(call.seed, call.number, shared)).a);
    if (call.shares_b) p.b = draw_problem(test, seed_of(call.seed, call.number, shared)).b;
    return p;
  }
  const Element element = element_of(test.routine);
  const auto filler = [&](uint64_t at, Element of, int exponent, bool triangle) {
    return [&call, at, of, exponent, triangle](Matrix *x) {
      Draw draw(seed_of(call.seed, call.number, at));
      fill(call, &draw, of, call.data == Data::scaled && triangle ? 0 : exponent, x);
      if (!triangle) return;
      shape_triangle(x);
      for (float &value : x->values) value = std::ldexp(value, exponent);
    };
  };
  const bool solves = test.routine == Routine::kStrsm;
  return draw_problem(test, seed, filler(call.shares_a ? shared : part, element, call.exponent_a, solves),
                      filler((call.shares_b ? shared : part) + 1, element, call.exponent_b, false),
                      filler(part + 2, Element::kFloat, call.exponent_c, false));
}

Bound bound_of(const RandomCall &call) {
  const bool independent = call.data == Data::normal || call.data == Data::positive || call.data == Data::outlier;
  return independent ? Bound::kSafe : Bound::kAny;
}

const char *name_of(Data data) {
  static const char *const names[] = {"exact",   "normal",   "positive", "log-normal",
                                      "outlier", "constant", "special",  "scaled"};
  return names[static_cast<int>(data)];
}

const char *name_of(Where where) {
  static const char *const names[] = {"pageable", "pinned", "device", "managed"};
  return names[static_cast<int>(where)];
}

std::string describe(const RandomCall &call) {
  std::ostringstream text;
  text << "call " << call.number << " " << call.entry() << (call.handle >= 0 ? "_h" : "")
       << (call.layout == LIBSGEMM_COL_MAJOR ? " column-major " : " row-major ") << name_of(call.data) << " "
       << name_of(call.where) << " mode=" << sgemm_test::name_of(call.mode) << " handle=" << call.handle
       << " stream=" << call.stream << " replays=" << call.replays;
  if (call.kind == Kind::strided) {
    text << " apart=" << call.apart << " shares=" << (call.shares_a ? "A" : "") << (call.shares_b ? "B" : "");
  }
  if (call.data == Data::scaled) {
    text << " exponents=" << call.exponent_a << "," << call.exponent_b << "," << call.exponent_c;
  }
  for (size_t g = 0; g < call.groups.size(); ++g) {
    text << "; " << call.sizes[g] << " of " << sgemm_test::describe(call.groups[g]);
  }
  return text.str();
}

}  // namespace random_calls
