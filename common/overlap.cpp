// Overlap of matrices, column by column.
#include "overlap.h"

#include <algorithm>

namespace libsgemm {
namespace {

struct Range {
  int64_t begin, end;  // bytes, end excluded
};

// Addresses as integers relative to x's base: they may belong to different objects.
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

}  // namespace

bool overlap(const Stored &x, const Stored &y) {
  if (x.rows <= 0 || x.cols <= 0 || y.rows <= 0 || y.cols <= 0) return false;
  if (!meet(whole(x), whole(y))) return false;
  const int64_t pitch = y.ld * static_cast<int64_t>(y.size);
  for (int64_t j = 0; j < x.cols; ++j) {
    const Range range = column(x, j);
    // Columns of y that could reach the range; one more on either side, since triangles only shorten columns.
    const int64_t first = std::max<int64_t>(0, (range.begin - address(y)) / pitch - 1);
    const int64_t last = std::min(y.cols - 1, (range.end - address(y)) / pitch + 1);
    for (int64_t i = first; i <= last; ++i) {
      if (meet(range, column(y, i))) return true;
    }
  }
  return false;
}

}  // namespace libsgemm
