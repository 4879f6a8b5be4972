// Products that are hard for an arithmetic which does not take all of FP32's numbers.
#pragma once

#include "support/oracle.h"

namespace sgemm_test {

enum class Hard {
  kNormal,       // standard normal: not hard
  kScaledRows,   // rows of op(A) and columns of op(B) times e^-30 to e^30
  kScaledDepth,  // columns of op(A) times e^-30 to e^30, rows of op(B) divided by it
  kOutliers,     // one element in fifty times 1e6
  kCauchy,
  kDenormal,     // op(A)
  kHugeElement,  // one in op(A), of 1e30
  kZeros,        // rows of op(A), columns of op(B), and half of the others
  kTiny,         // normal, but one element of each row of op(A) and column of op(B) times 2^-40
  kFewSmall,     // eight of 64 elements as two fp16 parts hold them least, beside the largest; others 2^-13 of these
  kOneWideRow,   // the last one of op(A): the smallest numbers beside the largest
  kSpecial,      // a NaN in op(A), an Inf in op(B)
  kOverflow      // products beyond FP32 in one row and column
};
constexpr Hard kHard[] = {Hard::kNormal,     Hard::kScaledRows,  Hard::kScaledDepth, Hard::kOutliers, Hard::kCauchy,
                          Hard::kDenormal,   Hard::kHugeElement, Hard::kZeros,       Hard::kTiny,     Hard::kFewSmall,
                          Hard::kOneWideRow, Hard::kSpecial,     Hard::kOverflow};

const char *name_of(Hard hard);

// A product of that shape, and its answer.
Problem hard_problem(Hard hard, const Case &test);

}  // namespace sgemm_test
