// Products that are hard for arithmetics of less range or precision than FP32.
#pragma once

#include "support/oracle.h"

namespace sgemm_test {

enum class Hard {
  kNormal,       // not hard
  kScaledRows,   // rows of op(A) and columns of op(B) times factors from e^-30 to e^30
  kScaledDepth,  // columns of op(A) times such factors, rows of op(B) divided by them
  kOutliers,     // one element in fifty times 1e6
  kCauchy,
  kDenormal,     // op(A) denormal, op(B) large
  kHugeElement,  // one element of op(A) is 1e30
  kZeros,        // rows of op(A), columns of op(B), and half of the other elements
  kTiny,         // one element of each row of op(A) and column of op(B) times 2^-40
  kFewSmall,     // of each 64 elements: 8 that two fp16 splits represent worst, 8 largest, 48 of 2^-13
  kOneWideRow,   // last row of op(A): smallest number and a large one, alternately
  kSpecial,      // a NaN in op(A), an Inf in op(B)
  kOverflow      // one element of C is beyond FP32's range
};
constexpr Hard kHard[] = {Hard::kNormal,     Hard::kScaledRows,  Hard::kScaledDepth, Hard::kOutliers, Hard::kCauchy,
                          Hard::kDenormal,   Hard::kHugeElement, Hard::kZeros,       Hard::kTiny,     Hard::kFewSmall,
                          Hard::kOneWideRow, Hard::kSpecial,     Hard::kOverflow};

const char *name_of(Hard hard);

Problem hard_problem(Hard hard, const Case &test);

}  // namespace sgemm_test
