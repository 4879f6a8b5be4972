// Products that are hard for an arithmetic with a smaller range or precision than FP32.
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
  kFewSmall,     // in 64 elements 8 that two fp16 parts represent worst, 8 of the largest, and 48 of 2^-13
  kOneWideRow,   // last row of op(A): alternately the smallest number and a large one
  kSpecial,      // a NaN in op(A), an Inf in op(B)
  kOverflow      // products beyond FP32 in one row and column
};
constexpr Hard kHard[] = {Hard::kNormal,     Hard::kScaledRows,  Hard::kScaledDepth, Hard::kOutliers, Hard::kCauchy,
                          Hard::kDenormal,   Hard::kHugeElement, Hard::kZeros,       Hard::kTiny,     Hard::kFewSmall,
                          Hard::kOneWideRow, Hard::kSpecial,     Hard::kOverflow};

const char *name_of(Hard hard);

// Draws a product of the case's shape, with its answer.
Problem hard_problem(Hard hard, const Case &test);

}  // namespace sgemm_test
