// Tells `libsgemm run` which processes loaded the drop-in, and their BLAS libraries at exit, to explain why no calls
// arrived.
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <exception>

#include "blas/definitions.h"
#include "blas/objects.h"
#include "call/call.h"
#include "contract/cpu_blas.h"
#include "process/stats.h"

namespace libsgemm {
namespace {

pid_t g_process;  // reports at exit; a forked child reports only its calls

void tell_of(const dl_phdr_info &object) {
  const Functions functions = [&object](const char *name) { return function_defined_in(object, name); };
  if (functions("libsgemm_version") != nullptr || functions("libsgemm_blas_version") != nullptr) return;
  for (const Spelling &spelling : kSpellings) {
    const link_map *const home =
        object_of(functions((std::string(spelling.prefix) + "sgemm" + spelling.suffix).c_str()));
    if (home == nullptr) continue;
    const std::string file = file_of(*home);
    CpuBlas blas;
    std::string problem;
    const bool whole = resolve_blas(functions, spelling, file, &blas, &problem);
    const std::string version = whole ? blas.version : file.substr(file.rfind('/') + 1);
    libsgemm_private_note_blas(version.c_str(), file.c_str(), whole && blas.has_lapack);
  }
}

// No exception may leave the callback: the C library would not release its lock.
int tell_of_next(dl_phdr_info *object, size_t, void *) {
  try {
    if (object->dlpi_name != nullptr && object->dlpi_name[0] != '\0') tell_of(*object);
    return 0;
  } catch (const std::exception &) {  // the report omits the object
    return 1;
  }
}

void tell_of_all() {
  if (getpid() == g_process) dl_iterate_phdr(tell_of_next, nullptr);
}

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
