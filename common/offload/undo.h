// C as it was, so that a call that fails leaves no trace: parts of C are saved before they are overwritten.
#pragma once

#include <cstddef>

#include "tile_plan.h"

namespace libsgemm {

class Undo {
 public:
  Undo() = default;
  ~Undo();
  Undo(const Undo &) = delete;
  Undo &operator=(const Undo &) = delete;

  // Memory for all of C; not touched yet. False if there is none. Without it nothing is saved.
  bool reserve(const GemmDesc &desc);
  bool reserved() const { return memory_ != nullptr; }

  // A region is a block of one product's C. Different ones may be saved by several threads at once. `for_device`: a
  // device is going to write there itself.
  void save(const GemmDesc &desc, const Block &region, bool for_device) const;
  void restore(const GemmDesc &desc, const Block &region) const;

 private:
  float *memory_ = nullptr;
  size_t bytes_ = 0;
};

// Gives back what is kept for the next call.
void release_undo_memory();

}  // namespace libsgemm
