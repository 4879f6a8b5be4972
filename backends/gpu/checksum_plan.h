// The passes of a checksum over the matrices of a product (checksum.h), and where their sums lie.
#pragma once

#include "backend.h"
#include "host_device.h"

namespace libsgemm::gpu {

constexpr int kSumThreads = 256;
constexpr int kSumWarps = kSumThreads / 32, kSumRowsOfWarp = kChecksumRows / kSumWarps;
constexpr int kSumKinds = 3;  // of values, of sizes, of magnitudes

// One pass over a matrix: element (i, j) is data[i * row_step + j * col_step].
struct SumWork {
  const void *data;
  int64_t row_step, col_step, rows, columns;
  BlockChoice row_blocks, column_blocks;
  int64_t parts, blocks_of_part;  // of the columns
  const double *weights, *norms;  // NULL: signs by the seed, and squares are added up instead of weighted magnitudes
  uint64_t seed;
  double *sums;  // [kind][part][row among those chosen]
  libsgemm_math_mode_t mode;

  LIBSGEMM_HOST_DEVICE int64_t slots() const { return row_blocks.chosen * kChecksumRows; }
  LIBSGEMM_HOST_DEVICE int kinds() const { return weights != nullptr ? kSumKinds : kSumKinds - 1; }
};

// What the sums are judged by.
struct JudgeWork {
  SumWork a, c;            // their sums; of c those behind the product
  const double *c_before;  // NULL: C was not read
  double *results;
  double alpha, beta, factor;
  ChecksumCut cut;
  int64_t k, columns;  // `columns` chosen, of which sums are made
};

// Where pointers are to the workspace: NULL if that is.
struct ChecksumPlan {
  SumWork a, b, c;
  double *weights, *norms;  // those of `a`, which come from the sums of `b`
  double *c_before;         // the sums of C before the product
  size_t doubles;           // of the workspace
};

ChecksumPlan plan_checksum(const GemmDesc &desc, const Checksum &what, int device, double *workspace);

JudgeWork plan_judge(const GemmDesc &desc, const Checksum &what, const ChecksumPlan &plan, double *workspace);

}  // namespace libsgemm::gpu
