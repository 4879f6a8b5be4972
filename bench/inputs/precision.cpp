#include "precision.h"

#include <fmt/format.h>

#include <cmath>

#include "base/command.h"

namespace command {
namespace {

struct MathMode {
  libsgemm_math_mode_t mode;
  const char *name;
  Precision precision;
};

// Most accurate first.
const MathMode kMathModes[] = {
    {LIBSGEMM_MATH_FP64, "fp64", {}},
    {LIBSGEMM_MATH_FP32, "fp32", {}},
    {LIBSGEMM_MATH_FP32_FAST, "fp32_fast", {}},
    // Dropped: products of splits of at most 2^-24 of the whole.
    {LIBSGEMM_MATH_BF16X6, "bf16x6", {0, 0, 0, 0x1p-22, false, 1e300}},
    // Dropped: the product of the low splits, and each input's last bit. `of_row`: elements below the scaled range.
    {LIBSGEMM_MATH_FP16X3, "fp16x3", {0, 0, 0x1p-39, 0x1p-21, false, 1e300}},
    {LIBSGEMM_MATH_TF32, "tf32", {0x1p-11, 0, 0, 0, true, 1e300}},
    {LIBSGEMM_MATH_FP16, "fp16", {0x1p-11, 0x1p-25, 0, 0, true, 65520}},
    {LIBSGEMM_MATH_BF16, "bf16", {0x1p-8, 0, 0, 0, true, 1e300}},
};

}  // namespace

std::vector<std::string> math_mode_names() {
  std::vector<std::string> names;
  for (const MathMode &row : kMathModes) names.push_back(row.name);
  return names;
}

libsgemm_math_mode_t parse_math_mode(const std::string &name) {
  for (const MathMode &row : kMathModes) {
    if (name == row.name) return row.mode;
  }
  throw Error(fmt::format("--math {}: there is no such mode; there are {}", name, fmt::join(math_mode_names(), ", ")));
}

std::string math_mode_name(libsgemm_math_mode_t mode) {
  for (const MathMode &row : kMathModes) {
    if (mode == row.mode) return row.name;
  }
  return {};
}

bool serves(const std::string &ran, const std::string &asked) {
  if (asked == "fp32_fast") return ran == asked || ran == "fp32" || ran == "fp64";
  return ran == asked || (ran == "fp64" && asked == "fp32");
}

Precision precision_of(const std::string &math_mode) {
  for (const MathMode &row : kMathModes) {
    if (math_mode == row.name) return row.precision;
  }
  return {};
}

double error_factor(const Precision &precision, int64_t k) {
  const double inner = static_cast<double>(k);
  // Both inputs are rounded; the excess over 2 is for their product.
  const double inputs = 2.01 * precision.rounding;
  const double truncation = precision.truncates ? (inner / 16 + 1) * 0x1p-23 : 0;
  return 2 * std::sqrt(inner + 2) * 0x1p-24 + inputs + precision.dropped + truncation;
}

}  // namespace command
