// Time, statistics of samples, and a progress line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace command {

// Monotonic seconds.
double now();

struct Summary {
  double median, minimum, maximum, lower_quartile, upper_quartile;
  int count;
};

// `values` must not be empty.
Summary summarise(std::vector<double> values);
double median(std::vector<double> values);
// `fraction` 0.05: the 5th percentile, interpolated.
double quantile(std::vector<double> values, double fraction);

// For example "1.234 s", "12.34 ms", "1.2 us".
std::string duration_text(double seconds);

// One line on stderr, rewritten in place; silent unless stderr is a terminal.
class Progress {
 public:
  // `total_work`: any unit.
  explicit Progress(double total_work);
  ~Progress() { clear(); }

  void show(const std::string &what, double done);
  // Call before other output.
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  double total_, start_;
};

}  // namespace command
