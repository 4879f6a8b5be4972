// Least squares of the logarithms, by a pattern search: each figure in turn is raised or lowered by a factor while that
// helps, then the factor is made smaller. There are few figures, and the times are no smooth function of them.
#include "calibrate_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace command {
namespace {

using libsgemm::Calibration;
using libsgemm::GpuCosts;
using libsgemm::SizeTable;

constexpr double kFirstFactor = 4, kLastFactor = 1.002;
constexpr double kShortest = 1e-7, kLongest = 1;   // seconds
constexpr double kSlowest = 1e6, kFastest = 1e16;  // bytes or operations a second

double mean_square(const std::vector<TimedProduct> &products, const GpuCosts &costs, unsigned pinned) {
  Calibration c = {};
  c.gpu = costs;
  double sum = 0;
  for (const TimedProduct &p : products) {
    const double error = std::log(libsgemm::predict(c, describe_product(p.m, p.n, p.k), pinned).gpu / p.seconds);
    sum += error * error;
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

// A figure that is moved between two bounds, which keep what has no influence from drifting away.
struct Figure {
  std::function<double &(GpuCosts *)> value;
  double least, most;
};

// The best is left in *costs.
void search(const std::vector<TimedProduct> &products, unsigned pinned, const std::vector<Figure> &figures,
            GpuCosts *costs) {
  if (products.empty()) return;
  double best = mean_square(products, *costs, pinned);
  for (double factor = kFirstFactor; factor > kLastFactor;) {
    bool better = false;
    for (const Figure &figure : figures) {
      for (const double step : {factor, 1 / factor}) {
        GpuCosts trial = *costs;
        double &value = figure.value(&trial);
        value = std::clamp(value * step, figure.least, figure.most);
        const double error = mean_square(products, trial, pinned);
        if (error >= best) continue;
        best = error;
        *costs = trial;
        better = true;
      }
    }
    if (!better) factor = std::sqrt(factor);
  }
}

}  // namespace

libsgemm::GemmDesc describe_product(int64_t m, int64_t n, int64_t k) {
  libsgemm::GemmDesc desc = {};
  desc.transa = desc.transb = LIBSGEMM_NO_TRANS;
  desc.m = m;
  desc.n = n;
  desc.k = k;
  desc.batch_count = 1;
  return desc;
}

void fit_pageable(const std::vector<TimedProduct> &products, GpuCosts *costs) {
  for (int m = 0; m < SizeTable::kCount; ++m) {
    for (int n = 0; n < SizeTable::kCount; ++n) {
      for (int k = 0; k < SizeTable::kCount; ++k) costs->correction.set(m, n, k, 1);
    }
  }
  search(products, 0,
         {{[](GpuCosts *c) -> double & { return c->call; }, kShortest, kLongest},
          {[](GpuCosts *c) -> double & { return c->pageable.up; }, kSlowest, kFastest},
          {[](GpuCosts *c) -> double & { return c->pageable.down; }, kSlowest, kFastest},
          {[](GpuCosts *c) -> double & { return c->flops; }, kSlowest, kFastest},
          {[](GpuCosts *c) -> double & { return c->serial; }, 0.01, 1},
          {[](GpuCosts *c) -> double & { return c->ramp; }, kShortest, kLongest}},
         costs);
}

void fit_pinned(const std::vector<TimedProduct> &products, GpuCosts *costs) {
  search(products, libsgemm::kPinnedA | libsgemm::kPinnedB | libsgemm::kPinnedC,
         {{[](GpuCosts *c) -> double & { return c->pinned.up; }, kSlowest, kFastest},
          {[](GpuCosts *c) -> double & { return c->pinned.down; }, kSlowest, kFastest}},
         costs);
}

}  // namespace command
