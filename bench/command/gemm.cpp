// `libsgemm gemm`: the product of matrices in .npy files.
//
// A Fortran-ordered file holds the transpose in row-major order, so its operation is flipped. The output may replace an
// input.
#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "base/command.h"
#include "base/library.h"
#include "base/output_file.h"
#include "base/timing.h"
#include "npy.h"

namespace command {
namespace {

constexpr double kRepeatSeconds = 2;  // no repetition starts after this time

libsgemm_op_t op_of(const NpyMatrix &matrix, bool transposed) {
  return transposed != matrix.fortran_order() ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
}

int64_t leading_dimension(const NpyMatrix &matrix) {
  return std::max<int64_t>(1, matrix.fortran_order() ? matrix.rows() : matrix.columns());
}

class Product {
 public:
  Product(const GemmOptions &options, const NpyMatrix &a, const NpyMatrix &b, const NpyMatrix *c)
      : options_(options), a_(a), b_(b), c0_(c) {
    m = options.transa ? a.columns() : a.rows();
    k = options.transa ? a.rows() : a.columns();
    n = options.transb ? b.rows() : b.columns();
    const int64_t k_of_b = options.transb ? b.columns() : b.rows();
    if (k != k_of_b) {
      throw Error(fmt::format("{}: op(B) is {} x {} but op(A) of {} is {} x {}: the inner sizes {} and {} differ",
                              b.path(), k_of_b, n, a.path(), m, k, k, k_of_b));
    }
    if (c != nullptr && (c->rows() != m || c->columns() != n)) {
      throw Error(
          fmt::format("{}: C is {} x {} but op(A) * op(B) is {} x {}", c->path(), c->rows(), c->columns(), m, n));
    }
    int64_t count, bytes;
    if (__builtin_mul_overflow(m, n, &count) || __builtin_mul_overflow(count, sizeof(float), &bytes)) {
      throw Error(
          fmt::format("the product of {} and {} would be {} x {}, beyond 2^63 bytes", a.path(), b.path(), m, n));
    }
    c_.reset(static_cast<float *>(malloc(std::max<size_t>(1, static_cast<size_t>(bytes)))));
    if (c_ == nullptr) throw Error(fmt::format("not enough memory for the product, {} x {}", m, n));
  }

  // Returns the seconds of a call on a fresh C.
  double call(libsgemm_handle_t handle) {
    reset();
    const double start = now();
    const libsgemm_status_t status =
        libsgemm_sgemm_h(handle, LIBSGEMM_ROW_MAJOR, op_of(a_, options_.transa), op_of(b_, options_.transb), m, n, k,
                         options_.alpha, a_.data(), leading_dimension(a_), b_.data(), leading_dimension(b_),
                         options_.beta, c_.get(), std::max<int64_t>(1, n));
    const double seconds = now() - start;
    require(status);
    info = last_info();
    return seconds;
  }

  const float *result() const { return c_.get(); }
  int64_t m, n, k;
  libsgemm_info_t info{};

 private:
  struct Free {
    void operator()(float *memory) const { free(memory); }
  };

  // Without an input C is NaN, so that an unwritten element shows.
  void reset() {
    if (c0_ == nullptr) {
      std::fill_n(c_.get(), m * n, std::numeric_limits<float>::quiet_NaN());
    } else if (!c0_->fortran_order()) {
      std::copy_n(c0_->data(), m * n, c_.get());
    } else {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) c_.get()[i * n + j] = c0_->data()[i + j * m];
      }
    }
  }

  const GemmOptions &options_;
  const NpyMatrix &a_, &b_;
  const NpyMatrix *c0_;
  std::unique_ptr<float, Free> c_;
};

void configure(libsgemm_handle_t handle, const GemmOptions &options) {
  if (!options.backend.empty()) require(libsgemm_set_backend(handle, options.backend.c_str()));
  if (!options.kernel.empty()) require(libsgemm_set_kernel(handle, options.kernel.c_str()));
}

struct Times {
  double first;
  std::vector<double> further;
};

