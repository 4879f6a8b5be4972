// Groups of products of different sizes, C = alpha op(A) op(B) + beta C each, in one launch on the FP64 tensor cores of
// an H100 or H200: FP32's inputs and output, every element rounded once. For groups of few rows or columns, of which
// larger tiles would be mostly empty.
//
// The tiles, the loop and shared memory are those of sm90_dmma_32x32x64_multistage.cu; the rest is as in
// sm90_dmma_64x64x32_grouped.cu, and so is what it requires.
//
// Not measured by itself; its figures are those of sm90_dmma_32x32x64_multistage.
#include "dmma_grouped.cuh"
#include "dmma_grouped_row.h"

namespace libsgemm::cuda {
namespace {

struct Config : DmmaShape<32, 32, 64, 16, 16> {
  static constexpr int stages = 3;
  static constexpr int blocks = 3;  // resident on a multiprocessor
  static constexpr Fitted fitted = Fitted::sm90_dmma_32x32x64_multistage;
  static constexpr double elements = 0.8;  // of the speed, where operands are copied by elements
  static constexpr double by_floats = 6;   // steps of k that it costs to store C by single floats
};

}  // namespace

LIBSGEMM_DMMA_GROUPED_ROW(sm90_dmma_32x32x64_grouped)

}  // namespace libsgemm::cuda
