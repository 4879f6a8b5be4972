// Finds the function behind a name of cuBLAS or rocBLAS: the next definition in the global scope; otherwise that of the
// opened library, or, as in Python, of a library that a module needs.
#include "gpu_blas/real.h"

#include <dlfcn.h>

#include <cstring>
#include <new>
#include <string>

#include "blas/objects.h"

namespace libsgemm {
namespace {

bool is_the_vendors(const std::string &object_name) {
  const std::string file = object_name.substr(object_name.rfind('/') + 1);
  return file.compare(0, std::strlen(kVendorLibrary), kVendorLibrary) == 0;
}

// The library stays loaded. If the drop-in was opened under its name, its definition is skipped.
void *definition_in(const std::string &object_name, const char *name) {
  Object object = opened_object(object_name.c_str());
  void *const found = object != nullptr ? dlsym(object.get(), name) : nullptr;
  const auto own = reinterpret_cast<const void *>(&find_in_vendor);
  if (found == nullptr || object_of(found) == object_of(own)) return nullptr;
  static_cast<void>(object.release());
  return found;
}

}  // namespace

void *find_in_vendor(const char *name) {
  if (void *const next = dlsym(RTLD_NEXT, name)) return next;
  try {
    for (const std::string &object : object_names()) {
      void *const found = is_the_vendors(object) ? definition_in(object, name) : nullptr;
      if (found != nullptr) return found;
    }
  } catch (const std::bad_alloc &) {  // the next call looks again
  }
  return nullptr;
}

}  // namespace libsgemm
