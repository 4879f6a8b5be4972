#include "gpu_driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

#ifndef LIBSGEMM_TEST_AMDHIP64
#define LIBSGEMM_TEST_AMDHIP64 "libamdhip64.so"
#endif

namespace sgemm_test::gpu {
namespace {

struct Other {
  int (*retain_primary)(Handle *context, int device) = nullptr;
  int (*primary_state)(int device, unsigned *flags, int *active) = nullptr;
  int (*reset_primary)(int device) = nullptr;
  int (*get_context)(Handle *context) = nullptr;
  int (*set_context)(Handle context) = nullptr;
  int (*context_device)(int *device) = nullptr;
  int (*get_device)(int *device) = nullptr;
  int (*set_device)(int device) = nullptr;
  int (*launch_host)(Handle stream, HostFunction function, void *argument) = nullptr;
  int (*add_callback)(Handle stream, void (*)(Handle, int, void *), void *argument, unsigned flags) = nullptr;
};

Driver g_driver;
Other g_other;
int g_devices = 0;

template <typename Function>
bool find(void *library, const char *name, Function *function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

std::string open_driver() {
  const bool nvidia = on_nvidia();
  const std::string runtime = nvidia ? "the NVIDIA driver" : "the HIP runtime";
  void *library = dlopen(nvidia ? "libcuda.so.1" : LIBSGEMM_TEST_AMDHIP64, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return runtime + " is missing: " + dlerror();
#define SGEMM_TEST_GPU_FIND(name, cuda, hip, parameters) \
  if (!find(library, nvidia ? #cuda : #hip, &g_driver.name)) return runtime + " lacks " + (nvidia ? #cuda : #hip);
  SGEMM_TEST_GPU_FUNCTIONS(SGEMM_TEST_GPU_FIND)
#undef SGEMM_TEST_GPU_FIND
  Other &other = g_other;
  const bool complete = nvidia ? find(library, "cuDevicePrimaryCtxRetain", &other.retain_primary) &&
                                     find(library, "cuDevicePrimaryCtxGetState", &other.primary_state) &&
                                     find(library, "cuDevicePrimaryCtxReset_v2", &other.reset_primary) &&
                                     find(library, "cuCtxGetCurrent", &other.get_context) &&
                                     find(library, "cuCtxSetCurrent", &other.set_context) &&
                                     find(library, "cuCtxGetDevice", &other.context_device) &&
                                     find(library, "cuLaunchHostFunc", &other.launch_host)
                               : find(library, "hipGetDevice", &other.get_device) &&
                                     find(library, "hipSetDevice", &other.set_device) &&
                                     find(library, "hipStreamAddCallback", &other.add_callback);
  if (!complete) return runtime + " is too old";
  const int code = g_driver.initialise(0);
  if (code != 0) return runtime + " cannot be initialised: error " + std::to_string(code);
  g_driver.count_devices(&g_devices);
  if (g_devices == 0) return runtime + " shows no device";
  return "";
}

Handle current_context() {
  Handle context = nullptr;
  require(g_other.get_context(&context), "cuCtxGetCurrent");
  return context;
}

void need_device() {
  if (on_nvidia() && current_context() == nullptr) use_device(0);
}

}  // namespace

std::string backend() {
  const char *name = std::getenv("LIBSGEMM_TEST_BACKEND");
  return name != nullptr ? name : "cuda";
}

bool on_nvidia() { return backend() == "cuda" || std::getenv("LIBSGEMM_TEST_HIP_ON_CUDA") != nullptr; }

std::string missing() {
  static const std::string reason = open_driver();
  return reason;
}

const Driver &driver() { return g_driver; }

int device_count() { return g_devices; }

// The library of HIP 5.2 lacks hipLaunchHostFunc, though its header declares it.
void call_host(Handle stream, HostFunction function, void *argument) {
  if (on_nvidia()) return require(g_other.launch_host(stream, function, argument), "cuLaunchHostFunc");
  struct Call {
    HostFunction function;
    void *argument;
  };
  const auto run = [](Handle, int, void *data) {
    const std::unique_ptr<Call> call(static_cast<Call *>(data));
    call->function(call->argument);
  };
  require(g_other.add_callback(stream, run, new Call{function, argument}, 0), "hipStreamAddCallback");
}

void use_device(int device) {
  if (!on_nvidia()) return require(g_other.set_device(device), "hipSetDevice");
  Handle context = nullptr;
  require(g_other.retain_primary(&context, device), "cuDevicePrimaryCtxRetain");
  require(g_other.set_context(context), "cuCtxSetCurrent");
}

Handle current() {
  if (backend() == "cuda") return current_context();
  int device = 0;
  if (!on_nvidia()) {
    require(g_other.get_device(&device), "hipGetDevice");
  } else if (g_other.context_device(&device) != 0) {
    device = 0;  // no context yet, and none should arise on the first device
  }
  return reinterpret_cast<Handle>(static_cast<intptr_t>(device));
}

bool has_context(int device) {
  unsigned flags = 0;
  int active = 0;
  require(g_other.primary_state(device, &flags, &active), "cuDevicePrimaryCtxGetState");
  return active != 0;
}

void reset_device(int device) { require(g_other.reset_primary(device), "cuDevicePrimaryCtxReset"); }

void require(int code, const char *call) {
  if (code != 0) throw std::runtime_error(std::string(call) + " gave error " + std::to_string(code));
}

Memory::Memory(size_t bytes, Kind kind) : bytes_(bytes), kind_(kind) {
  need_device();
  void *host = nullptr;
  constexpr unsigned kAttachGlobal = 1;
  switch (kind) {
    case device:
      require(g_driver.allocate(&address_, bytes), "allocate");
      break;
    case managed:
      require(g_driver.allocate_managed(&address_, bytes, kAttachGlobal), "allocate_managed");
      break;
    case pinned:
      require(g_driver.allocate_pinned(&host, bytes, 0), "allocate_pinned");
      address_ = reinterpret_cast<Pointer>(host);
  }
}

Memory::~Memory() {
  if (kind_ == pinned) {
    g_driver.release_pinned(as<void>());
  } else {
    g_driver.release(address_);
  }
}

void upload(Pointer target, const void *source, size_t bytes) {
  require(g_driver.to_device(target, source, bytes), "to_device");
  require(g_driver.synchronize(nullptr), "synchronize");
}

Stream::Stream(Kind kind) {
  need_device();
  require(g_driver.create_stream(&stream_, kind), "create_stream");
}

Stream::~Stream() { g_driver.destroy_stream(stream_); }

}  // namespace sgemm_test::gpu
