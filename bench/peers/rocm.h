// Finds ROCm's libraries; the versions in their file names must match.
#pragma once

#include <string>

namespace command {

struct Library {
  void *handle;
  std::string file;
};

// Loads `name` ("librocblas.so") in a version from `newest` down to `oldest`: one already loaded, else from the
// loader's path or ROCM_PATH (/opt/rocm). Throws Error.
Library load_rocm(const char *what, const std::string &name, int newest, int oldest);

}  // namespace command
