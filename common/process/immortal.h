// Never destroyed: exit handlers and unjoined threads may call until the process ends.
#pragma once

#include <new>

namespace libsgemm {

// In static storage: no allocation can fail.
template <typename T>
T &immortal() {
  alignas(T) static unsigned char place[sizeof(T)];
  static T *const instance = new (place) T;
  return *instance;
}

}  // namespace libsgemm
