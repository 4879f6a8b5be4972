// Arrays as BLAS takes them, without a copy: strides of the other layout become a transposition.
#pragma once

#include <string>

#include "array.h"

namespace libsgemm_python {

// A matrix, or a batch's first, in the call's layout.
struct Operand {
  const void *data;
  int64_t ld, step;  // step: elements between matrices of a batch
  bool flipped;      // stored in the other layout
};

bool can_be_used(const Array &array);
// By rows, or else by columns. ValueError: neither.
libsgemm_layout_t layout_of(const Array &out);
// ValueError: stored in neither layout.
Operand operand_of(const Array &array, libsgemm_layout_t layout);
// ValueError: not in this layout; the message names `because`, whose layout it is.
Operand unflipped(const Array &array, libsgemm_layout_t layout, const Array &because);

// Length of a batch; single arrays, and batches of one, serve for all. ValueError: different lengths.
int64_t common_count(std::initializer_list<const Array *> arrays);

// ValueError, "a is 2 x 3: ...".
void require_shape(const Array &array, int64_t rows, int64_t cols, const std::string &why);

// TypeError: 16-bit elements.
void require_float32(const Array &array);

libsgemm_op_t op_from(char letter, const char *trans);
libsgemm_op_t one_op(const char *trans);
libsgemm_uplo_t uplo_from(const char *uplo);
libsgemm_side_t side_from(const char *side);
inline libsgemm_op_t flip_if(bool flipped, libsgemm_op_t op) {
  return flipped == (op == LIBSGEMM_NO_TRANS) ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
}
inline libsgemm_uplo_t flip_if(bool flipped, libsgemm_uplo_t uplo) {
  return flipped == (uplo == LIBSGEMM_LOWER) ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
}

}  // namespace libsgemm_python
