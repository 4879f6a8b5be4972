// Events of the vendor's driver or runtime that the program has loaded: CUDA's and HIP's have the same arguments.
#pragma once

#include <dlfcn.h>

namespace libsgemm {

using Event = void *;

// All of them, or none.
struct Driver {
  int (*is_capturing)(void *stream, int *) = nullptr;
  int (*exchange_mode)(int *) = nullptr;
  int (*create)(Event *, unsigned) = nullptr;
  int (*record)(Event, void *stream) = nullptr;
  int (*query)(Event) = nullptr;
  int (*synchronize)(Event) = nullptr;
  int (*elapsed)(float *, Event, Event) = nullptr;
  bool whole = true;

  // What a thread's events belong to, by a number which nothing else gets; false if it cannot be told.
  bool (*context)(unsigned long long *id, int *device) = nullptr;
  // At the end of the process: makes it the thread's, if it is still there; and gives it back.
  bool (*enter)(unsigned long long id, int device) = nullptr;
  void (*leave)(int device) = nullptr;

  template <typename F>
  void find(void *library, const char *name, F **function) {
    *function = library != nullptr ? reinterpret_cast<F *>(dlsym(library, name)) : nullptr;
    whole = whole && *function != nullptr;
  }
};

// The vendor's.
Driver find_driver();

}  // namespace libsgemm
