// Least squares of logarithms by a pattern search: one parameter after another is raised or lowered by a factor while
// that helps, then the factor shrinks. The times are not smooth in the parameters.
#include "calibrate_fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace command {
namespace {

using libsgemm::Calibration;
using libsgemm::GpuCosts;
using libsgemm::SizeTable;

using Indices = std::array<int, 3>;

int64_t size_at(int index) { return SizeTable::kSizes[static_cast<size_t>(index)]; }

double products_of(const Indices &at) {
  return static_cast<double>(size_at(at[0])) * static_cast<double>(size_at(at[1])) *
         static_cast<double>(size_at(at[2]));
}

bool fits(const Indices &at) {
  const int64_t m = size_at(at[0]), n = size_at(at[1]), k = size_at(at[2]);
  return m * n <= kMostElements && m * k <= kMostElements && k * n <= kMostElements;
}

std::vector<Indices> all_sizes() {
  std::vector<Indices> all;
  for (int m = 0; m < Times::kSide; ++m) {
    for (int n = 0; n < Times::kSide; ++n) {
      for (int k = 0; k < Times::kSide; ++k) all.push_back({m, n, k});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Indices &x, const Indices &y) { return products_of(x) < products_of(y); });
  return all;
}

Indices smaller_neighbour(Indices at) {
  --*std::max_element(at.begin(), at.end());
  return at;
}

template <typename Value>
void fill_table(const Times &times, const Value &value, SizeTable *table) {
  for (const Indices &at : all_sizes()) {
    const double seconds = times.at(at[0], at[1], at[2]);
    if (seconds > 0) {
      table->set(at[0], at[1], at[2], value(at, seconds));
    } else {
      const Indices before = smaller_neighbour(at);
      table->set(at[0], at[1], at[2], table->get(before[0], before[1], before[2]));
    }
  }
}

class Deadline {
 public:
  explicit Deadline(double seconds) : end_(Clock::now() + std::chrono::duration<double>(seconds)) {}
  bool operator()() const { return Clock::now() > end_; }

 private:
  using Clock = std::chrono::steady_clock;
  const std::chrono::time_point<Clock, std::chrono::duration<double>> end_;
};

struct Timed {
  int64_t m, n, k;
  double seconds;
};

double mean_square(const std::vector<Timed> &products, const GpuCosts &costs) {
  Calibration c = {};
  c.gpu = costs;
  double sum = 0;
  for (const Timed &p : products) {
    const double error = std::log(libsgemm::predict(c, describe_product(p.m, p.n, p.k), 0).gpu / p.seconds);
    sum += error * error;
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

// The bounds keep a parameter without influence from drifting.
struct Figure {
  std::function<double &(GpuCosts *)> value;
  double least, most;
};

constexpr double kFirstFactor = 4, kLastFactor = 1.002;
constexpr double kShortest = 1e-7, kLongest = 1;  // seconds
constexpr double kSlowest = 1e6;                  // bytes a second

void search(const std::vector<Timed> &products, const std::vector<Figure> &figures, GpuCosts *costs) {
  double best = mean_square(products, *costs);
  for (double factor = kFirstFactor; factor > kLastFactor;) {
    const double before = best;
    for (const Figure &figure : figures) {
      for (const double step : {factor, 1 / factor}) {
        GpuCosts trial = *costs;
        double &value = figure.value(&trial);
        value = std::clamp(value * step, figure.least, figure.most);
        const double error = mean_square(products, trial);
        if (error >= best) continue;
        best = error;
        *costs = trial;
      }
    }
    if (!(best < 0.99 * before)) factor = std::sqrt(factor);
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

Times time_sizes(const TimeProduct &time, double longest, double most) {
  Times times;
  const Deadline late(most);
  for (const Indices &at : all_sizes()) {
    if (!fits(at)) continue;
    const bool first = at == Indices{0, 0, 0};
    if (!first) {
      const Indices before = smaller_neighbour(at);
      const double expected = times.at(before[0], before[1], before[2]) * products_of(at) / products_of(before);
      if (expected == 0 || expected > longest || late()) continue;
    }
    times.at(at[0], at[1], at[2]) = time(size_at(at[0]), size_at(at[1]), size_at(at[2]));
  }
  return times;
}

void time_again(const TimeProduct &time, double most, Times *times) {
  constexpr int kMore = 3;
  const Deadline late(most);
  for (int i = 0; i < kMore; ++i) {
    for (const Indices &at : all_sizes()) {
      double &seconds = times->at(at[0], at[1], at[2]);
      if (seconds == 0) continue;
      if (late()) return;
      seconds = std::min(seconds, time(size_at(at[0]), size_at(at[1]), size_at(at[2])));
    }
  }
}

void fit_cpu(const Times &times, SizeTable *flops) {
  fill_table(
      times, [](const Indices &at, double seconds) { return 2 * products_of(at) / seconds; }, flops);
}

void fit_gpu(const Times &times, GpuCosts *costs) {
  std::vector<Timed> products;
  for (const Indices &at : all_sizes()) {
    const double seconds = times.at(at[0], at[1], at[2]);
    if (seconds > 0) products.push_back({size_at(at[0]), size_at(at[1]), size_at(at[2]), seconds});
    costs->correction.set(at[0], at[1], at[2], 1);
  }
  costs->pageable = costs->pinned;
  search(products,
         {{[](GpuCosts *c) -> double & { return c->call; }, kShortest, kLongest},
          {[](GpuCosts *c) -> double & { return c->pageable.up; }, kSlowest, costs->pinned.up},
          {[](GpuCosts *c) -> double & { return c->pageable.down; }, kSlowest, costs->pinned.down},
          {[](GpuCosts *c) -> double & { return c->serial; }, 0.01, 1},
          {[](GpuCosts *c) -> double & { return c->ramp; }, kShortest, kLongest}},
         costs);
  Calibration fitted = {};
  fitted.gpu = *costs;
  const auto correction = [&](const Indices &at, double seconds) {
    const auto desc = describe_product(size_at(at[0]), size_at(at[1]), size_at(at[2]));
    return std::clamp(seconds / libsgemm::predict(fitted, desc, 0).gpu, 0.01, 100.0);
  };
  fill_table(times, correction, &costs->correction);
}

}  // namespace command
