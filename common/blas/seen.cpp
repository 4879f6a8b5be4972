// For `libsgemm run`: which processes the drop-in was loaded into, and which BLAS each had at its end. From that
// follows why calls stayed away, which nobody who only waits for them can tell.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <exception>

#include "blas/objects.h"
#include "call.h"
#include "cpu_blas.h"
#include "stats.h"

namespace libsgemm {
namespace {

pid_t g_process;  // whose end is told of; a child that was forked tells of its calls alone

bool defines(const link_map &map, void *object, const std::string &name) {
  const void *const symbol = dlsym(object, name.c_str());
  return symbol != nullptr && object_of(symbol) == &map;
}

void tell_of(const char *name) {
  const Object object = opened_object(name);
  link_map *map = nullptr;
  if (object == nullptr || dlinfo(object.get(), RTLD_DI_LINKMAP, &map) != 0 || is_ours(*map, object.get())) return;
  for (const Spelling &spelling : kSpellings) {
    if (!defines(*map, object.get(), std::string(spelling.prefix) + "sgemm" + spelling.suffix)) continue;
    const std::string file = file_of(name);
    CpuBlas blas;
    std::string problem;
    const bool whole = resolve_blas(object.get(), spelling, file, &blas, &problem);
    const std::string version = whole ? blas.version : file.substr(file.rfind('/') + 1);
    libsgemm_private_note_blas(version.c_str(), file.c_str(), whole && blas.has_lapack);
  }
}

void tell_of_all() {
  if (getpid() != g_process) return;
  try {
    for (const std::string &name : object_names()) {
      if (!name.empty()) tell_of(name.c_str());
    }
  } catch (const std::exception &) {  // without memory the report is silent on it
  }
}

// `libsgemm run` leaves a file there for the first process with the drop-in to take away.
__attribute__((constructor)) void begin() {
  const char *const directory = secure_getenv("LIBSGEMM_STATS_DIR");
  if (directory == nullptr || directory[0] == '\0') return;
  char mark[4200];
  if (snprintf(mark, sizeof mark, "%s/%s", directory, kNotPreloaded) < static_cast<int>(sizeof mark)) unlink(mark);
  g_process = getpid();
  atexit(tell_of_all);
}

}  // namespace
}  // namespace libsgemm