// Turns verification off: it would be timed.
Times measure(Product *product, const GemmOptions &options) {
  Handle handle;
  configure(handle, options);
  require(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_OFF, LIBSGEMM_VERIFY_WARN));
  Times times{product->call(handle), {}};
  double spent = 0;
  for (int i = 0; i < options.repeat && spent < kRepeatSeconds; ++i) {
    times.further.push_back(product->call(handle));
    spent += times.further.back();
  }
  return times;
}

void compute_verified(Product *product, const GemmOptions &options) {
  Handle handle;
  configure(handle, options);
  if (options.verify) require(libsgemm_set_verify(handle, LIBSGEMM_VERIFY_FULL, LIBSGEMM_VERIFY_ERROR));
  product->call(handle);
}

void print_matrix(const char *name, const NpyMatrix &matrix) {
  fmt::print("{:<10}{}: {} x {}, {} order\n", name, matrix.path(), matrix.rows(), matrix.columns(),
             matrix.fortran_order() ? "Fortran" : "C");
}

void print_verification(const libsgemm_info_t &info) {
  if (info.verify_ratio < 0) {
    fmt::print("{:<10}nothing was computed that could be wrong\n", "verified");
    return;
  }
  const bool fp32 = std::string(info.math_mode) == "fp32";
  fmt::print("{:<10}worst |error| / bound = {:.4f}; bound = {}\n", "verified", info.verify_ratio,
             fp32 ? "4 sqrt(k+2) u (|alpha| |A| |B| + |beta| |C|), each element, against FP64"
                  : std::string("that of ") + info.math_mode + ", each element, against FP64");
}

void print_report(const Product &product, const GemmOptions &options, const Times &times, const libsgemm_info_t &info) {
  fmt::print("{:<10}m = {}, n = {}, k = {}, {}{}, alpha = {}, beta = {}\n", "shape", product.m, product.n, product.k,
             options.transa ? 'T' : 'N', options.transb ? 'T' : 'N', options.alpha, options.beta);
  fmt::print("{:<10}{}\n", "backend", describe_place(info));
  fmt::print("{:<10}{}\n", "kernel", info.kernel[0] != '\0' ? info.kernel : "none");
  fmt::print("{:<10}{}\n", "math mode", info.math_mode[0] != '\0' ? info.math_mode : "none");
  const double seconds = times.further.empty() ? times.first : median(times.further);
  if (times.further.empty()) {
    fmt::print("{:<10}{} (one call)\n", "time", duration_text(seconds));
  } else {
    fmt::print("{:<10}{} (median of {} calls; the first took {})\n", "time", duration_text(seconds),
               times.further.size(), duration_text(times.first));
  }
  const double flops =
      2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) * static_cast<double>(product.k);
  fmt::print("{:<10}{:.2f} GFLOP/s\n", "rate", seconds > 0 ? 1e-9 * flops / seconds : 0.0);
}

}  // namespace

int gemm(const GemmOptions &options) {
  if (options.beta != 0 && options.c.empty()) throw Error("--beta other than 0 needs --c C.npy");
  const NpyMatrix a(options.a), b(options.b);
  std::optional<NpyMatrix> c;
  if (!options.c.empty()) c.emplace(options.c);
  Product product(options, a, b, c ? &*c : nullptr);
  if (!options.output.empty()) check_output(options.output);

  const Times times = measure(&product, options);
  const libsgemm_info_t timed = product.info;
  const bool again = options.verify || getenv("LIBSGEMM_VERIFY") != nullptr;
  if (again) compute_verified(&product, options);
  if (!options.output.empty()) write_npy(options.output, product.result(), product.m, product.n);

  print_matrix("A", a);
  print_matrix("B", b);
  if (c) print_matrix("C", *c);
  print_report(product, options, times, timed);
  if (std::string(product.info.kernel) != timed.kernel) {
    fmt::print("{:<10}the result is from {}: {}\n", "replaced", product.info.kernel, product.info.reason);
  }
  if (options.verify) print_verification(product.info);
  if (!options.output.empty()) fmt::print("{:<10}{}\n", "output", options.output);
  return 0;
}

}  // namespace command
