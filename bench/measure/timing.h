// Clock, order statistics of measured times, and a progress line for long runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace command {

// Monotonic, in seconds.
double now();

// In the unit of the values given.
struct Summary {
  double median, minimum, maximum, lower_quartile, upper_quartile;
  int count;
};

// `values` is not empty.
Summary summarise(std::vector<double> values);
double median(std::vector<double> values);
// 0.05: the 5th percentile, by linear interpolation.
double quantile(std::vector<double> values, double fraction);

// "1.234 s", "12.34 ms", "1.2 us", from seconds.
std::string duration_text(double seconds);

// One line on stderr that is rewritten in place, if stderr is a terminal; otherwise silent.
class Progress {
 public:
  // `total_work` in any unit.
  explicit Progress(double total_work);
  ~Progress() { clear(); }

  // What is under way, after `done` of the total.
  void show(const std::string &what, double done);
  // Before something else is printed.
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  double total_, start_;
};

}  // namespace command
