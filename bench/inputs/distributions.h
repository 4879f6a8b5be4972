// Operands whose products show the errors of an arithmetic, and some of their elements in FP64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "precision.h"
#include "routines.h"

namespace command {

struct Distribution {
  enum class Kind {
    kNormal,
    kPositive,
    kWide,
    kCancellation,
    kRows,
    kDepth,
    kOutliers,
    kCauchy,
    kDenormal,
    kHuge,
    kZeros,
    kTiny
  };
  Kind kind;
  const char *name, *text;
};

const std::vector<Distribution> &distributions();
// Returns the names of the distributions, and "all".
std::vector<std::string> distribution_names();
// Returns the named distributions, each once; the first four if there are no names.
std::vector<Distribution> choose_distributions(const std::vector<std::string> &names);

// Statistics of |error| / (|A||B|) over some elements of a result.
struct Errors {
  int64_t elements = 0;
  double left = 0;            // mean of |exact| / (|A||B|): what cancellation leaves
  int64_t not_finite = 0;     // not counted in the fields below
  double worst = 0, rms = 0;  // in units of 2^-24
  double over_bound = 0;      // worst |error| / bound; infinite if a value is not finite and should be, or the reverse
};

// Operands of an SGEMM with alpha 1 and beta 0, and elements of their product. The error of the FP64 sums is at most k
// 2^-53.
class Operands {
 public:
  // Makes operands of the sizes, leading dimensions and transposes of `call`.
  Operands(const Distribution &distribution, const Call &call);

  const std::vector<float> &a() const { return a_; }
  const std::vector<float> &b() const { return b_; }

  // Returns the errors in `c`, the result of the product.
  Errors errors(const std::vector<float> &c, const Precision &precision) const;

 private:
  // A row of op(A) or a column of op(B).
  struct Line {
    int64_t index;
    std::vector<double> values;
    double sum = 0, largest = 0;  // sum and maximum of the absolute values
  };
  struct Element {
    double value, magnitude;
  };

  void compute();

  Call call_;
  std::vector<float> a_, b_;
  std::vector<Line> rows_, columns_;
  std::vector<Element> elements_;  // row by row
};

}  // namespace command
