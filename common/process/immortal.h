// Objects that live until the process ends: calls may come from exit handlers and from threads that nobody waits for.
#pragma once

#include <new>

namespace libsgemm {

// The process's only T, made at first use, without an allocation that could fail, and never destroyed.
template <typename T>
T &immortal() {
  alignas(T) static unsigned char place[sizeof(T)];
  static T *const instance = new (place) T;
  return *instance;
}

}  // namespace libsgemm
