// Finding ROCm's libraries, whose file names carry a version that must fit the others'.
#pragma once

#include <string>

namespace command {

struct Library {
  void *handle;
  std::string file;
};

// `name`: "librocblas.so". Versions from `newest` down to `oldest`, one that the process has loaded before one from the
// loader's path, and that before one from ROCM_PATH (/opt/rocm). Throws Error, "`what` cannot be loaded: ...".
Library load_rocm(const char *what, const std::string &name, int newest, int oldest);

}  // namespace command
