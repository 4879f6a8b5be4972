// Operands whose products show the errors of an arithmetic, and FP64 values of some elements.
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
std::vector<std::string> distribution_names();
// Returns the named ones, each once; by default the first four.
std::vector<Distribution> choose_distributions(const std::vector<std::string> &names);

// |error| / (|A||B|) of some elements of a result.
struct Errors {
  int64_t elements = 0;
  double left = 0;            // mean |exact| / (|A||B|): what cancellation leaves
  int64_t not_finite = 0;     // elements that `worst` and `rms` exclude
  double worst = 0, rms = 0;  // in units of 2^-24
  double over_bound = 0;      // worst |error| / bound; infinite if finiteness is wrong
};

// Operands of an SGEMM with alpha = 1, beta = 0. The FP64 sums are off by at most k 2^-53.
class Operands {
 public:
  Operands(const Distribution &distribution, const Call &call);

  const std::vector<float> &a() const { return a_; }
  const std::vector<float> &b() const { return b_; }

  Errors errors(const std::vector<float> &c, const Precision &precision) const;

 private:
  // A row of op(A) or a column of op(B).
  struct Line {
    int64_t index;
    std::vector<double> values;
    double sum = 0, largest = 0;  // absolute values
  };
  struct Element {
    double value, magnitude;
  };

  void compute();

  Call call_;
  std::vector<float> a_, b_;
  std::vector<Line> rows_, columns_;
  std::vector<Element> elements_;
};

}  // namespace command
