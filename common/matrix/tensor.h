// Strided tensors in memory, and work on them that needs no backend.
#pragma once

#include <algorithm>

#include "contract/conv.h"

namespace libsgemm {

inline int64_t count_of(const Tensor &t) { return t.size[0] * t.size[1] * t.size[2] * t.size[3]; }

// The dimensions of a tensor that have more than one element, the smallest step first. Dimensions that continue each
// other in memory are merged.
struct Runs {
  int rank = 0;
  int64_t size[4], step[4];

  // Elements of the first dimension, and their step; 1 and 1 if there is only one element.
  int64_t length() const { return rank > 0 ? size[0] : 1; }
  int64_t stride() const { return rank > 0 ? step[0] : 1; }
};
Runs runs_of(const Tensor &t);

// Calls visit(offset) for the first element of each run along the `inner` first dimensions, in the order of memory.
template <typename Visit>
void for_each_run(const Runs &runs, int inner, const Visit &visit) {
  int64_t at[4] = {}, offset = 0;
  for (;;) {
    visit(offset);
    int d = inner;
    for (; d < runs.rank; ++d) {
      offset += runs.step[d];
      if (++at[d] < runs.size[d]) break;
      offset -= at[d] * runs.step[d];
      at[d] = 0;
    }
    if (d >= runs.rank) return;
  }
}

// Returns a dense tensor of the same sizes, with its dimensions in the memory order of those of `t`. A step of 0 stays
// 0, so that elements which `t` stores once are stored once here, too.
Tensor dense_like(const Tensor &t, const float *data);
// Number of elements in memory of a tensor that dense_like() has made.
int64_t dense_count(const Tensor &dense);

// Copies all elements of a tensor to those of another of the same sizes.
void copy_tensor(const Tensor &from, const Tensor &to, float *data);

// Multiplies the elements by beta; with beta 0 writes zeros without reading.
void scale_tensor(const Tensor &t, float beta, float *data);

// True if no two elements of a tensor can share an address. May be false even so, if no order of the dimensions makes
// each step over all elements of those with smaller steps.
bool apart(const Tensor &t);

// True if two tensors share an element; `x` must be apart(). Takes time for each element of `y` if the ranges of their
// addresses overlap.
bool overlap(const Tensor &x, const Tensor &y);

}  // namespace libsgemm
