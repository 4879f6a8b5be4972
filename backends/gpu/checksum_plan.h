// The passes of a checksum over the matrices of a product (checksum.h), and where their sums lie.
#pragma once

#include "contract/backend.h"
#include "contract/host_device.h"

namespace libsgemm::gpu {

constexpr int kSumThreads = 256;
constexpr int kSumWarps = kSumThreads / 32, kSumRowsOfWarp = kChecksumRows / kSumWarps;
// Sums of values, of weighted magnitudes and of magnitudes; or of values, of squares, and of what does not belong
// there: 1 for each element that is not finite and has a weight, kHidden for one that is finite and has none.
constexpr int kSumKinds = 3;
constexpr double kHidden = 0x1p40;

// One pass over a matrix: element (i, j) is data[i * row_step + j * col_step].
struct SumWork {
  const void *data;
  int64_t row_step, col_step, rows, columns;
  BlockChoice row_blocks, column_blocks;
  int64_t parts, blocks_of_part;  // of the columns
  const double *weights, *norms;  // norms NULL: squares are added up instead of weighted magnitudes
  double hidden;                  // kHidden, or 0 where finite elements without a weight are right
  double *signs, *found;  // NULL, or where the weight of a column that is not finite becomes 0, and what then is 1
  const double *only_if;  // NULL, or the pass is made only if this is not 0
  double *sums;           // [kind][part][row among those chosen]
  libsgemm_math_mode_t mode;

  LIBSGEMM_HOST_DEVICE int64_t slots() const { return row_blocks.chosen * kChecksumRows; }
};

// What the sums are judged by.
struct JudgeWork {
  SumWork a, b, c;         // their sums; of c those behind the product
  Type type;               // of A and B
  const double *late;      // not 0: columns have lost their weights that were summed before the product
  const double *c_before;  // NULL: C was not read
  double *results;
  double alpha, beta, factor;
  ChecksumCut cut;
  int64_t k, columns;  // `columns` chosen, of which sums are made
};

// Where pointers are to the workspace: NULL if that is.
struct ChecksumPlan {
  SumWork a, b, c;
  double *signs;            // of the columns
  double *found;            // whether columns are not finite, and, if C is read, whether others are once rounded
  double *weights, *norms;  // those of `a`, which come from the sums of `b`
  double *c_before;         // the sums of C before the product
  size_t doubles;           // of the workspace
};

ChecksumPlan plan_checksum(const GemmDesc &desc, const Checksum &what, int device, double *workspace);

JudgeWork plan_judge(const GemmDesc &desc, const Checksum &what, const ChecksumPlan &plan, double *workspace);

}  // namespace libsgemm::gpu
