// Copies matrices of 16-bit elements, so that all lines (columns as stored, or pieces of them) start at multiples of 16
// bytes. One launch copies both operands, A's blocks first. It is memory-bound.
//
// A thread writes four vectors of 8 elements, 256 vectors apart. For each it reads the two aligned vectors that contain
// its elements, and shifts them; the second one comes from L1. A line's last vector is filled with the elements after
// the line. Vectors at the ends of a matrix are read by elements, so that nothing outside is read.
#pragma once

#include "gpu/divisor.h"
#include "gpu/gpu.h"
#include "ptx.h"

namespace libsgemm::cuda {

using namespace gpu;

constexpr int kCopyThreads = 256;
constexpr int kCopyVectors = 4;  // vectors of a thread
constexpr int kVectorBytes = 16, kVectorElements = 8;

struct CopiedOperand {
  const char *source;
  char *target;          // a multiple of 16 bytes
  int64_t source_pitch;  // bytes between lines
  int64_t source_stride;
  int64_t readable;  // number of byte offsets in a product at which two whole vectors can be read
  int pitch;         // vectors between lines of the target
  int length;        // elements of a line
  int vectors;       // vectors of all lines; a line's last one may be short
  Divisor line_vectors;
  Divisor product_lines;
  unsigned blocks;  // 0 without a copy
};

struct CopyProblem {
  CopiedOperand a, b;
};

// Returns the 8 elements from byte `skipped` (even, 0 to 14) of two vectors.
__device__ __forceinline__ uint4 elements_from(unsigned skipped, const uint4 &first, const uint4 &second) {
  uint32_t w[kVectorElements] = {first.x, first.y, first.z, first.w, second.x, second.y, second.z, second.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) w[i] = (skipped & 8) != 0 ? w[i + 2] : w[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) w[i] = (skipped & 4) != 0 ? w[i + 1] : w[i];
  const unsigned bits = (skipped & 2) * 8;
  return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
                    __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

struct CopiedVector {
  const char *from;
  int to;            // place in the target, in vectors
  int elements;      // number to the end of the line
  unsigned skipped;  // bytes of the first vector before the elements
  bool inside;       // both vectors are in the matrix

  __device__ __forceinline__ CopiedVector(const CopiedOperand &o, int vector) {
    const int line = o.line_vectors.quotient(vector), at = vector - line * o.line_vectors.value;
    const int product = o.product_lines.quotient(line), product_line = line - product * o.product_lines.value;
    const int64_t offset = wide(product_line) * o.source_pitch + wide(at) * kVectorBytes;
    from = o.source + wide(product) * o.source_stride + offset;
    to = line * o.pitch + at;
    elements = o.length - at * kVectorElements;
    skipped = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from)) % kVectorBytes;
    // An offset before the matrix becomes a large unsigned number.
    inside = static_cast<uint64_t>(offset - skipped) < static_cast<uint64_t>(o.readable);
  }

 private:
  // For x >= 0: zero extension halves the instructions of a multiplication.
  __device__ __forceinline__ static int64_t wide(int x) { return static_cast<uint32_t>(x); }
};

__device__ __forceinline__ void store_vector(const CopiedOperand &o, int at, const uint4 &vector) {
  store_as(global(o.target) + int64_t{at} * kVectorBytes, vector);
}

__device__ __forceinline__ void copy_by_elements(const CopiedOperand &o, int vector) {
  const CopiedVector x(o, vector);
  uint32_t w[kVectorElements / 2] = {};
#pragma unroll
  for (int e = 0; e < kVectorElements; ++e) {
    if (e < x.elements) w[e / 2] |= uint32_t{load_as<uint16_t>(global(x.from) + 2 * e)} << e % 2 * 16;
  }
  store_vector(o, x.to, make_uint4(w[0], w[1], w[2], w[3]));
}

__device__ __forceinline__ void copy_lines(const CopiedOperand &o, unsigned block) {
  const int begin = static_cast<int>(block * (kCopyThreads * kCopyVectors) + threadIdx.x);
  uint4 first[kCopyVectors], second[kCopyVectors];
  int to[kCopyVectors];  // -1: no vector, or one that is copied by elements
  unsigned skipped[kCopyVectors];
  unsigned by_elements = 0;  // bit i: vector i
#pragma unroll
  for (int i = 0; i < kCopyVectors; ++i) {
    const int vector = begin + i * kCopyThreads;
    to[i] = -1;
    if (vector >= o.vectors) continue;
    const CopiedVector x(o, vector);
    if (x.inside) {
      const char *aligned = global(x.from - x.skipped);
      first[i] = load_as<uint4>(aligned), second[i] = load_as<uint4>(aligned + kVectorBytes);
      to[i] = x.to, skipped[i] = x.skipped;
    } else {
      by_elements |= 1u << i;
    }
  }
#pragma unroll
  for (int i = 0; i < kCopyVectors; ++i) {
    if (to[i] >= 0) store_vector(o, to[i], elements_from(skipped[i], first[i], second[i]));
  }
#pragma unroll 1
  for (int vector = begin; by_elements != 0; vector += kCopyThreads, by_elements >>= 1) {
    if ((by_elements & 1) != 0) copy_by_elements(o, vector);
  }
}

// Branches instead of indexing, so that fields are read as kernel parameters.
__device__ __forceinline__ void copy_operands(const CopyProblem &p) {
  if (blockIdx.x < p.a.blocks) {
    copy_lines(p.a, blockIdx.x);
  } else {
    copy_lines(p.b, blockIdx.x - p.a.blocks);
  }
}

}  // namespace libsgemm::cuda
