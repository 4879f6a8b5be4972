// Lays a problem out in guarded memory for a call, and judges what the call left there.
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

// Elements from the first to one past the last of a stored matrix.
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

  // Empty if the call left the right result for an arithmetic and touched nothing else; otherwise the first fault, in
  // words.
  std::string check(const Arithmetic &how = {});

  // The same against another bound, with the worst |error| / bound of the elements looked at. `most_terms`: of a
  // product with more, a part of the rows is looked at, about so many products of elements.
  std::string check(const Arithmetic &how, Bound bound, double most_terms, double *worst);

  // Makes it ready for another call.
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
  // Answers of the products in other arithmetics than FP32, made when they are first needed.
  std::map<std::pair<libsgemm_math_mode_t, bool>, std::vector<Answer>> answers_;
};

// Compares the elements of `region` with the expected values: equal bits if the limit is 0 (zeros of either sign are
// equal, since -1 * 0 + 0 depends on the order of operations), |error| <= limit otherwise. NaN answers NaN only, and
// Inf the same Inf only, but where `leaves_range` says that a number may become either on the way. `rows`: as for
// answer(). Returns the first fault in words.
std::string compare(const Matrix &result, const std::vector<double> &value, const std::vector<double> &limit,
                    const std::vector<bool> &leaves_range = {}, const Rows &rows = {});

// Demands the same bits in `region`, but for NaN, of which one is as good as another.
std::string compare_bits(const Matrix &result, const Matrix &wanted);

}  // namespace sgemm_test
