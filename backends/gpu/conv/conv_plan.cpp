#include "conv_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace libsgemm::gpu {
namespace {

constexpr int64_t kSector = 8;  // floats

constexpr int64_t kMostPlaces = int64_t{1} << 29;  // limit of rows, columns and distances from an image

// The last digit is contiguous in memory; digits of extent 1 come first.
void sort(const ConvDigits &digits, int64_t ConvDigit::*step, ConvDigits &to) {
  std::copy(digits, digits + kConvDigits, to);
  std::stable_sort(to, to + kConvDigits, [=](const ConvDigit &a, const ConvDigit &b) {
    if (a.extent == 1 || b.extent == 1) return b.extent != 1;
    return std::abs(a.*step) > std::abs(b.*step);
  });
}

int64_t smallest_step(const ConvDigits &digits, int64_t ConvDigit::*step) {
  return digits[kConvDigits - 1].extent == 1 ? INT64_MAX : std::abs(digits[kConvDigits - 1].*step);
}

// If the output is contiguous along rows, the row of C comes from the image.
bool image_has_rows(const ConvDigits &first, const ConvDigits &second) {
  return smallest_step(first, &ConvDigit::out) <= smallest_step(second, &ConvDigit::out);
}

ConvIndex index_of(const ConvDigits &digits) {
  ConvIndex index = {};
  int64_t extent = digits[0].extent;
  for (int d = 1; d < kConvDigits; ++d) {
    extent *= digits[d].extent;
    index.digit[d - 1] = Divisor::of(static_cast<int>(std::max<int64_t>(digits[d].extent, 1)));
  }
  index.extent = static_cast<int>(extent);
  return index;
}

struct Extents {
  int64_t extent[kConvDigits];
  explicit Extents(const ConvIndex &index) {
    extent[0] = index.extent;
    for (int d = 1; d < kConvDigits; ++d) {
      extent[d] = index.digit[d - 1].value;
      extent[0] /= extent[d];
    }
  }
};

ConvSteps steps_of(const ConvDigits &digits, int64_t ConvDigit::*step, bool image) {
  ConvSteps steps = {};
  for (int i = 0; i < kConvDigits; ++i) {
    steps.place[i] = digits[i].*step;
    if (image) steps.h[i] = static_cast<int>(digits[i].h), steps.w[i] = static_cast<int>(digits[i].w);
  }
  return steps;
}

// How an index of a tensor is stored: runs of `run` elements, `step` apart. by_four: other steps are multiples of four.
struct Lie {
  int64_t step = 1, run = 1;
  bool by_four = true;
  bool moves = false;  // the place in the image changes
};

Lie lie_of(const ConvIndex &index, const int64_t (&places)[kConvDigits], const ConvSteps *steps) {
  const Extents of(index);
  const auto &extent = of.extent;
  Lie lie;
  bool running = true;
  for (int d = kConvDigits - 1; d >= 0; --d) {
    if (extent[d] == 1) continue;
    if (lie.run == 1) lie.step = places[d];
    const bool moves = steps != nullptr && (steps->h[d] != 0 || steps->w[d] != 0);
    // A run ends where neighbouring taps or pixels begin, so that no vector crosses the image's border.
    const bool ends = moves && !lie.moves && lie.run > 1 && lie.run % 4 == 0;
    running = running && !ends && (lie.run == 1 || places[d] == lie.step * lie.run);
    if (running) {
      lie.run *= extent[d];
      lie.moves = lie.moves || moves;
    } else {
      lie.by_four = lie.by_four && places[d] % 4 == 0;
    }
  }
  return lie;
}

// Sectors of 32 bytes for about 32 elements.
double sectors(const Lie &lie) {
  const double length = static_cast<double>(std::min<int64_t>(lie.run, 32));
  return 32 / length * (length * static_cast<double>(std::min<int64_t>(std::abs(lie.step), 8)) / 8 + 1);
}

bool vectors(const Lie &along, const Lie &across, const float *data, int64_t group) {
  return along.step == 1 && along.run % 4 == 0 && along.by_four && across.by_four &&
         (across.run == 1 || across.step % 4 == 0) && group % 4 == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0;
}

bool all_inside(const ConvOperand &operand, const ConvIndex &outer, const ConvIndex &sum) {
  int64_t least_h = operand.first_h, most_h = least_h, least_w = operand.first_w, most_w = least_w;
  const auto add = [&](const ConvIndex &index, const ConvSteps &steps) {
    const Extents of(index);
    for (int d = 0; d < kConvDigits; ++d) {
      const int64_t h = (of.extent[d] - 1) * steps.h[d], w = (of.extent[d] - 1) * steps.w[d];
      (h < 0 ? least_h : most_h) += h;
      (w < 0 ? least_w : most_w) += w;
    }
  };
  add(outer, operand.outer);
  add(sum, operand.sum);
  return least_h >= 0 && least_w >= 0 && most_h < operand.height && most_w < operand.width;
}

struct OperandFetch {
  Lie outer, sum;
  bool outer_vectors, sum_vectors;

