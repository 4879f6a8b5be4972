// Chooses the columns and rows to verify and recomputes them in FP64, by loops of its own.
#include "verify.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "draw.h"
#include "error_contract.h"
#include "process/parallel.h"

namespace libsgemm {
namespace {

constexpr int kSamples = 4;                        // columns, and as many rows
constexpr uint64_t kStride = 0x2545f4914f6cdd1du;  // difference of the seeds of a batch's products

struct Column {
  std::vector<double> value, magnitude;
  std::vector<double> factor;  // a column of y

  void add_row(int64_t i, const float *x, int64_t k) {
    constexpr int kLanes = 4;  // several accumulators: an addition need not wait for the one before
    double sums[kLanes] = {}, sizes[kLanes] = {};
    int64_t l = 0;
    for (; l + kLanes <= k; l += kLanes) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const double term = static_cast<double>(x[l + lane]) * factor[static_cast<size_t>(l + lane)];
        sums[lane] += term;
        sizes[lane] += std::fabs(term);
      }
    }
    for (; l < k; ++l) {
      const double term = static_cast<double>(x[l]) * factor[static_cast<size_t>(l)];
      sums[0] += term;
      sizes[0] += std::fabs(term);
    }
    value[static_cast<size_t>(i)] += sums[0] + sums[1] + sums[2] + sums[3];
    magnitude[static_cast<size_t>(i)] += sizes[0] + sizes[1] + sizes[2] + sizes[3];
  }

  void add(int64_t i, double term) {
    value[static_cast<size_t>(i)] += term;
    magnitude[static_cast<size_t>(i)] += std::fabs(term);
  }
};

void add_product(const Product &p, int64_t j, int64_t first, int64_t last, Column *column) {
  if (p.x.plain() && p.y.structure != View::triangular && p.x.row_step == 1) {
    for (int64_t l = 0; l < p.k; ++l) {
      const double y = static_cast<double>(p.y.at(l, j));
      const float *x = static_cast<const float *>(p.x.data) + l * p.x.col_step;
      for (int64_t i = first; i < last; ++i) column->add(i, static_cast<double>(x[i]) * y);
    }
    return;
  }
  if (p.x.plain() && p.x.col_step == 1 && p.y.structure != View::triangular) {
    column->factor.resize(static_cast<size_t>(p.k));
    for (int64_t l = 0; l < p.k; ++l) column->factor[static_cast<size_t>(l)] = static_cast<double>(p.y.at(l, j));
    for (int64_t i = first; i < last; ++i) {
      column->add_row(i, static_cast<const float *>(p.x.data) + i * p.x.row_step, p.k);
    }
    return;
  }
  for (int64_t i = first; i < last; ++i) {
    const Span span = p.span(i, j);
    for (int64_t l = span.first; l < span.last; ++l) {
      column->add(i, static_cast<double>(p.x.at(i, l)) * static_cast<double>(p.y.at(l, j)));
    }
  }
}

double worst_of_samples(const ErrorContract &columns, uint64_t seed) {
  const ErrorContract rows = columns.transposed();
  const Product &p = columns.products.term[0];
  double worst[2 * kSamples] = {};
  const double terms = static_cast<double>(kSamples) * static_cast<double>(p.m + p.n) * static_cast<double>(p.k);
  in_parallel(2 * kSamples, terms, [&](int64_t first, int64_t last) {
    for (int64_t s = first; s < last; ++s) {
      const ErrorContract &c = s % 2 == 0 ? columns : rows;
      worst[s] = worst_of_column(c, draw(seed, static_cast<uint64_t>(s), c.products.term[0].n));
    }
  });
  const uint64_t signs = static_cast<uint64_t>(draw(seed, 2 * kSamples, INT64_MAX));
  return std::max(*std::max_element(worst, worst + 2 * kSamples), worst_of_sums(p.n > p.m ? rows : columns, signs));
}

}  // namespace

double worst_of_column(const ErrorContract &c, int64_t j) {
  const Product &p = c.products.term[0];
  const int64_t first = c.products.out.first_row(j), last = c.products.out.last_row(j, p.m);
  Column column;
  column.value.assign(static_cast<size_t>(p.m), 0);
  column.magnitude.assign(static_cast<size_t>(p.m), 0);
  for (int t = 0; t < c.products.count; ++t) add_product(c.products.term[t], j, first, last, &column);
  const bool split = mode_traits(c.mode).loses_bits();
  const Parts y = split ? parts(p.y.transposed(), j, p.k, c.mode) : Parts{0, 0};
  double worst = 0;
  bool judged = false;
  for (int64_t i = first; i < last; ++i) {
    const Parts x = split ? parts(p.x, i, p.k, c.mode) : Parts{0, 0};
    const auto at = static_cast<size_t>(i);
    const double lost = lost_by(x, y);
    worst = std::max(worst, element_ratio(c, i, j, column.value[at], column.magnitude[at], lost, &judged));
  }
  return worst;
}

double verify_result(const GemmDesc &desc, const Snapshot *before, libsgemm_verify_t mode, Arithmetic arithmetic,
                     uint64_t seed) {
  const UsualFloats usual;
  double worst = 0;
  for (int64_t item = 0; item < desc.batch_count; ++item) {
    const GemmDesc d = batch_item(desc, item);
    const ErrorContract c = error_contract(d, before != nullptr ? before->item(item) : nullptr, arithmetic);
    // A checksum does not serve under directed rounding: errors of one sign add up, and a sum that overflows may become
    // a finite number.
    const bool all = mode == LIBSGEMM_VERIFY_FULL || c.products.term[0].n <= 2 * kSamples || arithmetic.floats.directed;
    worst = std::max(worst, all ? worst_of_all(c) : worst_of_samples(c, seed + static_cast<uint64_t>(item) * kStride));
  }
  return worst;
}

}  // namespace libsgemm
