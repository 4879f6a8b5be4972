// One buffer per thread, freed when the thread ends. No thread_local with a destructor: glibc ends the process if it
// has no memory to register it.
#include "scratch.h"

#include <pthread.h>

#include <cstdint>
#include <cstdlib>

namespace libsgemm {
namespace {

struct alignas(64) Header {
  size_t capacity;
};

// A destructor after std::free may request a buffer: the thread calls std::free again, nothing leaks.
struct Key {
  pthread_key_t value = 0;
  bool made = pthread_key_create(&value, std::free) == 0;
};

const Key &key() {
  static const Key made;
  return made;
}

}  // namespace

float *thread_scratch(size_t count) {
  const Key &own = key();
  if (!own.made) return nullptr;
  Header *buffer = static_cast<Header *>(pthread_getspecific(own.value));
  if (buffer != nullptr && count <= buffer->capacity) return reinterpret_cast<float *>(buffer + 1);
  if (count > (SIZE_MAX - 63 - sizeof(Header)) / sizeof(float)) return nullptr;
  // Freed first: both are never held at the same time.
  pthread_setspecific(own.value, nullptr);
  std::free(buffer);
  buffer = static_cast<Header *>(std::aligned_alloc(64, sizeof(Header) + (count * sizeof(float) + 63) / 64 * 64));
  if (buffer == nullptr || pthread_setspecific(own.value, buffer) != 0) {
    std::free(buffer);
    return nullptr;
  }
  buffer->capacity = count;
  return reinterpret_cast<float *>(buffer + 1);
}

}  // namespace libsgemm
