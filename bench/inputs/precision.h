// Math modes by name, and how far a result may be off in each.
#pragma once

#include <libsgemm.h>

#include <cstdint>
#include <string>
#include <vector>

namespace command {

// "fp32", "bf16x6", ... as LIBSGEMM_MATH_MODE takes them.
std::vector<std::string> math_mode_names();
// Throws Error, listing the names there are.
libsgemm_math_mode_t parse_math_mode(const std::string &name);
std::string math_mode_name(libsgemm_math_mode_t mode);
// Whether a row of the mode `ran` is a right answer to who asked for `asked`: the library takes sums in FP64 for FP32
// where they are faster, and either for fp32_fast.
bool serves(const std::string &ran, const std::string &asked);

// What an arithmetic loses beyond FP32 with FP32 sums, whose usual bound is 2 sqrt(k + 2) 2^-24 |A||B|.
struct Precision {
  double rounding = 0;            // of an input, relative to it
  double smallest = 0;            // of an input, absolute: half a step of its subnormal numbers
  double of_row = 0;              // of an input, relative to the largest of its row of op(A) or column of op(B)
  double dropped = 0;             // of a product, relative to it
  bool truncates = false;         // tensor cores sum, and truncate at each step of 16 of k
  double overflows_from = 1e300;  // inputs from here on become infinite
};

// Of SGEMM in a math mode.
Precision precision_of(const std::string &math_mode);

// Bound on |error| / (|A||B|), but for `smallest` and `of_row`.
double error_factor(const Precision &precision, int64_t k);

}  // namespace command
