#include "rocm.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <stdlib.h>

#include "base/command.h"

namespace command {

Library load_rocm(const char *what, const std::string &name, int newest, int oldest) {
  const char *set = getenv("ROCM_PATH");
  const std::string root = set != nullptr && set[0] != '\0' ? set : "/opt/rocm";
  const struct {
    std::string folder;
    int flags;
  } ways[] = {
      {"", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD}, {"", RTLD_NOW | RTLD_LOCAL}, {root + "/lib/", RTLD_NOW | RTLD_LOCAL}};
  std::string first_problem;
  for (const auto &way : ways) {
    for (int version = newest; version >= oldest; --version) {
      const std::string file = fmt::format("{}{}.{}", way.folder, name, version);
      void *handle = dlopen(file.c_str(), way.flags);
      if (handle != nullptr) return {handle, file};
      const char *problem = dlerror();
      if (first_problem.empty() && (way.flags & RTLD_NOLOAD) == 0) first_problem = problem;
    }
  }
  throw Error(
      fmt::format("{} cannot be loaded: {}; LD_LIBRARY_PATH or ROCM_PATH may say where it is", what, first_problem));
}

}  // namespace command
