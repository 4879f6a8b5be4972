#include "object_file.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>

namespace libsgemm {

const link_map *object_of(const void *address) {
  Dl_info info;
  void *map = nullptr;
  return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) != 0 ? static_cast<const link_map *>(map) : nullptr;
}

std::string file_of(const link_map &object) {
  std::string path = object.l_name;
  char origin[2 * PATH_MAX];
  const bool relative = !path.empty() && path[0] != '/';
  if (relative && dlinfo(const_cast<link_map *>(&object), RTLD_DI_ORIGIN, origin) == 0) {
    path = std::string(origin) + "/" + path.substr(path.rfind('/') + 1);
  }
  char real[PATH_MAX];
  return realpath(path.c_str(), real) != nullptr ? real : path;
}

}  // namespace libsgemm
