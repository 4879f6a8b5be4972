// The memory and the streams of the mock GPU (tests/plugins/mock.h) for Python's ctypes.
#include <dlfcn.h>

#include "../plugins/mock.h"

namespace {
mock::Control *g_control = nullptr;
}

#define EXPORT extern "C" __attribute__((visibility("default")))

// Opens `plugin` under the name that the library uses, so that both share one instance. False if it cannot be opened.
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
// Completes the stream's work and destroys it for the program.
EXPORT void gpu_destroy_stream(void *stream) { g_control->destroy_stream(stream); }
// Completes all work that is queued on a device.
EXPORT void gpu_wake(int device) { g_control->wake(device); }
// Returns the bytes of device memory allocated now.
EXPORT int64_t gpu_bytes() { return g_control->bytes; }
// Makes this element, counted from 1, of the next launch's result wrong.
EXPORT void gpu_flip(int element) { g_control->flip_bit = element; }
// Makes the n-th wait from now fail.
EXPORT void gpu_fail_wait(int n) { g_control->fail_at[mock::kSynchronize] = n; }
// While on, the devices do no work, however long a thread waits.
EXPORT void gpu_hold(bool on) { g_control->hangs = on; }
