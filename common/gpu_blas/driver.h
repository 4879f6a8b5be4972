// The program's driver or runtime. CUDA's and HIP's functions take the same arguments.
#pragma once

#include <dlfcn.h>

namespace libsgemm {

using Event = void *;

struct Driver {
  int (*is_capturing)(void *stream, int *) = nullptr;
  int (*exchange_mode)(int *) = nullptr;
  int (*create)(Event *, unsigned) = nullptr;
  int (*record)(Event, void *stream) = nullptr;
  int (*query)(Event) = nullptr;
  int (*synchronize)(Event) = nullptr;
  int (*elapsed)(float *, Event, Event) = nullptr;
  bool whole = true;  // all functions were found

  // Unique number of the context that owns a thread's events. False: unknown.
  bool (*context)(unsigned long long *id, int *device) = nullptr;
  // During exit: makes the context current. False: it is gone. leave() undoes it.
  bool (*enter)(unsigned long long id, int device) = nullptr;
  void (*leave)(int device) = nullptr;

  template <typename F>
  void find(void *library, const char *name, F **function) {
    *function = library != nullptr ? reinterpret_cast<F *>(dlsym(library, name)) : nullptr;
    whole = whole && *function != nullptr;
  }
};

Driver find_driver();

}  // namespace libsgemm
