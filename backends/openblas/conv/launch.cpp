// openblas_sconv2d_*: convolutions by the BLAS's sgemm (FP64: dgemm) on blocks gathered from the tensors.
//
//           j, at most 2048
//          +------------------+    axes.h defines the matrices. A block of A or B that is stored as a matrix in its
//   l, at  |    block of B    |    tensor is used in place, others are copied. If the BLAS cannot write a block of out
//   most   +------------------+    in place, its sums stay dense until they include all of l.
//   512
//     +---+------------------+
//   i |A  |   block of out   |     i: at most 1024. Scratch of a thread: A 2 MiB, B 4 MiB, sums 8 MiB at most;
//     +---+------------------+     FP64 needs twice that.
#include "conv/launch.h"

#include <climits>
#include <cstdlib>
#include <type_traits>

#include "conv/blocks.h"
#include "matrix/scratch.h"

namespace libsgemm {
namespace {

constexpr int64_t kMostI = 1024, kMostJ = 2048, kMostL = 512;
constexpr int64_t kWorthCutting = 256;  // a run this long ends a block, which is used in place

void multiply(const CpuBlas &blas, char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
              int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc) {
  blas.gemm(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

void multiply(const CpuBlas &blas, char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
              int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc) {
  blas.gemm_fp64(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

// Returns the length of a block. Blocks end with runs if elements can be used in place.
int64_t next_block(const Axis &axis, int64_t first, int64_t most, bool in_place) {
  const int64_t count = std::min(most, axis.count - first), run = axis.digit[0].count;
  const bool cut = in_place && axis.rank > 1 && run >= kWorthCutting;
  return cut ? std::min(count, run - first % run) : count;
}

// True if consecutive indices of x are closer in memory than those of y, or equally close in longer runs.
bool closer(const Block &x, const Block &y, const Matrix &matrix) {
  if (x.count == 1 || y.count == 1) return y.count == 1;
  const int64_t by_x = std::abs(x.step.*matrix.step), by_y = std::abs(y.step.*matrix.step);
  return by_x != by_y ? by_x < by_y : x.step.count > y.step.count;
}

template <libsgemm_math_mode_t MODE>
class Convolution {
 public:
  using T = std::conditional_t<MODE == LIBSGEMM_MATH_FP64, double, float>;

  Convolution(const CpuBlas &blas, const ConvDesc &desc)
      : blas_(blas), desc_(desc), most_ld_(blas.wide ? INT64_MAX : INT_MAX) {
    const auto measure = [](void *self, const ImplicitProduct &o) { static_cast<Convolution *>(self)->measure(o); };
    for_each_product(desc, measure, this);
  }

  // In floats.
  size_t scratch() const {
    const int64_t runs = (most_i_ + most_j_ + most_l_) * static_cast<int64_t>(sizeof(Run) / sizeof(float));
    const int64_t elements = most_i_ * most_l_ + most_l_ * most_j_ + most_i_ * most_j_;
    return static_cast<size_t>(runs + elements * (kFloats ? 1 : 2));
  }

  void run(float *scratch) {
    runs_i_ = reinterpret_cast<Run *>(scratch);
    runs_j_ = runs_i_ + most_i_;
    runs_l_ = runs_j_ + most_j_;
    a_ = reinterpret_cast<T *>(runs_l_ + most_l_);
    b_ = a_ + most_i_ * most_l_;
    sums_ = b_ + most_l_ * most_j_;
    const auto compute = [](void *self, const ImplicitProduct &o) { static_cast<Convolution *>(self)->compute(o); };
    for_each_product(desc_, compute, this);
  }

 private:
  static constexpr bool kFloats = std::is_same_v<T, float>;
  static constexpr bool kAsTheyAre = MODE == LIBSGEMM_MATH_FP32;  // inputs are not rounded

  void measure(const ImplicitProduct &o) {
    most_i_ = std::max(most_i_, std::min(kMostI, o.i.count));
    most_j_ = std::max(most_j_, std::min(kMostJ, o.j.count));
    most_l_ = std::max(most_l_, std::min(kMostL, o.l.count));
  }

  void compute(const ImplicitProduct &o) {
    const bool in_place = kAsTheyAre && !o.clipped;
    for (int64_t j = 0, columns; j < o.j.count; j += columns) {
      columns = next_block(o.j, j, kMostJ, in_place);
      const Block of_j = block_of(o.j, j, columns, runs_j_);
      for (int64_t i = 0, rows; i < o.i.count; i += rows) {
        rows = std::min(kMostI, o.i.count - i);
        compute_tile(o, block_of(o.i, i, rows, runs_i_), of_j, in_place);
      }
    }
  }

  void compute_tile(const ImplicitProduct &o, const Block &i, const Block &j, bool in_place) {
    DenseBlock<T> out;
    const bool direct = finds_output(o, i, j, &out);
    if (!direct) out = {sums_, closer(j, i, kMatrixC) ? j.count : i.count, closer(j, i, kMatrixC)};
    if (o.l.count == 0) std::fill_n(sums_, i.count * j.count, T(0));
    T beta = direct ? static_cast<T>(desc_.beta) : T(0);
    const T alpha = direct ? static_cast<T>(desc_.alpha) : T(1);
    for (int64_t l = 0, depth; l < o.l.count; l += depth, beta = T(1)) {
      depth = next_block(o.l, l, kMostL, in_place);
      const Block of_l = block_of(o.l, l, depth, runs_l_);
      const DenseBlock<const T> a = block_of_a(o, i, of_l), b = block_of_b(o, of_l, j);
      if (out.transposed) {  // out^T = B^T A^T
        multiply(blas_, b.transposed ? 'N' : 'T', a.transposed ? 'N' : 'T', j.count, i.count, depth, alpha, b.data,
                 b.ld, a.data, a.ld, beta, out.data, out.ld);
      } else {
        multiply(blas_, a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', i.count, j.count, depth, alpha, a.data,
                 a.ld, b.data, b.ld, beta, out.data, out.ld);
      }
    }
    if (direct) return;
    if (out.transposed) {
      write(o, i, j);
    } else {
      write(o, j, i);
    }
  }

  // False: the BLAS cannot write there.
  bool finds_output(const ImplicitProduct &o, const Block &i, const Block &j, DenseBlock<T> *out) const {
    if constexpr (!kFloats) return false;
    if constexpr (kFloats) {
      return o.l.count > 0 && lies_as_matrix(i, j, kMatrixC, o.c + i.runs[0].c + j.runs[0].c, most_ld_, out);
    }
  }

  bool finds_input(const float *first, const Block &rows, const Block &columns, const Matrix &matrix,
                   DenseBlock<const T> *block) const {
    if constexpr (!kAsTheyAre) return false;
    if constexpr (kAsTheyAre) return lies_as_matrix(rows, columns, matrix, first, most_ld_, block);
  }

  DenseBlock<const T> block_of_a(const ImplicitProduct &o, const Block &i, const Block &l) const {
    DenseBlock<const T> block;
    if (finds_input(o.a + i.runs[0].a + l.runs[0].a, i, l, kMatrixA, &block)) return block;
    const bool turned = closer(l, i, kMatrixA);
    gather<T, MODE>(o.a, 0, kMatrixA, turned ? i : l, turned ? l : i, nullptr, a_);
    return {a_, turned ? l.count : i.count, turned};
  }

  DenseBlock<const T> block_of_b(const ImplicitProduct &o, const Block &l, const Block &j) const {
    DenseBlock<const T> block;
    const int64_t first = o.first_b + l.runs[0].b + j.runs[0].b;
    if (!o.clipped && finds_input(o.b + first, l, j, kMatrixB, &block)) return block;
    const Image image = {o.h, o.w, o.rows, o.columns};
    const bool turned = closer(j, l, kMatrixB);
    gather<T, MODE>(o.b, o.first_b, kMatrixB, turned ? l : j, turned ? j : l, o.clipped ? &image : nullptr, b_);
    return {b_, turned ? j.count : l.count, turned};
  }

  // `inner` counts fastest in the sums.
  void write(const ImplicitProduct &o, const Block &outer, const Block &inner) const {
    const T alpha = static_cast<T>(desc_.alpha), beta = static_cast<T>(desc_.beta);
    const T *sum = sums_;
    for (const Run *line = outer.runs; line < outer.runs + outer.run_count; ++line) {
      for (int64_t at = 0; at < line->count; ++at) {
        for (const Run *r = inner.runs; r < inner.runs + inner.run_count; sum += r->count, ++r) {
          float *c = o.c + line->c + at * outer.step.c + r->c;
          for (int64_t t = 0; t < r->count; ++t, c += inner.step.c) {
            *c = static_cast<float>(beta == 0 ? alpha * sum[t] : alpha * sum[t] + beta * static_cast<T>(*c));
          }
        }
      }
    }
  }

  const CpuBlas &blas_;
  const ConvDesc &desc_;
  const int64_t most_ld_;
  int64_t most_i_ = 1, most_j_ = 1, most_l_ = 1;
  Run *runs_i_ = nullptr, *runs_j_ = nullptr, *runs_l_ = nullptr;
  T *a_ = nullptr, *b_ = nullptr, *sums_ = nullptr;
};

}  // namespace

template <libsgemm_math_mode_t MODE>
libsgemm_status_t openblas_conv(const ConvDesc &d, const Launch &how, Error *error) {
  const CpuBlas &blas = blas_for(how);
  if (MODE == LIBSGEMM_MATH_FP64 && blas.gemm_fp64 == nullptr) {
    set_error(error, "the BLAS has no dgemm");
    return LIBSGEMM_NOT_SUPPORTED;
  }
  Convolution<MODE> convolution(blas, d);
  float *const scratch = thread_scratch(convolution.scratch());
  if (scratch == nullptr) {
    set_error(error, "no host memory for blocks of the tensors");
    return LIBSGEMM_OUT_OF_MEMORY;
  }
  convolution.run(scratch);
  return LIBSGEMM_SUCCESS;
}

template libsgemm_status_t openblas_conv<LIBSGEMM_MATH_FP32>(const ConvDesc &, const Launch &, Error *);
template libsgemm_status_t openblas_conv<LIBSGEMM_MATH_TF32>(const ConvDesc &, const Launch &, Error *);
template libsgemm_status_t openblas_conv<LIBSGEMM_MATH_BF16>(const ConvDesc &, const Launch &, Error *);
template libsgemm_status_t openblas_conv<LIBSGEMM_MATH_FP16>(const ConvDesc &, const Launch &, Error *);
template libsgemm_status_t openblas_conv<LIBSGEMM_MATH_FP64>(const ConvDesc &, const Launch &, Error *);

}  // namespace libsgemm
