#include "timing.h"

#include <fmt/core.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace command {
namespace {

// Interpolates; `sorted` is not empty.
double quantile_of_sorted(const std::vector<double> &sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

}  // namespace

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Summary summarise(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double fraction) { return quantile_of_sorted(values, fraction); };
  return {at(0.5), values.front(), values.back(), at(0.25), at(0.75), static_cast<int>(values.size())};
}

double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  return quantile_of_sorted(values, fraction);
}

double median(std::vector<double> values) { return summarise(std::move(values)).median; }

std::string duration_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", 1e3 * seconds);
  return fmt::format("{:.3f} us", 1e6 * seconds);
}

Progress::Progress(double total_work) : enabled_(isatty(STDERR_FILENO) != 0), total_(total_work), start_(now()) {}

void Progress::show(const std::string &what, double done) {
  if (!enabled_) return;
  const double elapsed = now() - start_;
  std::string line = fmt::format("{:3.0f} %  {}", 100 * done / total_, what);
  if (done > 0 && elapsed > 1) line += fmt::format("  about {:.0f} s left", elapsed * (total_ - done) / done);
  fmt::print(stderr, "\r\033[K{}", line);
  fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace command
