#include "gpu_api.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <new>

#include "base/command.h"

namespace command {

void GpuApi::require(int result, const char *what) const {
  if (result == kGpuSuccess) return;
  if (result == kGpuOutOfMemory) throw std::bad_alloc();
  throw Error(fmt::format("{}: {}", what, describe(result)));
}

void *require_symbol(void *library, const char *file, const char *symbol) {
  void *address = dlsym(library, symbol);
  if (address == nullptr) throw Error(fmt::format("{}: has no {}", file, symbol));
  return address;
}

}  // namespace command
