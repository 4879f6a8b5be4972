// Copies of parts of C, to restore it after a failure.
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

  // Reserves untouched memory for all of C. False: none; nothing is saved.
  bool reserve(const GemmDesc &desc);
  bool reserved() const { return memory_ != nullptr; }

  // Threads may save different blocks at the same time. `for_device`: a device will write there itself.
  void save(const GemmDesc &desc, const Block &region, bool for_device) const;
  void restore(const GemmDesc &desc, const Block &region) const;

 private:
  float *memory_ = nullptr;
  size_t bytes_ = 0;
};

void release_undo_memory();

}  // namespace libsgemm
