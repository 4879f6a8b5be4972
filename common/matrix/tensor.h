// Strided tensors in memory: what belongs to one, and work on it that needs no backend.
#pragma once

#include <algorithm>

#include "contract/conv.h"

namespace libsgemm {

inline int64_t count_of(const Tensor &t) { return t.size[0] * t.size[1] * t.size[2] * t.size[3]; }

// The dimensions of a tensor that have more than one element, the smallest step first; those that lie one behind the
// other are one.
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

// A tensor of the same sizes that is dense, its dimensions in the order in which those of `t` lie. Where a step of `t`
// is 0 so is its own: what is there once stays so.
Tensor dense_like(const Tensor &t, const float *data);
// Elements in memory of a tensor that dense_like() has made.
int64_t dense_count(const Tensor &dense);

// All elements of a tensor to those of another of the same sizes.
void copy_tensor(const Tensor &from, const Tensor &to, float *data);

// Elements become beta times themselves; with beta 0 they are not read.
void scale_tensor(const Tensor &t, float beta, float *data);

// Whether the elements of a tensor are all apart; it may say no of a tensor whose elements are, where no dimension
// steps over all of those with smaller steps.
bool apart(const Tensor &t);

// Whether two tensors, of which `x` is apart(), share an element. Takes time for each element of `y` where the ranges
// of their addresses meet.
bool overlap(const Tensor &x, const Tensor &y);

}  // namespace libsgemm
