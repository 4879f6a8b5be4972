// openblas_dgemm_fp64: every routine but trsm, by the BLAS's dgemm on converted blocks. C is rounded once.
//
//        k = 512 at a time            tile of C, 1024 x 1024
//       +-------+  block of y        +--------------------+
//       +-------+                    |  sums, in doubles  |   scratch of a thread, at most:
//   block of x, 1024 x 512           +--------------------+   x 4 MiB + y 4 MiB + sums 8 MiB
//
// A tile is written once, with its complete sum; trmm, in place, visits it after all tiles that read it. Tiles are 128
// wide along trmm's triangle. On its diagonal only nonzero terms are summed: 0 * Inf would be NaN.
#include "fp64.h"

#include <algorithm>

#include "matrix/product.h"
#include "matrix/scratch.h"

namespace libsgemm {
namespace {

constexpr int64_t kWide = 1024, kDeep = 512, kCrossed = 128;

void convert(const View &view, int64_t i0, int64_t i1, int64_t p0, int64_t p1, double *out) {
  const auto *data = static_cast<const float *>(view.data);
  for (int64_t p = p0; p < p1; ++p, out += i1 - i0) {
    if (view.plain()) {
      const float *column = data + p * view.col_step;
      for (int64_t i = i0; i < i1; ++i) out[i - i0] = static_cast<double>(column[i * view.row_step]);
    } else {
      for (int64_t i = i0; i < i1; ++i) out[i - i0] = static_cast<double>(view.at(i, p));
    }
  }
}

struct Tile {
  int64_t i0, i1, j0, j1;
  int64_t rows() const { return i1 - i0; }
  int64_t columns() const { return j1 - j0; }
};

class Fp64 {
 public:
  Fp64(const CpuBlas &blas, const GemmDesc &desc)
      : blas_(blas),
        p_(products(desc, desc.c, desc.ldc)),
        alpha_(static_cast<double>(desc.alpha)),
        beta_(static_cast<double>(desc.beta)),
        m_(desc.m),
        n_(desc.n),
        wide_m_(std::min(desc.m, p_.term[0].x.structure == View::triangular ? kCrossed : kWide)),
        wide_n_(std::min(desc.n, p_.term[0].y.structure == View::triangular ? kCrossed : kWide)),
        deep_(std::min(p_.term[0].k, kDeep)) {}

  size_t doubles() const { return static_cast<size_t>(wide_m_ * deep_ + deep_ * wide_n_ + wide_m_ * wide_n_); }

  void run(double *scratch) {
    x_ = scratch, y_ = x_ + wide_m_ * deep_, sum_ = y_ + deep_ * wide_n_;
    const Product &first = p_.term[0];
    const int64_t row_tiles = (m_ - 1) / wide_m_ + 1, column_tiles = (n_ - 1) / wide_n_ + 1;
    // trmm in place: a tile must not overwrite the inputs of later tiles.
    const bool up = first.x.structure == View::triangular && !first.x.upper;
    const bool back = first.y.structure == View::triangular && first.y.upper;
    for (int64_t tj = 0; tj < column_tiles; ++tj) {
      for (int64_t ti = 0; ti < row_tiles; ++ti) {
        const int64_t i0 = (up ? row_tiles - 1 - ti : ti) * wide_m_, j0 = (back ? column_tiles - 1 - tj : tj) * wide_n_;
        const Tile tile = {i0, std::min(m_, i0 + wide_m_), j0, std::min(n_, j0 + wide_n_)};
        if (p_.out.part == Output::upper && tile.i0 >= tile.j1) continue;
        if (p_.out.part == Output::lower && tile.i1 <= tile.j0) continue;
        std::fill_n(sum_, tile.rows() * tile.columns(), 0.0);
        for (int t = 0; t < p_.count; ++t) add(p_.term[t], tile);
        write(tile);
      }
    }
  }

 private:
  void add(const Product &p, const Tile &t) {
    int64_t first = 0, last = p.k;
    if (p.x.structure == View::triangular) {
      cross(p, t, t.i0, t.i1);
      (p.x.upper ? first : last) = p.x.upper ? t.i1 : t.i0;
    } else if (p.y.structure == View::triangular) {
      cross(p, t, t.j0, t.j1);
      (p.y.upper ? last : first) = p.y.upper ? t.j0 : t.j1;
    }
    const View y = p.y.transposed();
    const int64_t m = t.rows(), n = t.columns();
    const double one = 1;
    for (int64_t p0 = first; p0 < last; p0 += deep_) {
      const int64_t p1 = std::min(last, p0 + deep_), k = p1 - p0;
      convert(p.x, t.i0, t.i1, p0, p1, x_);
      convert(y, t.j0, t.j1, p0, p1, y_);
      blas_.gemm_fp64("N", "T", &m, &n, &k, &one, x_, &m, y_, &n, &one, sum_, &m, 1, 1);
    }
  }

  void cross(const Product &p, const Tile &t, int64_t p0, int64_t p1) {
    for (int64_t j = t.j0; j < t.j1; ++j) {
      for (int64_t i = t.i0; i < t.i1; ++i) {
        const Span span = p.span(i, j);
        double s = 0;
        for (int64_t l = std::max(p0, span.first); l < std::min(p1, span.last); ++l) {
          s += static_cast<double>(p.x.at(i, l)) * static_cast<double>(p.y.at(l, j));
        }
        sum_[(i - t.i0) + (j - t.j0) * t.rows()] += s;
      }
    }
  }

  void write(const Tile &t) {
    for (int64_t j = t.j0; j < t.j1; ++j) {
      const double *sum = sum_ + (j - t.j0) * t.rows() - t.i0;
      const int64_t last = std::min(t.i1, p_.out.last_row(j, t.i1));
      for (int64_t i = std::max(t.i0, p_.out.first_row(j)); i < last; ++i) {
        float *c = p_.out.at(i, j);
        *c = static_cast<float>(beta_ == 0 ? alpha_ * sum[i] : alpha_ * sum[i] + beta_ * static_cast<double>(*c));
      }
    }
  }

  const CpuBlas &blas_;
  const Products p_;
  const double alpha_, beta_;
  const int64_t m_, n_, wide_m_, wide_n_, deep_;
  double *x_ = nullptr, *y_ = nullptr, *sum_ = nullptr;
};

}  // namespace

bool fp64_supports(const GemmDesc &d, int) { return d.routine != Routine::trsm; }

libsgemm_status_t fp64_launch(const GemmDesc &d, const Launch &how, Error *error) {
  const CpuBlas &blas = blas_for(how);
  if (blas.gemm_fp64 == nullptr) {
    set_error(error, "the BLAS has no dgemm");
    return LIBSGEMM_NOT_SUPPORTED;
  }
  for (int64_t i = 0; i < d.batch_count; ++i) {
    const GemmDesc item = d.batch == Batch::none ? d : batch_item(d, i);
    Fp64 product(blas, item);
    float *scratch = thread_scratch(2 * product.doubles());
    if (scratch == nullptr) {
      set_error(error, "no host memory for blocks of doubles");
      return LIBSGEMM_OUT_OF_MEMORY;
    }
    product.run(reinterpret_cast<double *>(scratch));
  }
  return LIBSGEMM_SUCCESS;
}

}  // namespace libsgemm
