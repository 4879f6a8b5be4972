// C as it was, so that a call that fails leaves no trace: parts of C are saved before they are overwritten.
#pragma once

#include <cstddef>

#include "desc.h"

namespace libsgemm {

// Columns [first, first + count) of all columns of the block's products, counted on, and rows of each.
struct Region {
  int64_t item;
  int64_t row, rows, col, cols;
};

class Undo {
 public:
  Undo() = default;
  ~Undo();
  Undo(const Undo &) = delete;
  Undo &operator=(const Undo &) = delete;

  // Memory for all of C; not touched yet. False if there is none.
  bool reserve(const GemmDesc &desc);

  // Different regions may be saved by several threads at once. `for_device`: a device is going to write there itself.
  void save(const GemmDesc &desc, const Region &region, bool for_device) const;
  void restore(const GemmDesc &desc, const Region &region) const;

 private:
  float *memory_ = nullptr;
  size_t bytes_ = 0;
};

// Gives back what is kept for the next call.
void release_undo_memory();

}  // namespace libsgemm
