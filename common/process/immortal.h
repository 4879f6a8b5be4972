// Objects that are never destroyed: exit handlers, and threads that are never joined, may make calls until the process
// ends.
#pragma once

#include <new>

namespace libsgemm {

// Returns the process's only T, made at first use, without an allocation that could fail, and never destroyed.
template <typename T>
T &immortal() {
  alignas(T) static unsigned char place[sizeof(T)];
  static T *const instance = new (place) T;
  return *instance;
}

}  // namespace libsgemm