  OperandFetch(const ConvOperand &operand, const ConvIndex &outer_index, const ConvIndex &sum_index)
      : outer(lie_of(outer_index, operand.outer.place, &operand.outer)),
        sum(lie_of(sum_index, operand.sum.place, &operand.sum)) {
    const bool inside = all_inside(operand, outer_index, sum_index);
    outer_vectors = vectors(outer, sum, operand.data, operand.group) && (inside || !outer.moves);
    sum_vectors = vectors(sum, outer, operand.data, operand.group) && (inside || !sum.moves);
  }
  bool along_k() const {
    if (outer_vectors != sum_vectors) return sum_vectors;
    return sectors(sum) < sectors(outer);
  }
};

}  // namespace

bool conv_fits(const ConvDesc &desc) {
  for (const int64_t x : {desc.stride_h, desc.stride_w, desc.pad_h, desc.pad_w, desc.dilation_h, desc.dilation_w,
                          desc.h, desc.w, desc.p, desc.q, desc.r, desc.s, desc.k, desc.c, desc.n}) {
    if (x > kMostPlaces) return false;
  }
  const double most = static_cast<double>(kMostPlaces);
  const auto length = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  if (length(desc.r, desc.dilation_h) + length(desc.p, desc.stride_h) > most ||
      length(desc.s, desc.dilation_w) + length(desc.q, desc.stride_w) > most) {
    return false;
  }
  const GemmDesc g = product_of(desc);
  return g.m <= kMostPlaces && g.n <= kMostPlaces && g.k <= kMostPlaces;
}

bool conv_image_is_a(const ConvDesc &desc, int64_t index) {
  const ConvProduct p = conv_product(desc, index);
  ConvDigits first, second;
  sort(p.first, &ConvDigit::out, first);
  sort(p.second, &ConvDigit::out, second);
  return image_has_rows(first, second);
}

ConvProblem conv_problem(const ConvDesc &desc, int64_t index) {
  return conv_problem(conv_product(desc, index), desc.alpha, desc.beta);
}

