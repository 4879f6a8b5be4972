// Operands whose products show what an arithmetic loses, and some of their elements in FP64.
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
// Their names, and "all".
std::vector<std::string> distribution_names();
// Those named, each once; the first four where none is.
std::vector<Distribution> choose_distributions(const std::vector<std::string> &names);

// Statistics of |error| / (|A||B|) over some elements of a result.
struct Errors {
  int64_t elements = 0;
  double left = 0;            // mean of |exact| / (|A||B|): what cancellation leaves
  int64_t not_finite = 0;     // not in those below
  double worst = 0, rms = 0;  // in units of 2^-24
  double over_bound = 0;      // worst |error| / bound; infinite for a value that is not finite where it should be, or
                              // finite where it should not
};

// Of an SGEMM with alpha 1 and beta 0. The FP64 sums are off by k 2^-53 at most.
class Operands {
 public:
  // As call.m, n, k, lda, ldb, ldc and the transposes say.
  Operands(const Distribution &distribution, const Call &call);

  const std::vector<float> &a() const { return a_; }
  const std::vector<float> &b() const { return b_; }

  // `c` as the product has left it.
  Errors errors(const std::vector<float> &c, const Precision &precision) const;

 private:
  // A row of op(A) or a column of op(B).
  struct Line {
    int64_t index;
    std::vector<double> values;
    double sum = 0, largest = 0;  // of the absolute values
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
