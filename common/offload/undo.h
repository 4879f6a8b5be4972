// C as it was, so that a call that fails leaves no trace: parts of C are saved before they are overwritten. And
// pages for results that have none yet.
#pragma once

#include <cstddef>

#include "plan.h"

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

// Whole columns of C that nobody has touched yet, as of a result that was allocated for the call: pages for them at
// once, by several threads if they provide different regions. Otherwise the thread that stores results would get them
// one by one; and saving C would first map the page of zeros everywhere, which the first write takes away again, in the
// way of all threads: 4096 x 4096 took 40 ms instead of 20 on an H100's host. What is there stays as it is; that memory
// is about to be written anyway. The first pages of a region, and of lacks_pages the last, stand for all.
bool lacks_pages(const GemmDesc &desc, const Block &region);
void provide_pages(const GemmDesc &desc, const Block &region);

// Gives back what is kept for the next call.
void release_undo_memory();

}  // namespace libsgemm
