// Math modes by name, and the error bound of each.
#pragma once

#include <libsgemm.h>

#include <cstdint>
#include <string>
#include <vector>

namespace command {

// "fp32", "bf16x6", ... as LIBSGEMM_MATH_MODE takes them.
std::vector<std::string> math_mode_names();
// Throws Error, listing the names of the modes.
libsgemm_math_mode_t parse_math_mode(const std::string &name);
std::string math_mode_name(libsgemm_math_mode_t mode);
// True if a kernel of the mode `ran` may serve a call in the mode `asked`: the library uses FP64 accumulators for fp32
// where they are faster, and either for fp32_fast.
bool serves(const std::string &ran, const std::string &asked);

// Errors of an arithmetic beyond those of FP32 with FP32 accumulators, whose usual bound is 2 sqrt(k + 2) 2^-24 |A
// B|.
struct Precision {
  double rounding = 0;            // error of an input, relative to it
  double smallest = 0;            // absolute error of an input: half a step of its subnormal numbers
  double of_row = 0;              // error of an input, relative to the largest of its row of op(A) or column of op(B)
  double dropped = 0;             // error of a product, relative to it
  bool truncates = false;         // tensor cores accumulate, and truncate after every 16 of k
  double overflows_from = 1e300;  // inputs of at least this size become infinite
};

// Precision of SGEMM in a math mode.
Precision precision_of(const std::string &math_mode);

// Bound on |error| / (|A
// B|), without the terms of `smallest` and `of_row`.
double error_factor(const Precision &precision, int64_t k);

}  // namespace command
