// Objects are never destroyed: exit handlers and unjoined threads use them to the end.
#pragma once

#include <new>

namespace libsgemm {

// Storage is static: no allocation can fail.
template <typename T>
T &immortal() {
  alignas(T) static unsigned char place[sizeof(T)];
  static T *const instance = new (place) T;
  return *instance;
}

}  // namespace libsgemm
