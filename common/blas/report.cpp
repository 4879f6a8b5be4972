// A program may define xerbla_ or cblas_xerbla. BLAS libraries define them, too; theirs print and, in the reference
// BLAS, end the process. So only a handler whose object does not define a BLAS is called.
#include "blas/report.h"

#include <dlfcn.h>
#include <link.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "process/quiet_write.h"

extern "C" {
// For weak references the linker exports the handlers of a program that is linked with this library.
void xerbla_() __attribute__((weak));
void xerbla_64_() __attribute__((weak));
void cblas_xerbla() __attribute__((weak));

// Other libsgemm libraries recognise this one by the symbol.
LIBSGEMM_API int libsgemm_blas_version(void);
int libsgemm_blas_version(void) { return LIBSGEMM_VERSION; }
}

namespace libsgemm {
namespace {

__attribute__((used)) void (*const g_handlers[])() = {xerbla_, xerbla_64_, cblas_xerbla};

// True if the object also defines a double-precision gemm, or cannot be opened for lack of memory: its handler might
// end the process.
bool lives_in_a_blas(const void *code) {
  Dl_info home;
  void *map = nullptr;
  if (dladdr1(code, &home, &map, RTLD_DL_LINKMAP) == 0) return false;
  if (static_cast<const link_map *>(map)->l_name[0] == '\0') return false;  // the main program
  void *object = dlopen(home.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) return true;
  bool found = false;
  for (const char *name : {"dgemm_", "dgemm_64_", "scipy_dgemm_", "scipy_dgemm_64_"}) {
    const void *gemm = dlsym(object, name);
    Dl_info other;
    if (gemm != nullptr && dladdr(gemm, &other) != 0 && other.dli_fbase == home.dli_fbase) found = true;
  }
  dlclose(object);
  return found;
}

void *own_handler(const char *name) {
  void *code = dlsym(RTLD_DEFAULT, name);
  return code != nullptr && !lives_in_a_blas(code) ? code : nullptr;
}

uint64_t nanoseconds_now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

template <typename INT>
bool call_xerbla(const char *handler, const char *name, int position) {
  void *code = own_handler(handler);
  if (code == nullptr) return false;
  const INT info = position;
  reinterpret_cast<void (*)(const char *, const INT *, size_t)>(code)(name, &info, std::strlen(name));
  return true;
}

template <typename INT>
bool call_cblas_xerbla(const char *handler, const char *name, int position, const char *message) {
  void *code = own_handler(handler);
  if (code == nullptr) return false;
  reinterpret_cast<void (*)(INT, const char *, const char *, ...)>(code)(position, name, "%s\n", message);
  return true;
}

template <typename INT>
void report(Interface interface, const char *name, const char *handler) {
  libsgemm_info_t info;
  libsgemm_last_info(&info);  // lacks only the reason if memory runs out
  if (interface == Interface::fortran) {
    if (call_xerbla<INT>(handler, name, info.argument)) return;
  } else if (call_cblas_xerbla<INT>(handler, name, info.argument, info.message)) {
    return;
  }
  char line[sizeof info.message + 16];
  const int length = std::snprintf(line, sizeof line, "libsgemm: %s\n", info.message);
  write_quietly(STDERR_FILENO, line, static_cast<size_t>(length));
}

}  // namespace

template <typename INT>
bool performed(const Call &call, const char *name, const char *handler) {
  bool given_back = false;
  const libsgemm_status_t status = libsgemm_private_call(&call, &given_back);
  if (status == LIBSGEMM_INVALID_ARGUMENT) report<INT>(call.interface, name, handler);
  return !given_back;
}

template <typename INT>
bool performed(const GroupCall &call, const char *name, const char *handler) {
  bool given_back = false;
  const libsgemm_status_t status = libsgemm_private_group_call(&call, &given_back);
  if (status == LIBSGEMM_INVALID_ARGUMENT) report<INT>(call.interface, name, handler);
  return !given_back;
}

template bool performed<int32_t>(const Call &, const char *, const char *);
template bool performed<int64_t>(const Call &, const char *, const char *);
template bool performed<int32_t>(const GroupCall &, const char *, const char *);
template bool performed<int64_t>(const GroupCall &, const char *, const char *);

uint64_t GivenBack::begin() { return libsgemm_private_instrumented() ? nanoseconds_now() : 0; }

GivenBack::~GivenBack() {
  if (start_ == 0) return;
  static constexpr Vendor kProgram = {"program", "the program's own BLAS"};
  Call call;
  call.entry = groups_ != nullptr ? groups_->entry : "";
  libsgemm_private_count_forwarded(&kProgram, call_ != nullptr ? call_ : &call, groups_, "its own BLAS", 0,
                                   nanoseconds_now() - start_);
}

}  // namespace libsgemm
