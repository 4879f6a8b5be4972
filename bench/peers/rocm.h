// Finds ROCm's libraries. Their file names carry versions, which must match each other.
#pragma once

#include <string>

namespace command {

struct Library {
  void *handle;
  std::string file;
};

// Loads a library, `name` being "librocblas.so", in a version from `newest` down to `oldest`. Prefers one that the
// process has loaded, then one from the loader's path, then one from ROCM_PATH (/opt/rocm). Throws Error, "`what`
// cannot be loaded: ...".
Library load_rocm(const char *what, const std::string &name, int newest, int oldest);

}  // namespace command
