// Split operands: what the passes (splits.cuh) write into the workspace and the products read. Host and device; no
// engine that multiplies is known here.
//
// An operand of `outer` x k elements becomes `splits` matrices of 16-bit numbers (or its own 32-bit ones), all along k:
//
//   split p, row o, step l of k:  base + p * split_bytes + (o * ld + l) * size of a number
//
// with `outer` rounded up to kOuterPad rows and k to kDepthPad steps, zeros there: products read whole tiles, aligned
// to 128 bytes, and test nothing.
//
//   scheme   splits   x is                                               products, in this order
//   bf16x3   3        2^-s (x0 + x1 + x2), exact up to 2^-148 of the     x2 y0, x1 y1, x0 y2, x1 y0, x0 y1, x0 y0
//                     row's largest magnitude
//   fp16x2   2        2^-s (x0 + 2^-11 x1), up to 2^-24 |x| and 2^-51    x1 y0, x0 y1, times 2^-11; x0 y0
//                     of the row's largest magnitude
//   bf16     1        x to nearest even                                  x0 y0
//   fp16     1        x to nearest even; Inf from 65520 on               x0 y0
//   tf32     1        x to nearest, ties away from zero                  x0 y0
//   copy     1        x, of 16 bits                                      x0 y0
//
// s is the row's own: its largest magnitude becomes 2^14 to 2^15. It follows from `most`, the bits of that magnitude,
// which the survey writes: those of NaN and Inf are above all others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/batch.h"

namespace libsgemm::cuda {

enum class Scheme { bf16x3, fp16x2, bf16, fp16, tf32, copy };

constexpr float kLowScale = 0x1p-11f;  // of fp16x2's second split: without it rows of wide range lose bits
constexpr int kOuterPad = 128, kDepthPad = 64;

template <Scheme kScheme>
constexpr int kSplits = kScheme == Scheme::bf16x3   ? 3
                        : kScheme == Scheme::fp16x2 ? 2
                                                    : 1;
template <Scheme kScheme>
constexpr bool kScaledRows = kScheme == Scheme::bf16x3 || kScheme == Scheme::fp16x2;

// One split operand. Of product i of a batch, each thing is i times its product_... stride further on.
struct Splits {
  char *base;
  int64_t rows, ld;     // elements; ld: steps of k
  int64_t split_bytes;  // from one split to the next
  int64_t product_bytes;
  uint32_t *most;  // of each row, then of each kOuterPad rows; null unless rows are scaled
  int64_t product_most;
};

// ---- Scaling and special values, of schemes with scaled rows

// Tiles whose terms may leave FP32's range, or that hold NaN or Inf, are computed by FFMA: partial sums must overflow
// just where FP32's do. `most_a`, `most_b`: bits of the largest magnitudes of the tile's rows of A and columns of B.
// 2^(ea + 1) 2^(eb + 1) k bounds every partial sum.
LIBSGEMM_HOST_DEVICE inline bool needs_ffma(uint32_t most_a, uint32_t most_b, int log2_k) {
  const int ea = static_cast<int>(most_a >> 23) - 127, eb = static_cast<int>(most_b >> 23) - 127;
  return ea == 128 || eb == 128 || ea + eb + 2 + log2_k > 127;
}

// Which tiles of kOuterPad x kOuterPad these are.
struct Guard {
  const uint32_t *a, *b;  // of each kOuterPad rows of A, columns of B
  int64_t product_most;
  int log2_k;  // of the whole product, rounded up

  LIBSGEMM_HOST_DEVICE bool operator()(int64_t product, int i, int j) const {
    return needs_ffma(a[product * product_most + i], b[product * product_most + j], log2_k);
  }
};

// ---- Passes

struct PassOperand {
  const char *source;  // of the first product, at the first step of this panel of k
  int64_t product_bytes, ld;
  int64_t outer, k;        // k: of this panel
  bool along_k;            // consecutive elements are steps of k
  bool vectors;            // rows along k start at multiples of 4 elements
  unsigned survey, split;  // blocks of either pass; 0: the operand is not to be written
  Splits splits;
};

struct PassProblem {
  PassOperand a, b;
};

constexpr int kPassThreads = 256;
constexpr int kSplitTile = 64;                        // outer x k of a block
constexpr int kSurveyRows = 8, kSurveyDepth = 1024;   // of a block, along k
constexpr int kSurveyOuter = 256, kSurveySteps = 64;  // of a block, along the outer side

// The passes of the schemes with scaled rows (splits_write.cu) and the product of tiles that need FFMA, from
// the operands themselves (splits_repair.cu).
libsgemm_status_t launch_survey(const PassProblem &p, int64_t products, const Launch &launch, Error *error);
libsgemm_status_t launch_split(Scheme scheme, const PassProblem &p, int64_t products, const Launch &launch,
                               Error *error);
// The pass of scheme tf32, which several rows share.
void (*tf32_pass())(PassProblem);
libsgemm_status_t launch_repair(const GemmDesc &desc, const Guard &guard, const Launch &launch, Error *error);

}  // namespace libsgemm::cuda
