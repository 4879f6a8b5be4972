// Stores a problem in guarded memory and checks what a call wrote there.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "buffer.h"
#include "oracle.h"

namespace sgemm_test {

inline int64_t index_of(libsgemm_layout_t layout, int64_t ld, int64_t i, int64_t j) {
  return layout == LIBSGEMM_COL_MAJOR ? i + j * ld : i * ld + j;
}

// Counts from the first to the last element.
int64_t extent_of(libsgemm_layout_t layout, int64_t ld, int64_t rows, int64_t columns);

// Elements between matrices of a strided batch.
struct Strides {
  int64_t a = 0, b = 0, c = 0;
};

// A problem's matrices, or those of a strided batch, in memory. All that the routine must not read is NaN: padding,
// guards, the other triangle, a unit diagonal, A and B if alpha or k is 0, C if beta is 0.
class Placement {
 public:
  Placement(const Problem &problem, libsgemm_layout_t layout);

  // All problems have the same case; a matrix that they share (stride 0) has equal values in all.
  Placement(std::vector<const Problem *> problems, libsgemm_layout_t layout, const Strides &strides);

  const Args &args() const { return args_; }
  float *c() { return c_->as<float>(); }
  int64_t index_in_c(int64_t i, int64_t j) const { return index_of(args_.layout, args_.ldc, i, j); }

  // Returns the first fault of the result or of other memory, or "".
  std::string check(const Arithmetic &how = {});

  // Raises `worst` to the largest |error| / bound. Checks only rows with about `most_terms` terms.
  std::string check(const Arithmetic &how, Bound bound, double most_terms, double *worst);

  void restore();

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
  std::vector<bool> writable_;  // elements that belong to C
  // Answers in arithmetics other than FP32, computed at first use.
  std::map<std::pair<libsgemm_math_mode_t, bool>, std::vector<Answer>> answers_;
};

// Limit 0 requires equal values (zeros of either sign: -1 * 0 + 0 depends on the order), others |error| <= limit. NaN
// matches NaN, Inf the same Inf; where `leaves_range` is set a result may be either, since intermediate values may
// overflow. Returns the first fault.
std::string compare(const Matrix &result, const std::vector<double> &value, const std::vector<double> &limit,
                    const std::vector<bool> &leaves_range = {}, const Rows &rows = {});

std::string compare_bits(const Matrix &result, const Matrix &wanted);

}  // namespace sgemm_test
