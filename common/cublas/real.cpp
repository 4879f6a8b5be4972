// Where a name of cuBLAS leads without the drop-in: to the next definition in the global scope, where the program is
// linked with cuBLAS; otherwise into the libcublas that it has opened, or a module of it needs, as in Python.
#include "cublas/real.h"

#include <dlfcn.h>

#include <new>
#include <string>

#include "blas/objects.h"

namespace libsgemm {
namespace {

bool is_cublas(const std::string &object_name) {
  const std::string file = object_name.substr(object_name.rfind('/') + 1);
  return file.compare(0, 9, "libcublas") == 0;
}

// A definition in cuBLAS, which is kept loaded: the drop-in itself is asked too, where it was opened by its name.
void *definition_in(const std::string &object_name, const char *name) {
  Object object = opened_object(object_name.c_str());
  void *const found = object != nullptr ? dlsym(object.get(), name) : nullptr;
  const auto own = reinterpret_cast<const void *>(&find_in_cublas);
  if (found == nullptr || object_of(found) == object_of(own)) return nullptr;
  static_cast<void>(object.release());
  return found;
}

}  // namespace

void *find_in_cublas(const char *name) {
  if (void *const next = dlsym(RTLD_NEXT, name)) return next;
  try {
    for (const std::string &object : object_names()) {
      void *const found = is_cublas(object) ? definition_in(object, name) : nullptr;
      if (found != nullptr) return found;
    }
  } catch (const std::bad_alloc &) {  // the next call looks again
  }
  return nullptr;
}

}  // namespace libsgemm
