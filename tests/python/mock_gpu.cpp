// The mock GPU's memory and streams (tests/plugins/mock.h) for ctypes.
#include <dlfcn.h>

#include "../plugins/mock.h"

namespace {
mock::Control *g_control = nullptr;
}

#define EXPORT extern "C" __attribute__((visibility("default")))

// Opens `plugin` under the library's name, to share one instance.
EXPORT bool gpu_open(const char *plugin) {
  void *const library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  g_control = reinterpret_cast<mock::ControlEntry>(dlsym(library, mock::kControlSymbol))();
  return g_control != nullptr;
}
EXPORT void gpu_use_device(int device) { g_control->use_device(device); }
EXPORT void *gpu_allocate(int device, size_t bytes) { return g_control->allocate(device, bytes); }
EXPORT void gpu_release(int device, void *memory) { g_control->release(device, memory); }
EXPORT void gpu_read(const void *memory, void *host, size_t bytes) { g_control->read(memory, host, bytes); }
EXPORT void gpu_write(void *memory, const void *host, size_t bytes) { g_control->write(memory, host, bytes); }
EXPORT void *gpu_stream(int device) { return g_control->stream(device); }
EXPORT int gpu_pending(void *stream, int device) { return g_control->pending(stream, device); }
EXPORT void gpu_destroy_stream(void *stream) { g_control->destroy_stream(stream); }
EXPORT void gpu_wake(int device) { g_control->wake(device); }
EXPORT int64_t gpu_bytes() { return g_control->bytes; }
// Falsifies an element, counted from 1, of the next launch.
EXPORT void gpu_flip(int element) { g_control->flip_bit = element; }
// The n-th wait from now fails.
EXPORT void gpu_fail_wait(int n) { g_control->fail_at[mock::kSynchronize] = n; }
// Devices do no work while on.
EXPORT void gpu_hold(bool on) { g_control->hangs = on; }
