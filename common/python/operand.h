// Arrays as BLAS takes them: without a copy, by the transposition that their strides stand for.
#pragma once

#include <string>

#include "array.h"

namespace libsgemm_python {

// A matrix, or the first of a batch, in the layout of the call.
struct Operand {
  const void *data;
  int64_t ld, step;  // step: from one matrix of the batch to the next
  bool flipped;      // stored the other way round
};

// Whether its strides are such as BLAS takes.
bool can_be_used(const Array &array);
// By rows, or else by columns, as `out` is stored. ValueError: it is stored in neither way.
libsgemm_layout_t layout_of(const Array &out);
// As it is in this layout, or its transpose. ValueError: it is neither.
Operand operand_of(const Array &array, libsgemm_layout_t layout);
// One that has to be in this layout. ValueError, with a word about `because`, what determines the layout.
Operand unflipped(const Array &array, libsgemm_layout_t layout, const Array &because);

// Matrices of a batch: those that are not batches, or batches of one, serve for all. ValueError: they are of different
// lengths.
int64_t common_count(std::initializer_list<const Array *> arrays);

// ValueError, "a is 2 x 3: ...", if a size is not what it must be.
void require_shape(const Array &array, int64_t rows, int64_t cols, const std::string &why);

// TypeError: it has 16-bit elements.
void require_float32(const Array &array);

// The words of options; ValueError where one is not valid.
libsgemm_op_t op_from(char letter, const char *trans);
libsgemm_op_t one_op(const char *trans);
libsgemm_uplo_t uplo_from(const char *uplo);
libsgemm_side_t side_from(const char *side);
// What they are for the transpose.
inline libsgemm_op_t flip_if(bool flipped, libsgemm_op_t op) {
  return flipped == (op == LIBSGEMM_NO_TRANS) ? LIBSGEMM_TRANS : LIBSGEMM_NO_TRANS;
}
inline libsgemm_uplo_t flip_if(bool flipped, libsgemm_uplo_t uplo) {
  return flipped == (uplo == LIBSGEMM_LOWER) ? LIBSGEMM_UPPER : LIBSGEMM_LOWER;
}

}  // namespace libsgemm_python
