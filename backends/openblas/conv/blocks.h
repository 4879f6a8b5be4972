// Blocks of an ImplicitProduct's matrices.
#pragma once

#include <algorithm>

#include "contract/half.h"
#include "conv/axes.h"

namespace libsgemm {

// Consecutive indices of an axis that differ only in its first digit.
struct Run {
  int64_t count;
  int64_t a, b, c;  // offsets of the first element
  int64_t h, w;     // its position in B's image
};

// Indices [first, first + count) of an axis.
struct Block {
  Digit step;  // distance between the elements of a run
  int64_t count;
  int64_t run_count;
  Run *runs;
};

// `runs` has room for `count` runs.
inline Block block_of(const Axis &axis, int64_t first, int64_t count, Run *runs) {
  Block block = {axis.digit[0], count, 0, runs};
  for (int64_t at = first; at < first + count;) {
    Run run = {};
    int64_t rest = at;
    for (int d = 0; d < axis.rank; ++d) {
      const Digit &digit = axis.digit[d];
      const int64_t value = d + 1 < axis.rank ? rest % digit.count : rest;
      if (d == 0) run.count = std::min(digit.count - value, first + count - at);
      run.a += value * digit.a;
      run.b += value * digit.b;
      run.c += value * digit.c;
      run.h += value * digit.h;
      run.w += value * digit.w;
      rest /= digit.count;
    }
    at += run.count;
    runs[block.run_count++] = run;
  }
  return block;
}

// Element (row, col) is data[row + col * ld], `transposed` data[col + row * ld].
template <typename T>
struct DenseBlock {
  T *data;
  int64_t ld;
  bool transposed;
};

// Selects one matrix's members of runs and digits.
struct Matrix {
  int64_t Run::*offset;
  int64_t Digit::*step;
};
constexpr Matrix kMatrixA = {&Run::a, &Digit::a}, kMatrixB = {&Run::b, &Digit::b}, kMatrixC = {&Run::c, &Digit::c};

inline bool even(const Block &block, const Matrix &matrix) {
  const int64_t step = block.step.*matrix.step;
  for (const Run *r = block.runs + 1; r < block.runs + block.run_count; ++r) {
    if (r->*matrix.offset != r[-1].*matrix.offset + r[-1].count * step) return false;
  }
  return true;
}

// True if a BLAS can use the block in its tensor, with a leading dimension of at most `most_ld`. *block then describes
// it. `first` is its first element.
template <typename T>
bool lies_as_matrix(const Block &rows, const Block &columns, const Matrix &matrix, T *first, int64_t most_ld,
                    DenseBlock<T> *block) {
  if (!even(rows, matrix) || !even(columns, matrix)) return false;
  const int64_t down = rows.count == 1 ? 1 : rows.step.*matrix.step;
  const int64_t across = columns.count == 1 ? rows.count : columns.step.*matrix.step;
  *block = {first, across, false};
  if (down == 1 && across >= rows.count) return across <= most_ld;
  *block = {first, rows.count == 1 ? columns.count : down, true};
  return (across == 1 || columns.count == 1) && block->ld >= columns.count && block->ld <= most_ld;
}

// The t in [0, count) with 0 <= start + t * step < size.
struct Inside {
  int64_t first, last;
};
inline Inside inside(int64_t start, int64_t step, int64_t count, int64_t size) {
  if (step == 0) return start >= 0 && start < size ? Inside{0, count} : Inside{0, 0};
  if (step < 0) return inside(size - 1 - start, -step, count, size);
  const auto up = [step](int64_t x) { return x <= 0 ? 0 : (x - 1) / step + 1; };
  const int64_t first = std::min(count, up(-start)), last = std::min(count, up(size - start));
  return {first, std::max(first, last)};
}

struct Image {
  int64_t h, w, rows, columns;
};

// Copies a block, rounded to inputs of MODE and converted to T. `outer` has the lines, `inner` the elements of a line,
// which are contiguous in `out`. Elements outside the image are zeros; `image` NULL: all are inside.
template <typename T, libsgemm_math_mode_t MODE>
void gather(const float *base, int64_t first, const Matrix &matrix, const Block &outer, const Block &inner,
            const Image *image, T *out) {
  const int64_t line_step = outer.step.*matrix.step, step = inner.step.*matrix.step;
  for (const Run *o = outer.runs; o < outer.runs + outer.run_count; ++o) {
    for (int64_t line = 0; line < o->count; ++line) {
      const int64_t line_first = first + o->*matrix.offset + line * line_step;
      for (const Run *r = inner.runs; r < inner.runs + inner.run_count; out += r->count, ++r) {
        Inside in = {0, r->count};
        if (image != nullptr) {
          const int64_t h = image->h + o->h + line * outer.step.h + r->h;
          const int64_t w = image->w + o->w + line * outer.step.w + r->w;
          const Inside rows = inside(h, inner.step.h, r->count, image->rows);
          const Inside columns = inside(w, inner.step.w, r->count, image->columns);
          in = {std::max(rows.first, columns.first), std::min(rows.last, columns.last)};
          if (in.first >= in.last) in = {0, 0};
          std::fill(out, out + in.first, T(0));
          std::fill(out + in.last, out + r->count, T(0));
        }
        const int64_t run_first = line_first + r->*matrix.offset;
        for (int64_t t = in.first; t < in.last; ++t) {
          out[t] = static_cast<T>(rounded(base[run_first + t * step], MODE));
        }
      }
    }
  }
}

}  // namespace libsgemm
