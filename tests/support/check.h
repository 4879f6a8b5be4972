// Stores a problem in guarded memory for a call, and checks what the call wrote there.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "buffer.h"
#include "oracle.h"

namespace sgemm_test {

// Index of element (i, j) of a stored matrix.
inline int64_t index_of(libsgemm_layout_t layout, int64_t ld, int64_t i, int64_t j) {
  return layout == LIBSGEMM_COL_MAJOR ? i + j * ld : i * ld + j;
}

// Number of elements from the first to the last of a stored matrix, both included.
int64_t extent_of(libsgemm_layout_t layout, int64_t ld, int64_t rows, int64_t columns);

// Elements from one matrix of a strided batch to the next.
struct Strides {
  int64_t a = 0, b = 0, c = 0;
};

// The matrices of a problem, or of the products of a strided batch, in memory. All that the routine must not read is
// NaN: padding, guards, the other triangle, a unit diagonal, A and B if alpha or k is zero, C if beta is zero.
class Placement {
 public:
  Placement(const Problem &problem, libsgemm_layout_t layout);

  // All problems have the same case; those that share a matrix (stride 0) hold the same values of it.
  Placement(std::vector<const Problem *> problems, libsgemm_layout_t layout, const Strides &strides);

  const Args &args() const { return args_; }
  float *c() { return c_->as<float>(); }
  int64_t index_in_c(int64_t i, int64_t j) const { return index_of(args_.layout, args_.ldc, i, j); }

  // Returns an empty text if the call left the right result for an arithmetic and modified nothing else; otherwise a
  // description of the first fault.
  std::string check(const Arithmetic &how = {});

  // Checks against another bound. Raises `worst` to the largest |error| / bound of the elements checked. If a product
  // has more than `most_terms` terms, only some rows are checked, with about that many terms together.
  std::string check(const Arithmetic &how, Bound bound, double most_terms, double *worst);

  // Restores C for another call.
  void restore();

  // Empty if every byte is as it was before the call.
  std::string check_untouched();

 private:
  std::unique_ptr<Buffer> place(Matrix Problem::*operand, int64_t ld, int64_t stride, bool poisoned);
  void mark_writable();
  std::string check_memory();
  Matrix result_of(size_t product);
  std::string check_result(size_t product, const Arithmetic &how);
  const Answer &answer_of(size_t product, const Arithmetic &how);

  std::vector<const Problem *> problems_;
  Args args_;
  std::unique_ptr<Buffer> a_, b_, c_;
  std::vector<bool> writable_;  // which elements of C's memory belong to it
  // Answers of the products in arithmetics other than FP32, computed at first use.
  std::map<std::pair<libsgemm_math_mode_t, bool>, std::vector<Answer>> answers_;
};

// Compares the elements of `region` with the expected values. A limit of 0 requires equal values (zeros of either sign
// are equal, since -1 * 0 + 0 depends on the order of operations), any other |error| <= limit. NaN matches only NaN,
// and Inf the same Inf; where `leaves_range` is set, a result may be either, since an intermediate value may overflow.
// `rows`: as for answer(). Returns a description of the first fault.
std::string compare(const Matrix &result, const std::vector<double> &value, const std::vector<double> &limit,
                    const std::vector<bool> &leaves_range = {}, const Rows &rows = {});

// Requires the same bits in `region`; any NaN equals any other.
std::string compare_bits(const Matrix &result, const Matrix &wanted);

}  // namespace sgemm_test
