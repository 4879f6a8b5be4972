// Opening libcuda.so.1.
#include "cuda_driver.h"

#include <dlfcn.h>

#include <stdexcept>

namespace sgemm_test::cuda {
namespace {

Driver g_driver;
int g_devices = 0;

std::string open_driver() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::string("no NVIDIA driver: ") + dlerror();
#define SGEMM_TEST_CUDA_FIND(name, parameters)                                      \
  g_driver.name = reinterpret_cast<decltype(g_driver.name)>(dlsym(library, #name)); \
  if (g_driver.name == nullptr) return "the NVIDIA driver lacks " #name;
  SGEMM_TEST_CUDA_FUNCTIONS(SGEMM_TEST_CUDA_FIND)
#undef SGEMM_TEST_CUDA_FIND
  const int code = g_driver.cuInit(0);
  if (code != 0) return "the NVIDIA driver cannot be initialised: CUresult " + std::to_string(code);
  g_driver.cuDeviceGetCount(&g_devices);
  if (g_devices == 0) return "the NVIDIA driver shows no device";
  return "";
}

void need_context() {
  Handle context = nullptr;
  require(g_driver.cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  if (context == nullptr) use_device(0);
}

}  // namespace

std::string missing() {
  static const std::string reason = open_driver();
  return reason;
}

const Driver &driver() { return g_driver; }

int device_count() { return g_devices; }

void use_device(int device) {
  Handle context = nullptr;
  require(g_driver.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  require(g_driver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

void require(int code, const char *call) {
  if (code != 0) throw std::runtime_error(std::string(call) + " gave CUresult " + std::to_string(code));
}

Memory::Memory(size_t bytes, Kind kind) : bytes_(bytes), kind_(kind) {
  need_context();
  void *host = nullptr;
  constexpr unsigned kAttachGlobal = 1;
  switch (kind) {
    case device:
      require(g_driver.cuMemAlloc_v2(&address_, bytes), "cuMemAlloc");
      break;
    case managed:
      require(g_driver.cuMemAllocManaged(&address_, bytes, kAttachGlobal), "cuMemAllocManaged");
      break;
    case pinned:
      require(g_driver.cuMemHostAlloc(&host, bytes, 0), "cuMemHostAlloc");
      address_ = reinterpret_cast<Pointer>(host);
  }
}

Memory::~Memory() {
  if (kind_ == pinned) {
    g_driver.cuMemFreeHost(as<void>());
  } else {
    g_driver.cuMemFree_v2(address_);
  }
}

Stream::Stream(Kind kind) {
  need_context();
  require(g_driver.cuStreamCreate(&stream_, kind), "cuStreamCreate");
}

Stream::~Stream() { g_driver.cuStreamDestroy_v2(stream_); }

}  // namespace sgemm_test::cuda
