// Arrays as BLAS takes them, without a copy: strides of the other layout are expressed as a transposition.
#pragma once

#include <string>

#include "array.h"

namespace libsgemm_python {

// A matrix, or the first one of a batch, in the layout of the call.
struct Operand {
  const void *data;
  int64_t ld, step;  // step: elements from one matrix of the batch to the next
  bool flipped;      // stored in the other layout
};

// True if BLAS takes the array's strides.
bool can_be_used(const Array &array);
// Returns the layout of `out`: by rows, or else by columns. ValueError: it has no such layout.
libsgemm_layout_t layout_of(const Array &out);
// Returns the array as an operand in this layout, flipped if it is stored in the other one. ValueError: it has no such
// layout.
Operand operand_of(const Array &array, libsgemm_layout_t layout);
// Returns the operand of an array that must be in this layout. ValueError: it is not; the message names `because`,
// whose layout it is.
Operand unflipped(const Array &array, libsgemm_layout_t layout, const Array &because);

// Returns the number of matrices of a batch. Arrays that are not batches, or batches of one, serve for all. ValueError:
// the batches have different lengths.
int64_t common_count(std::initializer_list<const Array *> arrays);

// ValueError, "a is 2 x 3: ...": a size is wrong.
void require_shape(const Array &array, int64_t rows, int64_t cols, const std::string &why);

// TypeError: the array has 16-bit elements.
void require_float32(const Array &array);

// Translate the words of options. ValueError: a word is not valid.
libsgemm_op_t op_from(char letter, const char *trans);
libsgemm_op_t one_op(const char *trans);
libsgemm_uplo_t uplo_from(const char *uplo);
libsgemm_side_t side_from(const char *side);
// Invert an option for the transpose, if `flipped`.
inline libsgemm_op_t flip_if(bool flipped, libsgemm_op_t op) {
  return flipped == (op == LIBSGEMM_NO_TRANS) ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
}
inline libsgemm_uplo_t flip_if(bool flipped, libsgemm_uplo_t uplo) {
  return flipped == (uplo == LIBSGEMM_LOWER) ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
}

}  // namespace libsgemm_python
