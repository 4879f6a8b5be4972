// Strided tensors, and work on them without a backend.
#pragma once

#include <algorithm>

#include "contract/conv.h"

namespace libsgemm {

inline int64_t count_of(const Tensor &t) { return t.size[0] * t.size[1] * t.size[2] * t.size[3]; }

// Dimensions with more than one element, the smallest step first; those that continue each other in memory are merged.
struct Runs {
  int rank = 0;
  int64_t size[4], step[4];

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

// A dense tensor of the same sizes, in the memory order of `t`. A step of 0 stays 0.
Tensor dense_like(const Tensor &t, const float *data);
int64_t dense_count(const Tensor &dense);

// Sizes must be equal.
void copy_tensor(const Tensor &from, const Tensor &to, float *data);

// beta 0: writes zeros without reading.
void scale_tensor(const Tensor &t, float beta, float *data);

// True if no two elements can share an address. Sufficient, not necessary: each step must exceed the extent of the
// dimensions with smaller steps.
bool apart(const Tensor &t);

// True if two tensors share an element; `x` must be apart(). Takes time per element of `y` if the address ranges
// overlap.
bool overlap(const Tensor &x, const Tensor &y);

}  // namespace libsgemm
