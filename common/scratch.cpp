// One buffer a thread, freed when the thread ends.
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "scratch.h"

namespace libsgemm {
namespace {

struct Free {
  void operator()(float *memory) const { std::free(memory); }
};

}  // namespace

float *thread_scratch(size_t count) {
  thread_local std::unique_ptr<float, Free> memory;
  thread_local size_t capacity = 0;
  if (count > capacity) {
    if (count > (SIZE_MAX - 63) / sizeof(float)) return nullptr;
    const size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
    capacity = 0;
    memory.reset(static_cast<float *>(std::aligned_alloc(64, bytes)));
    if (memory == nullptr) return nullptr;
    capacity = count;
  }
  return memory.get();
}

}  // namespace libsgemm
