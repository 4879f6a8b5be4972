// The passes of a checksum over the matrices of a product (checksum.h), and the places of their sums.
#pragma once

#include "contract/backend.h"
#include "contract/host_device.h"

namespace libsgemm::gpu {

constexpr int kSumThreads = 256;
constexpr int kSumWarps = kSumThreads / 32, kSumRowsOfWarp = kChecksumRows / kSumWarps;
// Kinds of sums: of values, of weighted magnitudes and of magnitudes; or of values, of squares, and a count of what
// does not belong there: 1 for each element that is not finite and has a weight, kHidden for one that is finite and has
// none.
constexpr int kSumKinds = 3;
constexpr double kHidden = 0x1p40;

// One pass over a matrix: element (i, j) is data[i * row_step + j * col_step].
struct SumWork {
  const void *data;
  int64_t row_step, col_step, rows, columns;
  BlockChoice row_blocks, column_blocks;
  int64_t parts, blocks_of_part;  // parts of the columns, and blocks of columns in each
  const double *weights, *norms;  // norms NULL: squares are added up instead of weighted magnitudes
  double hidden;                  // kHidden, or 0 if finite elements without a weight are correct
  double *signs, *found;  // NULL, or weights, cleared for columns that are not finite, and a flag, then set to 1
  const double *only_if;  // NULL, or a flag: the pass runs only if it is not 0
  double *sums;           // [kind][part][row among those chosen]
  libsgemm_math_mode_t mode;

  LIBSGEMM_HOST_DEVICE int64_t slots() const { return row_blocks.chosen * kChecksumRows; }
};

// Input of the kernel that judges the sums.
struct JudgeWork {
  SumWork a, b, c;         // with their sums; those of c are from after the product
  Type type;               // type of A and B
  const double *late;      // not 0: columns that were summed before the product have lost their weights since
  const double *c_before;  // NULL: C was not read
  double *results;
  double alpha, beta, factor;
  ChecksumCut cut;
  int64_t k, columns;  // `columns`: number of chosen columns
};

// Plan of a checksum. Pointers to the workspace are NULL if the workspace is.
struct ChecksumPlan {
  SumWork a, b, c;
  double *signs;            // signs of the columns
  double *found;            // two flags: columns are not finite; if C is read, others are not once rounded
  double *weights, *norms;  // those of `a`, which come from the sums of `b`
  double *c_before;         // the sums of C before the product
  size_t doubles;           // size of the workspace
};

ChecksumPlan plan_checksum(const GemmDesc &desc, const Checksum &what, int device, double *workspace);

JudgeWork plan_judge(const GemmDesc &desc, const Checksum &what, const ChecksumPlan &plan, double *workspace);

}  // namespace libsgemm::gpu