ConvProblem conv_problem(const ConvProduct &p, float alpha, float beta) {
  ConvDigits first, second, sum;
  sort(p.first, &ConvDigit::out, first);
  sort(p.second, &ConvDigit::out, second);
  sort(p.sum, &ConvDigit::image, sum);
  const bool image_is_a = image_has_rows(first, second);
  ConvProblem problem = {};
  problem.row = index_of(image_is_a ? first : second);
  problem.column = index_of(image_is_a ? second : first);
  problem.sum = index_of(sum);
  const auto number = [](int64_t x) { return static_cast<int>(x); };
  const ConvOperand image = {p.image,
                             p.image_group,
                             steps_of(first, &ConvDigit::image, true),
                             steps_of(sum, &ConvDigit::image, true),
                             number(p.first_h),
                             number(p.first_w),
                             number(p.height),
                             number(p.width)};
  const ConvOperand other = {p.other,
                             p.other_group,
                             steps_of(second, &ConvDigit::other, false),
                             steps_of(sum, &ConvDigit::other, false),
                             0,
                             0,
                             1,
                             1};
  problem.a = image_is_a ? image : other;
  problem.b = image_is_a ? other : image;
  ConvOutput &c = problem.c;
  c.data = p.out;
  c.group = p.out_group;
  for (int i = 0; i < kConvDigits; ++i) {
    c.row[i] = (image_is_a ? first : second)[i].out;
    c.column[i] = (image_is_a ? second : first)[i].out;
  }
  c.vectors = vectors(lie_of(problem.row, c.row, nullptr), lie_of(problem.column, c.column, nullptr), c.data, c.group);
  problem.product.m = problem.row.extent;
  problem.product.n = problem.column.extent;
  problem.product.k = problem.sum.extent;
  problem.product.alpha = alpha;
  problem.product.beta = beta;
  return problem;
}

ConvFetch conv_fetch(const ConvProblem *problems, int count) {
  const OperandFetch a(problems->a, problems->row, problems->sum), b(problems->b, problems->column, problems->sum);
  ConvFetch fetch = {a.along_k(), b.along_k(), true, true};
  for (int i = 0; i < count; ++i) {
    const ConvProblem &p = problems[i];
    const OperandFetch of_a(p.a, p.row, p.sum), of_b(p.b, p.column, p.sum);
    fetch.a_vectors = fetch.a_vectors && (fetch.a_along_k ? of_a.sum_vectors : of_a.outer_vectors);
    fetch.b_vectors = fetch.b_vectors && (fetch.b_along_k ? of_b.sum_vectors : of_b.outer_vectors);
  }
  return fetch;
}

double conv_bytes(const ConvDesc &desc) {
  double elements = 0;
  for (const Tensor &t : {tensor_x(desc), tensor_f(desc), tensor_y(desc)}) {
    double size = t.data == desc.out && desc.beta != 0.0f ? 2 : 1;
    for (const int64_t extent : t.size) size *= static_cast<double>(extent);
    elements += size;
  }
  if (desc.direction != Conv::data_gradient) {
    const double image = static_cast<double>(desc.n * desc.c) * static_cast<double>(desc.h * desc.w);
    const auto share = [](int64_t met, int64_t all) {
      return std::min(1.0, static_cast<double>(met) / static_cast<double>(all));
    };
    const double rows = share(desc.p * desc.r, desc.h);
    const double columns = std::abs(desc.x_steps.w) < kSector ? 1 : share(desc.q * desc.s, desc.w);
    elements -= image * (1 - rows * columns);
  }
  return sizeof(float) * elements;
}

size_t conv_cleared_bytes(const ConvDesc &desc) {
  if (desc.direction != Conv::data_gradient || desc.beta != 0.0f || conv_products(desc) == 1) return 0;
  const Tensor out = output_of(desc);
  if (out.step[3] >= kSector) return 0;  // NHWC: pixels do not share sectors, so storing each once is better
  int64_t count = 1, last = 0;
  for (int d = 0; d < 4; ++d) {
    if (out.step[d] < 0) return 0;
    count *= out.size[d];
    last += (out.size[d] - 1) * out.step[d];
  }
  if (last + 1 != count) return 0;  // memory in between must not be written
  const ConvSizes sizes(desc);
  for (int i = 0; i < sizes.count(); ++i) {
    const ConvProduct product = sizes.product(i);
    const auto &[channels, taps_h, taps_w] = product.sum;
    if (channels.extent * taps_h.extent * taps_w.extent == 0) return sizeof(float) * static_cast<size_t>(count);
  }
  return 0;
}

}  // namespace libsgemm::gpu
