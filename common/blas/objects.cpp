#include "blas/objects.h"

#include <new>
#include <utility>

#include "libsgemm.h"

namespace libsgemm {

Object opened_object(const char *name) {
  return Object(dlopen(name[0] != '\0' ? name : nullptr, RTLD_LAZY | RTLD_NOLOAD | RTLD_LOCAL));
}

// Recognises libsgemm.so, and any libsgemm_blas.so by a name that only it defines.
bool is_ours(const link_map &map, void *object) {
  static const link_map *const core = object_of(reinterpret_cast<const void *>(&libsgemm_version));
  const void *const mark = dlsym(object, "libsgemm_blas_version");
  return &map == core || (mark != nullptr && object_of(mark) == &map);
}

std::vector<std::string> object_names() {
  struct List {
    std::vector<std::string> names;
    bool whole = true;
  } list;
  // No exception may leave the callback: the C library would not release its lock.
  const auto add = [](dl_phdr_info *info, size_t, void *data) {
    List &known = *static_cast<List *>(data);
    try {
      known.names.emplace_back(info->dlpi_name);
    } catch (const std::bad_alloc &) {
      known.whole = false;
    }
    return known.whole ? 0 : 1;
  };
  dl_iterate_phdr(add, &list);
  if (!list.whole) throw std::bad_alloc();
  return std::move(list.names);
}

}  // namespace libsgemm
