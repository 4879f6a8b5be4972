#include "overlap.h"

#include <algorithm>

namespace libsgemm {
namespace {

struct Range {
  int64_t begin, end;  // bytes, end excluded
};

// Integers: addresses may belong to different objects.
int64_t address(const Stored &x) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(x.base)); }

Range column(const Stored &x, int64_t j) {
  int64_t first = 0, last = x.rows;
  if (x.part == Stored::upper) last = std::min(x.rows, j + 1);
  if (x.part == Stored::lower) first = j;
  const int64_t size = static_cast<int64_t>(x.size);
  const int64_t base = address(x) + j * x.ld * size;
  return {base + first * size, base + last * size};
}

Range whole(const Stored &x) {
  return {address(x), address(x) + ((x.cols - 1) * x.ld + x.rows) * static_cast<int64_t>(x.size)};
}

bool meet(Range a, Range b) { return a.begin < b.end && b.begin < a.end; }

// Inclusive.
struct Indices {
  int64_t first, last;
};

// Indices of those of `count` ranges, `zero` and each `step` further, that overlap `range`.
Indices meeting(Range range, Range zero, int64_t step, int64_t count) {
  if (step == 0) return {0, meet(range, zero) ? 0 : -1};
  const auto last_within = [step](int64_t bytes) { return bytes < 0 ? -1 : bytes / step; };
  return {last_within(range.begin - zero.end) + 1, std::min(count - 1, last_within(range.end - 1 - zero.begin))};
}

bool column_meets(Range range, const Stored &y) {
  const int64_t size = static_cast<int64_t>(y.size);
  const Range longest = {address(y), address(y) + y.rows * size};  // some columns of a triangle are shorter
  const Indices near = meeting(range, longest, y.ld * size, y.cols);
  for (int64_t i = near.first; i <= near.last; ++i) {
    if (meet(range, column(y, i))) return true;
  }
  return false;
}

// The outer loop is over items or columns, whichever are further apart: few of them reach the range.
bool batch_meets(Range range, const StoredBatch &y) {
  const int64_t size = static_cast<int64_t>(y.first.size), pitch = y.first.ld * size;
  if (y.step >= pitch || y.step == 0) {
    const Indices near = meeting(range, whole(y.first), y.step, y.count);
    for (int64_t i = near.first; i <= near.last; ++i) {
      Stored item = y.first;
      item.base += i * y.step;
      if (column_meets(range, item)) return true;
    }
    return false;
  }
  const Range longest = {address(y.first), address(y.first) + (y.count - 1) * y.step + y.first.rows * size};
  const Indices near = meeting(range, longest, pitch, y.first.cols);
  for (int64_t j = near.first; j <= near.last; ++j) {
    const Range of_first = column(y.first, j);
    const Indices items = meeting(range, of_first, y.step, y.count);
    if (items.first <= items.last) return true;
  }
  return false;
}

}  // namespace

bool overlap(const Stored &x, const Stored &y) {
  if (x.rows <= 0 || x.cols <= 0 || y.rows <= 0 || y.cols <= 0) return false;
  if (!meet(whole(x), whole(y))) return false;
  for (int64_t j = 0; j < x.cols; ++j) {
    if (column_meets(column(x, j), y)) return true;
  }
  return false;
}

bool overlap(const StoredBatch &x, const StoredBatch &y) {
  if (x.first.rows <= 0 || x.first.cols <= 0 || y.first.rows <= 0 || y.first.cols <= 0) return false;
  const Range all = {address(y.first), whole(y.first).end + (y.count - 1) * y.step};
  const Indices near = meeting(all, whole(x.first), x.step, x.count);
  for (int64_t i = near.first; i <= near.last; ++i) {
    Stored item = x.first;
    item.base += i * x.step;
    const Indices met = meeting(whole(item), whole(y.first), y.step, y.count);
    if (met.first > met.last) continue;
    for (int64_t j = 0; j < item.cols; ++j) {
      if (batch_meets(column(item, j), y)) return true;
    }
  }
  return false;
}

}  // namespace libsgemm
