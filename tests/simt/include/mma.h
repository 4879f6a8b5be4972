// nvcuda::wmma for the CPU.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "contract/half.h"
#include "simt/fibers/matrix_instructions.h"

struct __half {
  uint16_t bits;
};
struct __nv_bfloat16 {
  uint16_t bits;
};

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

// The type's element in memory, and its instruction.
template <typename Type>
struct Operand {
  using Element = Type;
  static constexpr int k = 16;
  static const simt::MatrixOp &op() { return std::is_same_v<Type, __half> ? simt::wmma_f16 : simt::wmma_bf16; }
};
template <>
struct Operand<precision::tf32> {
  using Element = float;
  static constexpr int k = 8;
  static const simt::MatrixOp &op() { return simt::wmma_tf32; }
};

template <typename Use, int M, int N, int K, typename Type, typename Layout = void>
struct fragment {
  static_assert(M == 16 && N == 16 && K == Operand<Type>::k, "the shapes that the backend uses");
  static constexpr int num_elements = K / 2;
  typename Operand<Type>::Element x[num_elements];
};
template <int M, int N, int K>
struct fragment<accumulator, M, N, K, float, void> {
  static constexpr int num_elements = M * N / 32;
  float x[num_elements];
};

inline void check_matrix(const void *matrix, size_t ld_bytes) {
  if (reinterpret_cast<uintptr_t>(matrix) % 32 != 0) simt::fail("names a matrix that is not aligned to 32 bytes");
  if (ld_bytes % 16 != 0) simt::fail("names a matrix whose columns are not multiples of 16 bytes apart");
}
inline size_t offset(simt::MatrixPlace place, unsigned ld, bool row_major) {
  const auto row = static_cast<size_t>(place.row), column = static_cast<size_t>(place.column);
  return row_major ? row * ld + column : row + column * ld;
}

template <typename Use, int M, int N, int K, typename Type, typename Layout>
void load_matrix_sync(fragment<Use, M, N, K, Type, Layout> &f, const typename Operand<Type>::Element *matrix,
                      unsigned ld) {
  check_matrix(matrix, ld * sizeof *matrix);
  const simt::MatrixOp &op = Operand<Type>::op();
  const int lane = static_cast<int>(simt::lane());
  for (int e = 0; e < f.num_elements; ++e) {
    const int k = op.k_of(lane, e);
    const auto place =
        std::is_same_v<Use, matrix_a> ? simt::MatrixPlace{lane % op.m, k} : simt::MatrixPlace{k, lane % op.n};
    f.x[e] = matrix[offset(place, ld, std::is_same_v<Layout, row_major>)];
  }
}

template <int M, int N, int K>
void fill_fragment(fragment<accumulator, M, N, K, float> &f, float value) {
  for (float &x : f.x) x = value;
}

template <int M, int N, int K, typename Type, typename LayoutA, typename LayoutB>
void mma_sync(fragment<accumulator, M, N, K, float> &d, const fragment<matrix_a, M, N, K, Type, LayoutA> &a,
              const fragment<matrix_b, M, N, K, Type, LayoutB> &b, const fragment<accumulator, M, N, K, float> &c) {
  float sums[fragment<accumulator, M, N, K, float>::num_elements];
  std::memcpy(sums, c.x, sizeof sums);
  simt::matrix_multiply(Operand<Type>::op(), a.x, b.x, sums);
  std::memcpy(d.x, sums, sizeof sums);
}

template <int M, int N, int K>
void store_matrix_sync(float *matrix, const fragment<accumulator, M, N, K, float> &f, unsigned ld, layout_t layout) {
  check_matrix(matrix, ld * sizeof *matrix);
  for (int e = 0; e < f.num_elements; ++e) {
    const simt::MatrixPlace place = simt::wmma_f16.c_of(static_cast<int>(simt::lane()), e);
    matrix[offset(place, ld, layout == mem_row_major)] = f.x[e];
  }
}

}  // namespace nvcuda::wmma
