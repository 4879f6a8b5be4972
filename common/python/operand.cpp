#include "operand.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace libsgemm_python {
namespace {

bool fits(const Array &x, libsgemm_layout_t layout, int64_t *ld) {
  const bool by_rows = layout == LIBSGEMM_ROW_MAJOR;
  const int inner = by_rows ? x.ndim - 1 : x.ndim - 2, outer = by_rows ? x.ndim - 2 : x.ndim - 1;
  const int64_t length = std::max<int64_t>(1, x.shape[inner]);
  *ld = length;
  if (x.is_empty()) return true;
  if (x.shape[inner] > 1 && x.stride[inner] != 1) return false;
  if (x.shape[outer] == 1) return true;
  *ld = x.stride[outer];
  return *ld >= length;
}

[[noreturn]] void refuse(const Array &x) {
  const int64_t rows = x.stride[x.ndim - 2], cols = x.stride[x.ndim - 1];
  std::string text = std::string(x.name) + " (" + x.shape_in_words() + ") has strides of " + std::to_string(rows) +
                     " elements between rows and " + std::to_string(cols) +
                     " between columns; one must be 1 and the other at least as long as what it steps over";
  if (x.use == Use::input) {
    const bool torch = nb::hasattr(x.object, "contiguous");
    text += std::string(", and libsgemm does not copy it: pass ") +
            (torch ? std::string(x.name) + ".contiguous()" : "numpy.ascontiguousarray(" + std::string(x.name) + ")");
  }
  throw nb::value_error(text.c_str());
}

int64_t step_of(const Array &x) { return x.ndim == 3 && x.shape[0] > 1 ? x.stride[0] : 0; }

libsgemm_layout_t other(libsgemm_layout_t layout) {
  return layout == LIBSGEMM_ROW_MAJOR ? LIBSGEMM_COL_MAJOR : LIBSGEMM_ROW_MAJOR;
}

// `word` is `whole` or its first letter, in any case.
bool is(const char *word, const char *whole) {
  const size_t length = std::strlen(word);
  if (length != 1 && length != std::strlen(whole)) return false;
  return std::equal(word, word + length, whole, [](char x, char y) { return std::tolower(x) == y; });
}

[[noreturn]] void refuse_word(const char *what, const char *word, const char *valid) {
  throw nb::value_error((std::string(what) + "='" + word + "' is not valid: use " + valid).c_str());
}

}  // namespace

bool can_be_used(const Array &x) {
  int64_t ld;
  return fits(x, LIBSGEMM_ROW_MAJOR, &ld) || fits(x, LIBSGEMM_COL_MAJOR, &ld);
}

libsgemm_layout_t layout_of(const Array &out) {
  int64_t ld;
  if (fits(out, LIBSGEMM_ROW_MAJOR, &ld)) return LIBSGEMM_ROW_MAJOR;
  if (!fits(out, LIBSGEMM_COL_MAJOR, &ld)) refuse(out);
  return LIBSGEMM_COL_MAJOR;
}

Operand operand_of(const Array &x, libsgemm_layout_t layout) {
  Operand operand = {x.data, 0, step_of(x), false};
  if (fits(x, layout, &operand.ld)) return operand;
  operand.flipped = true;
  if (!fits(x, other(layout), &operand.ld)) refuse(x);
  return operand;
}

Operand unflipped(const Array &x, libsgemm_layout_t layout, const Array &because) {
  const Operand operand = operand_of(x, layout);
  if (!operand.flipped) return operand;
  const auto order = [](libsgemm_layout_t of) {
    return of == LIBSGEMM_ROW_MAJOR ? "rows (C order)" : "columns (Fortran order)";
  };
  throw nb::value_error((std::string(x.name) + " is stored by " + order(other(layout)) + " and " + because.name +
                         " by " + order(layout) + "; here both must be stored alike")
                            .c_str());
}

int64_t common_count(std::initializer_list<const Array *> arrays) {
  const Array *longest = *arrays.begin();
  for (const Array *x : arrays) {
    if (x->count() != 1 && longest->count() == 1) longest = x;
  }
  for (const Array *x : arrays) {
    if (x->count() != 1 && x->count() != longest->count()) {
      throw nb::value_error((std::string(x->name) + " is a batch of " + std::to_string(x->count()) + " matrices and " +
                             longest->name + " one of " + std::to_string(longest->count()))
                                .c_str());
    }
  }
  return longest->count();
}

void require_shape(const Array &x, int64_t rows, int64_t cols, const std::string &why) {
  if (x.rows() == rows && x.cols() == cols) return;
  throw nb::value_error((std::string(x.name) + " is " + x.shape_in_words() + "; it must be " + std::to_string(rows) +
                         " x " + std::to_string(cols) + " " + why)
                            .c_str());
}

void require_float32(const Array &x) {
  if (x.type != Type::fp32) throw nb::type_error((std::string(x.name) + " must be float32").c_str());
}

libsgemm_op_t op_from(char letter, const char *trans) {
  switch (letter) {
    case 'N':
    case 'n':
      return LIBSGEMM_NO_TRANS;
    case 'T':
    case 't':
    case 'C':
    case 'c':
      return LIBSGEMM_TRANS;
    default:
      refuse_word("trans", trans, "'N' or 'T' for each operand, as 'NT'");
  }
}

libsgemm_op_t one_op(const char *trans) {
  if (std::strlen(trans) != 1) refuse_word("trans", trans, "'N' or 'T'");
  return op_from(trans[0], trans);
}

libsgemm_uplo_t uplo_from(const char *uplo) {
  if (is(uplo, "lower")) return LIBSGEMM_LOWER;
  if (!is(uplo, "upper")) refuse_word("uplo", uplo, "'lower' or 'upper'");
  return LIBSGEMM_UPPER;
}

libsgemm_side_t side_from(const char *side) {
  if (is(side, "left")) return LIBSGEMM_LEFT;
  if (!is(side, "right")) refuse_word("side", side, "'left' or 'right'");
  return LIBSGEMM_RIGHT;
}

}  // namespace libsgemm_python
