// Copies of C, so that a call that fails leaves no trace: parts of C are saved before they are overwritten.
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

  // Reserves memory for all of C, without touching it. False if there is none. Without a reservation nothing is saved.
  bool reserve(const GemmDesc &desc);
  bool reserved() const { return memory_ != nullptr; }

  // A region is a block of one product's C. Threads may save different ones at the same time. `for_device`: a device is
  // going to write there itself.
  void save(const GemmDesc &desc, const Block &region, bool for_device) const;
  void restore(const GemmDesc &desc, const Block &region) const;

 private:
  float *memory_ = nullptr;
  size_t bytes_ = 0;
};

// Releases the memory that is kept for later calls.
void release_undo_memory();

}  // namespace libsgemm
