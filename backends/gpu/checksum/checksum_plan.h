#pragma once

#include "contract/backend.h"
#include "contract/host_device.h"

namespace libsgemm::gpu {

constexpr int kSumThreads = 256;
constexpr int kSumWarps = kSumThreads / 32, kSumRowsOfWarp = kChecksumRows / kSumWarps;
// Sums of values, weighted magnitudes and magnitudes; or of values, squares, and errors: 1 for each element that is not
// finite and has a weight, kHidden for a finite one without.
constexpr int kSumKinds = 3;
constexpr double kHidden = 0x1p40;

// Element (i, j) is data[i * row_step + j * col_step].
struct SumWork {
  const void *data;
  int64_t row_step, col_step, rows, columns;
  BlockChoice row_blocks, column_blocks;
  int64_t parts, blocks_of_part;  // parts of the columns; blocks of columns in each
  const double *weights, *norms;  // norms NULL: squares instead of weighted magnitudes
  double hidden;                  // kHidden; 0 if finite elements without a weight are correct
  double *signs, *found;          // NULL, or weights, cleared for columns that are not finite, and a flag that says so
  const double *only_if;          // runs only if not 0; NULL: always
  double *sums;                   // [kind][part][chosen row]
  libsgemm_math_mode_t mode;

  LIBSGEMM_HOST_DEVICE int64_t slots() const { return row_blocks.chosen * kChecksumRows; }
};

struct JudgeWork {
  SumWork a, b, c;  // c: after the product
  Type type;
  const double *late;      // not 0: columns that were summed before the product lost their weights later
  const double *c_before;  // NULL: not read
  double *results;
  double alpha, beta, factor;
  ChecksumCut cut;
  int64_t k, columns;  // chosen columns
};

// Pointers are NULL without a workspace.
struct ChecksumPlan {
  SumWork a, b, c;
  double *signs;
  double *found;  // flags: columns are not finite; others are not once rounded (if C is read)
  double *weights, *norms;
  double *c_before;
  size_t doubles;
};

ChecksumPlan plan_checksum(const GemmDesc &desc, const Checksum &what, int device, double *workspace);

JudgeWork plan_judge(const GemmDesc &desc, const Checksum &what, const ChecksumPlan &plan, double *workspace);

}  // namespace libsgemm::gpu
