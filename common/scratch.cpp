// One buffer a thread, freed when the thread ends.
#include "scratch.h"

#include <cstdint>
#include <cstdlib>

namespace libsgemm {
namespace {

// Plain data, which a thread can still use after its destructors have run: exit handlers of the main thread, and other
// destructors, may call. What they allocate then is not freed.
thread_local float *t_memory = nullptr;
thread_local size_t t_capacity = 0;

struct Owner {
  ~Owner() {
    std::free(t_memory);
    t_memory = nullptr;
    t_capacity = 0;
  }
  // Called to have the destructor registered for this thread.
  void touch() {}
};
thread_local Owner t_owner;

}  // namespace

float *thread_scratch(size_t count) {
  if (count <= t_capacity) return t_memory;
  if (count > (SIZE_MAX - 63) / sizeof(float)) return nullptr;
  t_owner.touch();
  std::free(t_memory);
  t_memory = static_cast<float *>(std::aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64));
  t_capacity = t_memory != nullptr ? count : 0;
  return t_memory;
}

}  // namespace libsgemm
