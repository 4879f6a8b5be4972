// Math modes and their error bounds.
#pragma once

#include <libsgemm.h>

#include <cstdint>
#include <string>
#include <vector>

namespace command {

std::vector<std::string> math_mode_names();
// Throws Error.
libsgemm_math_mode_t parse_math_mode(const std::string &name);
std::string math_mode_name(libsgemm_math_mode_t mode);
// Tells whether a kernel of mode `ran` may serve mode `asked`: FP64 accumulators serve fp32, and both serve fp32_fast.
bool serves(const std::string &ran, const std::string &asked);

// Errors beyond those of FP32 with FP32 accumulators, whose usual bound is 2 sqrt(k + 2) 2^-24 |A B|.
struct Precision {
  double rounding = 0;            // relative error of an input
  double smallest = 0;            // absolute error of an input: half a subnormal step
  double of_row = 0;              // error of an input, relative to the largest of its row or column
  double dropped = 0;             // relative error of a product
  bool truncates = false;         // tensor cores truncate sums after every 16 of k
  double overflows_from = 1e300;  // larger inputs become infinite
};

Precision precision_of(const std::string &math_mode);

// Bound on |error| / |A B|, without `smallest` and `of_row`.
double error_factor(const Precision &precision, int64_t k);

}  // namespace command
