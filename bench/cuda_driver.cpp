#include "cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <new>

#include "command.h"

namespace command {
namespace {

constexpr const char *kFile = "libcuda.so.1";

Driver load() {
  void *library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(fmt::format("the NVIDIA driver cannot be loaded: {}", dlerror()));
  Driver driver;
#define X(member, symbol, ...) \
  driver.member = reinterpret_cast<CUresult (*)(__VA_ARGS__)>(require_symbol(library, kFile, symbol));
  LIBSGEMM_DRIVER_FUNCTIONS(X)
#undef X
  return driver;
}

// Apart from cuda_driver(), which require_cuda() would otherwise enter anew while it initialises.
std::string describe(const Driver &driver, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  if (driver.error_name(result, &name) != kCudaSuccess || name == nullptr) return fmt::format("error {}", result);
  if (driver.error_string(result, &text) != kCudaSuccess || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

Driver initialise() {
  const Driver driver = load();
  const CUresult result = driver.init(0);
  if (result != kCudaSuccess) throw Error(fmt::format("the NVIDIA driver fails: {}", describe(driver, result)));
  return driver;
}

}  // namespace

void *require_symbol(void *library, const char *file, const char *symbol) {
  void *address = dlsym(library, symbol);
  if (address == nullptr) throw Error(fmt::format("{}: has no {}", file, symbol));
  return address;
}

const Driver &cuda_driver() {
  static const Driver driver = initialise();
  return driver;
}

void require_cuda(CUresult result, const char *what) {
  if (result == kCudaSuccess) return;
  if (result == kCudaOutOfMemory) throw std::bad_alloc();
  throw Error(fmt::format("{}: {}", what, describe(cuda_driver(), result)));
}

}  // namespace command
